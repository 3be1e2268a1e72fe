import { mkdir, mkdtemp, open, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { type JournalFiles, diskFiles } from "./files.ts";
import { Writer, type WriterOptions } from "./writer.ts";

const folders: string[] = [];
afterEach(() => Promise.all(folders.splice(0).map((path) => rm(path, { recursive: true, force: true }))));

const HEADER = '{"type":"session"}';

async function newWriter(options: Partial<WriterOptions> = {}) {
  const folder = await mkdtemp(join(tmpdir(), "writer-"));
  folders.push(folder);
  const path = join(folder, "deep", "a.jsonl");
  const notices: string[] = [];
  const writer = new Writer({
    path,
    header: HEADER,
    files: diskFiles,
    prepare: async () => void (await mkdir(dirname(path), { recursive: true })),
    onNotice: (message) => notices.push(message),
    found: "nothing",
    limits: { retryMs: 0 },
    ...options,
  });
  return { writer, path, notices, lines: async () => (await readFile(path, "utf8")).split("\n") };
}

function failure(code: string): Error {
  return Object.assign(new Error(`${code}: it failed`), { code });
}

/** What the disk does at the next writes: fails, takes only so many bytes, or all. */
type Fault = { readonly code: string } | { readonly bytes: number } | "fine";

/** Real files whose writes and syncs fail on demand. */
function faulty(...faults: Fault[]) {
  const log: string[] = [];
  const syncs: Fault[] = [];
  const files: JournalFiles = {
    async open(path) {
      const file = await diskFiles.open(path);
      return {
        ...file,
        async write(bytes) {
          const fault = faults.shift() ?? "fine";
          log.push("write");
          if (fault === "fine") return file.write(bytes);
          if ("code" in fault) throw failure(fault.code);
          return file.write(bytes.subarray(0, fault.bytes));
        },
        async datasync() {
          const fault = syncs.shift() ?? "fine";
          log.push("datasync");
          if (fault !== "fine" && "code" in fault) throw failure(fault.code);
          await file.datasync();
        },
      };
    },
  };
  return { files, faults, syncs, log };
}

const entry = (name: string): string => JSON.stringify({ type: "entry", name });

test("E08: concurrent appends are complete lines, in order, in few writes, and share their syncs", async () => {
  const { files, log } = faulty();
  const { writer, lines } = await newWriter({ files });
  const names = Array.from({ length: 500 }, (_, index) => `${index} ${"ü".repeat(index)}`);
  await Promise.all(
    names.map(async (name, index) => {
      if (index % 7 === 0) await pause(index % 5);
      writer.append(entry(name));
      await writer.sync();
    }),
  );
  const written = await lines();
  expect(written[0]).toBe(HEADER);
  expect(written.slice(1, -1).sort()).toEqual(names.map(entry).sort());
  expect(writer.isSaved).toBe(true);
  expect(log.length).toBeLessThan(100);
  await writer.close();
});

test("nothing is opened before the first append, and nothing but what was appended is written", async () => {
  const { files, log } = faulty();
  const { writer, path, lines } = await newWriter({ files });
  await writer.sync();
  await expect(readFile(path)).rejects.toThrow("ENOENT");
  writer.append(entry("a"));
  writer.append(entry("b"));
  expect(writer.isSaved).toBe(false);
  await writer.sync();
  expect([writer.isSaved, log]).toEqual([true, ["write", "datasync"]]);
  expect(await lines()).toEqual([HEADER, entry("a"), entry("b"), ""]);
  await writer.close();
});

test("E02, E03, E12: a full disk is reported once, with how full it is; nothing counts as saved, and all is written when there is room", async () => {
  const { files, faults } = faulty({ code: "ENOSPC" }, { code: "ENOSPC" });
  const { writer, path, notices, lines } = await newWriter({ files });
  writer.append(entry("a"));
  await writer.sync();
  expect(writer.isSaved).toBe(false);
  writer.append(entry("b"));
  await writer.sync();
  expect([writer.isSaved, notices.length, faults.length]).toEqual([false, 1, 0]);
  expect(notices[0]).toMatch(/no space left on the disk \(ENOSPC\), \d+ MB of \d+ MB free\.$/);
  expect(notices[0]).toContain(`This session is not being saved: ${path}: `);
  writer.append(entry("c"));
  await writer.sync();
  expect([writer.isSaved, notices.slice(1)]).toEqual([true, [`The session is saved again: ${path}`]]);
  expect(await lines()).toEqual([HEADER, entry("a"), entry("b"), entry("c"), ""]);
  await writer.close();
});

test("E02: real ENOSPC, from /dev/full", async () => {
  const full: JournalFiles = {
    async open() {
      const handle = await open("/dev/full", "a");
      return {
        isNew: true,
        write: async (bytes) => (await handle.write(bytes)).bytesWritten,
        datasync: () => handle.datasync(),
        isInPlace: () => Promise.resolve(true),
        close: () => handle.close(),
      };
    },
  };
  const { writer, notices } = await newWriter({ files: full });
  writer.append(entry("secret"));
  await writer.sync();
  expect([writer.isSaved, notices.length]).toEqual([false, 1]);
  expect(notices[0]).toContain("(ENOSPC)");
  expect(notices[0]).not.toContain("secret");
  await writer.close();
  expect(writer.isSaved).toBe(false);
});

test("E02: a line that was cut by a full disk is terminated and written again completely", async () => {
  for (const bytes of [1, HEADER.length, HEADER.length + 1, HEADER.length + 10, HEADER.length + 40]) {
    const { files } = faulty({ bytes }, { code: "ENOSPC" });
    const { writer, lines } = await newWriter({ files });
    writer.append(entry("a"));
    writer.append(entry("b"));
    await writer.sync();
    writer.append(entry("c"));
    await writer.close();
    const wanted = [HEADER, entry("a"), entry("b"), entry("c")];
    expect((await lines()).filter((line) => wanted.includes(line))).toEqual(wanted);
    expect(writer.isSaved).toBe(true);
  }
});

test("a disk that accepts bytes in parts gets all of them exactly once", async () => {
  const { files } = faulty({ bytes: 3 }, { bytes: 30 }, { bytes: 1 });
  const { writer, lines, notices } = await newWriter({ files });
  writer.append(entry("a"));
  await writer.close();
  expect([await lines(), notices]).toEqual([[HEADER, entry("a"), ""], []]);
});

test("retries on a failing disk are rate-limited", async () => {
  const { files, log } = faulty(...Array.from({ length: 9 }, () => ({ code: "EIO" })));
  const { writer } = await newWriter({ files, limits: { retryMs: 60_000 } });
  for (let index = 0; index < 5; index++) {
    writer.append(entry(`${index}`));
    await writer.sync();
  }
  expect(log).toEqual(["write"]);
  await writer.close();
  expect([log, writer.isSaved]).toEqual([["write", "write"], false]);
});

test("above the buffer limit of a failing disk, saving ends for good, and a notice says so", async () => {
  const { files, log } = faulty(...Array.from({ length: 9 }, () => ({ code: "EROFS" })));
  const { writer, path, notices } = await newWriter({ files, limits: { retryMs: 60_000, keptBytes: 100 } });
  for (let index = 0; index < 9; index++) {
    writer.append(entry(`${index}`));
    await writer.sync();
  }
  expect(notices).toEqual([
    `This session is not being saved: ${path}: the file system is read-only (EROFS).`,
    `This session is no longer saved: more than 100 bytes could not be written to ${path}. You can resume it up to that point.`,
  ]);
  await writer.close();
  expect([log, writer.isSaved]).toEqual([["write"], false]);
});

test("an entry that is too large to be read back is reported and not written", async () => {
  const { writer, notices, lines } = await newWriter();
  writer.append("x".repeat(1 << 26));
  writer.append(entry("a"));
  await writer.close();
  expect([notices.length, writer.isSaved, await lines()]).toEqual([1, false, [HEADER, entry("a"), ""]]);
});

test("E12: after a failed sync it is unknown what is on disk, so nothing counts as saved and nothing is written twice", async () => {
  const { files, syncs } = faulty();
  syncs.push({ code: "EIO" });
  const { writer, path, notices, lines } = await newWriter({ files });
  writer.append(entry("a"));
  await writer.sync();
  writer.append(entry("b"));
  await writer.close();
  expect(writer.isSaved).toBe(false);
  expect(notices).toEqual([
    `This session is not being saved: ${path}: the disk reported an I/O error (EIO).`,
    `The session is saved again, but some entries are missing: ${path}`,
  ]);
  expect((await lines()).filter((line) => line !== "")).toEqual([HEADER, entry("a"), entry("b")]);
});

test("E05: a folder that is deleted or moved is created again, and the loss is reported", async () => {
  for (const remove of [
    (path: string) => rm(path, { recursive: true }),
    (path: string) => rename(path, `${path}-moved`),
  ]) {
    const { writer, path, notices, lines } = await newWriter();
    writer.append(entry("a"));
    await writer.sync();
    await remove(dirname(path));
    writer.append(entry("b"));
    await writer.sync();
    writer.append(entry("c"));
    await writer.close();
    expect([await lines(), writer.isSaved]).toEqual([[HEADER, entry("c"), ""], false]);
    expect(notices).toEqual([
      `${path} was deleted or moved. A new file was started; it does not contain the earlier entries.`,
    ]);
  }
});

test("E05: a path that is too long, and one without permission, are only reported", async () => {
  const long = join(tmpdir(), "x".repeat(300), "a.jsonl");
  const denied = failure("EACCES");
  for (const [options, words] of [
    [{ path: long, prepare: () => Promise.resolve() }, "the path is too long (ENAMETOOLONG)"],
    [{ prepare: () => Promise.reject(denied) }, "permission denied (EACCES)"],
  ] as const) {
    const { writer, notices } = await newWriter(options);
    writer.append(entry("a"));
    await writer.close();
    expect([notices.length, writer.isSaved]).toEqual([1, false]);
    expect(notices[0]).toContain(words);
  }
});

test("a disk that does not respond is reported and no longer waited for", async () => {
  let answer = (): void => {};
  // Made before the file is opened: on a busy machine the time runs out during the opening.
  const wait = new Promise<void>((resolve) => (answer = resolve));
  const files: JournalFiles = {
    async open(path) {
      const file = await diskFiles.open(path);
      return { ...file, datasync: () => wait };
    },
  };
  const { writer, path, notices, lines } = await newWriter({ files, limits: { answerMs: 20 } });
  writer.append(entry("a"));
  await Promise.all([writer.sync(), writer.sync()]);
  expect(notices).toEqual([
    `This session is not being saved: ${path}: the disk has not responded for 0.02 s.`,
  ]);
  writer.append(entry("b"));
  await writer.sync();
  expect(writer.isSaved).toBe(false);
  answer();
  while (!writer.isSaved || notices.length < 2) {
    await pause(1);
    await writer.sync();
  }
  expect(notices.slice(1)).toEqual([`The session is saved again: ${path}`]);
  expect(await lines()).toEqual([HEADER, entry("a"), entry("b"), ""]);
  await writer.close();
});

test("an idle file is synced and closed, and opened again when it is needed", async () => {
  const events: string[] = [];
  const files: JournalFiles = {
    async open(path) {
      const file = await diskFiles.open(path);
      events.push("open");
      return { ...file, close: () => (events.push("close"), file.close()) };
    },
  };
  const { writer, lines } = await newWriter({ files, limits: { idleMs: 5 } });
  writer.append(entry("a"));
  while (events.length < 2) await pause(1);
  expect(writer.isSaved).toBe(true);
  writer.append(entry("b"));
  await writer.close();
  expect(events).toEqual(["open", "close", "open", "close"]);
  expect(await lines()).toEqual([HEADER, entry("a"), entry("b"), ""]);
});
