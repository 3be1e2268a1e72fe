import { spawn } from "node:child_process";
import {
  chmod,
  mkdir,
  mkdtemp,
  open,
  readFile,
  readdir,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { StreamingToolExecutor, defineTool } from "@runahead/engine";
import { type HistoryMessage, checkHistory } from "@runahead/engine/history";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { toLine } from "./entry.ts";
import { diskFiles } from "./files.ts";
import { NoSuchSession, SessionExists, SessionLocked, type SessionsOptions, sessions } from "./sessions.ts";

const homes: string[] = [];
afterEach(() => Promise.all(homes.splice(0).map((home) => rm(home, { recursive: true, force: true }))));

async function project(options: SessionsOptions = {}) {
  const home = await mkdtemp(join(tmpdir(), "sessions-"));
  homes.push(home);
  const notices: string[] = [];
  const onNotice = (message: string): void => void notices.push(message);
  return { home, notices, all: sessions({ home, cwd: home, onNotice, ...options }) };
}

const prompt = (content: string) => ({ type: "message", message: { role: "user", content } }) as const;
const ended = (turn: number) =>
  ({
    type: "turn-ended",
    turn,
    usage: { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 },
    context: { cwd: "/x" },
  }) as const;

test("a session is one private file, with a header, its type first in every line", async () => {
  const { all, home } = await project();
  const session = await all.create();
  expect([session.messages, session.isSaved, await all.list()]).toEqual([[], true, []]);
  session.append(prompt("hello"));
  await session.sync();
  expect(session.isSaved).toBe(true);
  const [header = "", message] = (await readFile(session.path, "utf8")).split("\n");
  expect(JSON.parse(header)).toMatchObject({ type: "session", version: 1, id: session.id, cwd: home });
  expect([header.startsWith('{"type":"session",'), message]).toEqual([true, toLine(prompt("hello"))]);
  expect((await stat(session.path)).mode & 0o777).toBe(0o600);
  await session.close();
  await session.close();
  expect((await readdir(dirname(session.path))).sort()).toEqual([basename(session.path)]);
  expect(() => session.append(prompt("late"))).toThrow(
    `Cannot append to session ${session.id}: it is closed.`,
  );
});

test("a requested id is given out once, even before anything is written", async () => {
  const { all } = await project();
  const id = "6f1c1b52-6d0e-4c5e-9b1c-0a4f6b6f7a01";
  const session = await all.create(id);
  expect(session.id).toBe(id);
  await expect(all.create(id)).rejects.toThrow(SessionLocked);
  session.append(prompt("hello"));
  await session.close();
  await expect(all.create(id)).rejects.toThrow(SessionExists);
  const again = await all.resume(id);
  expect(again.messages).toEqual([prompt("hello").message]);
  await again.close();
});

test("an id can be any safe name, and the error for another names the rule", async () => {
  const { all } = await project();
  for (const id of ["alice", "Bob_2", "7", "a".repeat(64)]) {
    const session = await all.create(id);
    session.append(prompt(`I am ${id}`));
    await session.close();
    const again = await all.resume(id);
    expect([again.id, again.messages]).toEqual([id, [prompt(`I am ${id}`).message]]);
    await again.close();
  }
  expect((await all.list()).map(({ id }) => id).toSorted()).toEqual(["7", "Bob_2", "a".repeat(64), "alice"]);
  const unsafe = [
    "",
    ".",
    "..",
    "../x",
    "a/b",
    "a\\b",
    "a.b",
    "-a",
    "a b",
    "ä",
    "a\0",
    "a".repeat(65),
    "CON",
    "nul",
    "Com1",
  ];
  for (const id of [...unsafe, 7, null] as string[])
    await expect(all.create(id)).rejects.toThrow(
      /^Invalid session id .*\. An id has 1 to 64 characters: letters \(A-Z, a-z\), digits, "-" and "_"/,
    );
});

test("ids that differ in case only are one session", async () => {
  const { all } = await project();
  const session = await all.create("alice");
  await expect(all.create("Alice")).rejects.toThrow(SessionLocked);
  session.append(prompt("hello"));
  await session.sync();
  expect((await all.list()).map(({ id, isLocked }) => [id, isLocked])).toEqual([["alice", true]]);
  await session.close();
  await expect(all.create("ALICE")).rejects.toThrow(
    "Session alice already exists (ALICE differs only in case). Resume it, or choose another id.",
  );
  await expect(all.resume("ALICE")).rejects.toThrow(/\. Did you mean alice\?$/);
});

test("E04: a journal that others can read is made private, and one that is a link is not followed", async () => {
  const { all, notices, home } = await project();
  const session = await all.create();
  session.append(prompt("hello"));
  await session.close();
  await chmod(session.path, 0o644);
  const resumed = await all.resume(session.id);
  resumed.append(prompt("again"));
  await resumed.close();
  expect((await stat(session.path)).mode & 0o777).toBe(0o600);
  const another = await all.create();
  await writeFile(join(home, "target"), "");
  await symlink(join(home, "target"), another.path);
  another.append(prompt("secret"));
  await another.close();
  expect([await readFile(join(home, "target"), "utf8"), another.isSaved]).toEqual(["", false]);
  expect(notices).toEqual([
    `This session is not being saved: ${another.path}: it is a symbolic link (ELOOP).`,
  ]);
});

test("the error for an unknown or invalid id names the folder, and suggests near ids only", async () => {
  const { all } = await project();
  await expect(all.resume("x")).rejects.toThrow(/^No session "x" in [^?]*\.$/);
  const session = await all.create();
  session.append(prompt("hello"));
  await session.close();
  for (const [id, isNear] of [
    [`${session.id.slice(0, -1)}x`, true],
    [session.id.slice(0, 8), true],
    ["../../etc/passwd", false],
    [`../${session.id}`, false],
    ["a-name-like-no-other", false],
    ["", false],
  ] as const) {
    const error = await all.resume(id).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NoSuchSession);
    const hint = isNear ? ` Did you mean ${session.id}?` : "";
    expect((error as Error).message).toBe(
      `No session ${JSON.stringify(id)} in ${dirname(session.path)}.${hint}`,
    );
    await expect(all.fork(id)).rejects.toThrow(NoSuchSession);
  }
  for (const id of [undefined, 3]) {
    await expect(all.resume(id as never)).rejects.toThrow(`Invalid session id ${id}.`);
    await expect(all.fork(id as never)).rejects.toThrow(`Invalid session id ${id}.`);
  }
});

test("sessions are listed newest first, reading only the start of each file, and the latest is continued", async () => {
  const { all } = await project();
  expect([await all.list(), await all.continue()]).toEqual([[], undefined]);
  const long = `"quoted" \\ ü😀 ${"x".repeat(100_000)}`;
  const contents: HistoryMessage["content"][] = ["first", long, [{ type: "text", text: "in a block" }]];
  const made = [];
  for (const [index, content] of contents.entries()) {
    const session = await all.create();
    session.append({ type: "message", message: { role: "user", content } });
    await session.close();
    await utimes(session.path, 1_000 + index, 1_000 + index);
    made.push(session);
  }
  const listed = await all.list();
  expect(listed.map(({ id, firstPrompt, isLocked }) => [id, firstPrompt, isLocked])).toEqual([
    [made[2]?.id, "in a block", false],
    [made[1]?.id, long.slice(0, 200), false],
    [made[0]?.id, "first", false],
  ]);
  expect(listed[2]).toMatchObject({
    path: made[0]?.path,
    cwd: made[0]?.cwd,
    updatedAt: "1970-01-01T00:16:40.000Z",
    sizeBytes: (await stat(made[0]?.path ?? "")).size,
  });
  const latest = await all.continue();
  expect([latest?.id, (await all.list())[0]?.isLocked]).toEqual([made[2]?.id, true]);
  await expect(all.continue()).rejects.toThrow(SessionLocked);
  await latest?.close();
});

test("a thousand sessions are listed, and a thousand idle ones are held without a file open", async () => {
  const { all, home } = await project();
  const folder = dirname((await all.create()).path);
  await mkdir(folder, { recursive: true });
  const ids = Array.from(
    { length: 1_000 },
    (_, index) => `00000000-0000-0000-0000-${`${index}`.padStart(12, "0")}`,
  );
  for (const id of ids) {
    const header = { type: "session", version: 1, id, cwd: home, createdAt: "2026-01-01T00:00:00.000Z" };
    await writeFile(
      join(folder, `${id}.jsonl`),
      `${JSON.stringify(header)}\n${JSON.stringify(prompt(id))}\n`,
    );
  }
  await writeFile(join(folder, "notes.jsonl"), "not a session");
  const listed = await all.list();
  expect(listed.map(({ firstPrompt }) => firstPrompt).sort()).toEqual(ids);
  const openFiles = async (): Promise<number> => (await readdir("/proc/self/fd")).length;
  const before = await openFiles();
  const held = await Promise.all(ids.map(() => all.create()));
  expect((await openFiles()) - before).toBeLessThan(20);
  expect(held).toHaveLength(1_000);
});

test("a fork has all complete entries on disk, even of a session in use, which stays unchanged", async () => {
  const { all } = await project();
  const session = await all.create();
  session.append(prompt("hello"));
  session.append({ type: "from-the-future", more: [1] } as never);
  session.append({ type: "message", message: { role: "assistant", content: "hi" } });
  session.append(ended(1));
  await session.sync();
  const before = await readFile(session.path, "utf8");
  await writeFile(session.path, `${before}{"type":"mess`);
  const fork = await all.fork(session.id);
  expect([fork.messages.length, fork.usage.outputTokens, fork.context]).toEqual([2, 2, { cwd: "/x" }]);
  fork.append(prompt("on the other way"));
  await fork.close();
  const [header = "", ...lines] = (await readFile(fork.path, "utf8")).split("\n");
  expect(JSON.parse(header)).toMatchObject({ id: fork.id, forkedFrom: session.id });
  expect(lines.join("\n")).toBe(`${before}${toLine(prompt("on the other way"))}\n`);
  expect(await readFile(session.path, "utf8")).toBe(`${before}{"type":"mess`);
  expect(fork.id).not.toBe(session.id);
  await session.close();
});

test("E02, E05: without a place on disk a session continues, reports it, and does not promise to be resumed", async () => {
  const { home, notices } = await project();
  await writeFile(join(home, "file"), "");
  const all = sessions({ home: join(home, "file", "below"), onNotice: (message) => notices.push(message) });
  const session = await all.create();
  session.append(prompt("hello"));
  await session.sync();
  expect([session.isSaved, notices.length, await all.list()]).toEqual([false, 1, []]);
  expect(notices[0]).toContain(`This session is not being saved: ${session.path}: `);
  await session.close();
});

test("G05: a session that cannot be locked can be read, and is not written to", async () => {
  const { all, notices } = await project();
  const session = await all.create();
  session.append(prompt("hello"));
  await session.close();
  const before = await readFile(session.path, "utf8");
  await writeFile(join(dirname(session.path), `${session.id}.lock`), "in the way");
  const resumed = await all.resume(session.id);
  resumed.append(prompt("again"));
  await resumed.close();
  expect([resumed.messages.length, resumed.isSaved, await readFile(session.path, "utf8")]).toEqual([
    1,
    false,
    before,
  ]);
  expect(notices).toEqual([
    `This session is not being saved: cannot lock ${session.path}, so another process could write to it at the same time.`,
  ]);
});

test("E05: a project folder that is deleted meanwhile is created again, with the lock in it", async () => {
  const { all, notices } = await project();
  const session = await all.create();
  session.append(prompt("hello"));
  await session.sync();
  await rm(dirname(dirname(session.path)), { recursive: true });
  session.append(prompt("again"));
  await session.sync();
  expect([session.isSaved, notices.length]).toEqual([false, 1]);
  await expect(all.resume(session.id)).rejects.toThrow(SessionLocked);
  await session.close();
  expect((await stat(session.path)).isFile()).toBe(true);
});

test("promise 4: a call that writes does not start before its record is on disk, and its end is before its result", async () => {
  const order: string[] = [];
  const files: SessionsOptions["files"] = {
    async open(path) {
      const file = await diskFiles.open(path);
      return { ...file, datasync: async () => (await file.datasync(), void order.push("synced")) };
    },
  };
  const { all } = await project({ files });
  const session = await all.create();
  const write = defineTool({
    name: "Write",
    description: "Writes",
    inputSchema: z.object({}),
    call: async () => {
      const onDisk = await readFile(session.path, "utf8");
      order.push(`ran, recorded: ${onDisk.includes('"type":"call-arrived","id":"a"')}`);
      return "wrote";
    },
  });
  const executor = new StreamingToolExecutor({
    tools: [write],
    journal: session.journalOf({ turn: 1 }),
  });
  executor.add({ id: "a", name: "Write", input: {} });
  for await (const update of executor.remaining()) {
    const onDisk = await readFile(session.path, "utf8");
    order.push(`${update.type}, recorded: ${onDisk.includes('"type":"call-finished","id":"a"')}`);
  }
  expect(order.filter((step, at) => step !== order[at - 1])).toEqual([
    "synced",
    "ran, recorded: true",
    "synced",
    "result, recorded: true",
  ]);
  await session.close();
});

test("a call that ends after its turn is not recorded in another one", async () => {
  const { all } = await project();
  const session = await all.create();
  const journal = session.journalOf({ turn: 1 });
  session.append(ended(1));
  session.journalOf({ turn: 2 });
  expect(
    journal.record({
      type: "call-finished",
      id: "a",
      ending: { type: "failed", content: "", ranMs: 1, output: "" },
    }),
  ).toBeUndefined();
  await session.close();
  expect(await readFile(session.path, "utf8")).not.toContain('"event"');
});

test("an entry that cannot become a line is reported, and the session does not claim to be saved", async () => {
  const { all, notices } = await project();
  const session = await all.create();
  session.append({ type: "block", block: { type: "text", text: 1n } as never });
  await session.close();
  expect([session.isSaved, notices.length]).toEqual([false, 1]);
});

test("E11: notices never contain what was said", async () => {
  const { all, notices } = await project();
  const session = await all.create();
  session.append(prompt("SECRET"));
  session.journalOf({ turn: 1 });
  session.append({
    type: "call",
    block: { type: "tool_use", id: "SECRET", name: "SECRET", input: { SECRET: "SECRET" } },
  });
  await session.close();
  const text = await readFile(session.path, "utf8");
  await writeFile(
    session.path,
    `${text}{"SECRET\n{"type":"message","message":{"role":"assistant","content":[{"type":"tool_use","id":"SECRET","name":"S","input":1}]}}\nSECRET`,
  );
  const resumed = await all.resume(session.id);
  await resumed.close();
  expect(checkHistory(resumed.messages)).toEqual([]);
  expect(notices.length).toBeGreaterThan(2);
  expect(notices.filter((notice) => notice.includes("SECRET"))).toEqual([]);
});

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
const SOURCE = new URL("sessions.ts", import.meta.url).href;

/** Starts a real process with a session of its own and yields the lines that it prints. */
async function child(home: string, body: string) {
  const script = join(home, `child-${Math.random()}.mts`);
  await writeFile(
    script,
    `import { sessions } from ${JSON.stringify(SOURCE)};\nconst all = sessions({ home: ${JSON.stringify(home)}, cwd: ${JSON.stringify(home)} });\n${body}\n`,
  );
  const running = spawn(process.execPath, ["--import", "tsx", script], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise<void>((resolve) => running.on("close", () => resolve()));
  const lines = createInterface({ input: running.stdout })[Symbol.asyncIterator]();
  const kill = async (): Promise<void> => (running.kill("SIGKILL"), await exited);
  return { pid: running.pid, line: async () => String((await lines.next()).value), kill };
}

test("G01, G05: a session of a live process is refused, and after kill -9 it is resumed, with the call that ran as of unknown outcome", async () => {
  const { all, home } = await project();
  const { pid, line, kill } = await child(
    home,
    `const session = await all.create();
     session.append(${JSON.stringify(prompt("go"))});
     const journal = session.journalOf({ turn: 1 });
     session.append({ type: "call", block: { type: "tool_use", id: "a", name: "Write", input: {} } });
     const access = { claims: [], readOnly: false, interrupt: "block", onError: "isolate" };
     await journal.record({ type: "call-arrived", id: "a", toolName: "Write", access, hooked: false, permitted: true });
     console.log(session.id);
     setInterval(() => {}, 1000);`,
  );
  try {
    const id = await line();
    const error = await all.resume(id).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SessionLocked);
    expect((error as SessionLocked).pid).toBe(pid);
    const other = await child(home, `console.log(await all.resume("${id}").catch((error) => error.name));`);
    expect(await other.line()).toBe("SessionLocked");
    expect(await all.list()).toMatchObject([{ id, isLocked: true }]);
    await kill();
    const resumed = await all.resume(id);
    expect(resumed.recovered.map(({ callId, fate }) => [callId, fate])).toEqual([["a", "unknown"]]);
    await resumed.close();
  } finally {
    await kill();
  }
});

test("G12: a large journal is loaded from its last compaction on, with little memory", async () => {
  const { all } = await project();
  const session = await all.create();
  session.append(prompt("hello"));
  session.append(ended(1));
  await session.close();
  const file = await open(session.path, "a");
  const filler = `${JSON.stringify({ type: "turn-begun", turn: 1 })}\n${`${JSON.stringify({ type: "event", event: { type: "call-finished", id: "a", text: "x".repeat(10_000) } })}\n`.repeat(100)}${JSON.stringify(ended(1))}\n`;
  for (let written = 0; written < 100_000_000; written += filler.length) await file.write(filler);
  await file.close();
  const grown = async (work: () => Promise<void>): Promise<number> => {
    const before = process.memoryUsage().rss;
    await work();
    return process.memoryUsage().rss - before;
  };
  const whole = await grown(async () => {
    const resumed = await all.resume(session.id);
    expect([resumed.messages.length, resumed.recovered]).toEqual([1, []]);
    resumed.append({ type: "compacted", messages: [{ role: "user", content: "in short" }] });
    resumed.append({ type: "message", message: { role: "assistant", content: "so" } });
    resumed.append(ended(2));
    await resumed.close();
  });
  const usage = (await stat(session.path)).size;
  expect(usage).toBeGreaterThan(100_000_000);
  expect(whole).toBeLessThan(60_000_000);
  const resumed = await all.resume(session.id);
  expect(resumed.messages).toEqual([
    { role: "user", content: "in short" },
    { role: "assistant", content: "so" },
  ]);
  expect(resumed.usage.inputTokens).toBe(Math.ceil(100_000_000 / filler.length) + 2);
  await resumed.close();
});

test("G12: a hundred thousand messages are loaded in order, and an unreadable compaction replaces nothing", async () => {
  const { all, notices } = await project();
  const session = await all.create();
  session.append(prompt("0"));
  await session.close();
  const file = await open(session.path, "a");
  const count = 100_000;
  for (let index = 1; index < count; index += 1_000)
    await file.write(
      Array.from(
        { length: Math.min(1_000, count - index) },
        (_, at) => `${JSON.stringify(prompt(`${index + at}`))}\n`,
      ).join(""),
    );
  await file.write('{"type":"compacted","messages":[{"role":"us\n');
  await file.close();
  const resumed = await all.resume(session.id);
  await resumed.close();
  expect(resumed.messages.map(({ content }) => content)).toEqual(
    Array.from({ length: count }, (_, index) => `${index}`),
  );
  expect(notices).toHaveLength(1);
});

test("a fork goes on counting background jobs, because its model knows the ids of the old ones", async () => {
  const { all } = await project();
  const session = await all.create();
  session.append(prompt("hello"));
  await session.sync();
  await mkdir(session.path.replace(/\.jsonl$/, ""), { recursive: true });
  await writeFile(join(session.path.replace(/\.jsonl$/, ""), ".last-job"), "3\n");
  const fork = await all.fork(session.id);
  expect(await readFile(join(fork.path.replace(/\.jsonl$/, ""), ".last-job"), "utf8")).toBe("3\n");
  await Promise.all([session.close(), fork.close()]);
});
