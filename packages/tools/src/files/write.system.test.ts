import { type ChildProcess, spawn } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { StreamingToolExecutor } from "@runahead/engine";
import { expect, test } from "vitest";
import { TestFolder, agentIn } from "../../test/support/file-tool-calls.ts";
import { fileTools } from "./file-tools.ts";
import { replaceFile } from "./replace-file.ts";

const signal = new AbortController().signal;

test("a new file is made with its directories", async () => {
  const folder = new TestFolder();
  const { text, isError, output } = await agentIn(folder.path)("Write", {
    file_path: "a/b/c.txt",
    content: "one\ntwo\n",
  });
  expect([text, isError]).toEqual([`Created ${folder.at("a/b/c.txt")}: 8 bytes.`, false]);
  expect(output).toEqual({
    type: "created",
    path: folder.at("a/b/c.txt"),
    bytes: 8,
    diff: {
      type: "hunks",
      hunks: [{ oldStart: 1, oldLines: 0, newStart: 1, newLines: 2, lines: ["+one", "+two"] }],
      added: 2,
      removed: 0,
    },
  });
  expect(readFileSync(folder.at("a/b/c.txt"), "utf8")).toBe("one\ntwo\n");
  expect(readdirSync(folder.at("a/b"))).toEqual(["c.txt"]);
});

test("a file that exists must have been read; then it is replaced, with its mode, and the result carries a diff", async () => {
  const folder = new TestFolder();
  folder.write("run.sh", "one\ntwo\nthree\n");
  chmodSync(folder.at("run.sh"), 0o754);
  const call = agentIn(folder.path);
  const input = { file_path: "run.sh", content: "one\n2\nthree\n" };
  expect(await call("Write", input)).toMatchObject({
    text: `Error: ${folder.at("run.sh")} has not been read yet. Read it first.`,
    isError: true,
  });
  await call("Read", { file_path: "run.sh" });
  const { text, output } = await call("Write", input);
  expect(text).toBe(`Wrote ${folder.at("run.sh")}: 12 bytes (+1 −1 lines).`);
  expect(output).toMatchObject({
    type: "replaced",
    diff: { hunks: [{ lines: [" one", "-two", "+2", " three"] }], added: 1, removed: 1 },
  });
  expect([readFileSync(folder.at("run.sh"), "utf8"), statSync(folder.at("run.sh")).mode & 0o7777]).toEqual([
    "one\n2\nthree\n",
    0o754,
  ]);
});

test("C17: a file that changed since it was read is not overwritten", async () => {
  const folder = new TestFolder();
  folder.write("a.txt", "one");
  const call = agentIn(folder.path);
  await call("Read", { file_path: "a.txt" });
  folder.write("a.txt", "two");
  expect((await call("Write", { file_path: "a.txt", content: "three" })).text).toBe(
    `Error: ${folder.at("a.txt")} changed since you read it (the user, a formatter or another program). ` +
      "Read it again before you change it.",
  );
  expect(readFileSync(folder.at("a.txt"), "utf8")).toBe("two");
});

test("a link that was there before is followed, and stays a link", async () => {
  const folder = new TestFolder();
  folder.write("real/a.txt", "one");
  symlinkSync("real/a.txt", folder.at("link.txt"));
  symlinkSync("real/new.txt", folder.at("to-nowhere.txt"));
  const call = agentIn(folder.path);
  await call("Read", { file_path: "link.txt" });
  await call("Write", { file_path: "link.txt", content: "two" });
  await call("Write", { file_path: "to-nowhere.txt", content: "new" });
  expect(lstatSync(folder.at("link.txt")).isSymbolicLink()).toBe(true);
  expect(readFileSync(folder.at("real/a.txt"), "utf8")).toBe("two");
  expect(readFileSync(folder.at("real/new.txt"), "utf8")).toBe("new");
});

test.each(["the file", "its directory"])(
  "C18: %s that becomes a link between check and write is not written through",
  async (what) => {
    const folder = new TestFolder();
    folder.write("outside/a.txt", "precious");
    folder.write("work/keep.txt", "");
    const swap = (): void => {
      if (what === "the file") return symlinkSync("../outside/a.txt", folder.at("work/a.txt"));
      renameSync(folder.at("work"), folder.at("moved"));
      symlinkSync("outside", folder.at("work"));
    };
    const executor = new StreamingToolExecutor({
      tools: fileTools(),
      context: { cwd: folder.path },
      canUseTool: async () => {
        swap();
        return { behavior: "allow" };
      },
    });
    executor.add({ id: "1", name: "Write", input: { file_path: "work/a.txt", content: "overwritten" } });
    const results = [];
    for await (const update of executor.remaining())
      if (update.type === "result") results.push(update.result);
    expect(results).toMatchObject([
      {
        is_error: true,
        content: expect.stringMatching(
          /^Error: work\/a\.txt now resolves to .*outside\/a\.txt, but permission was checked for /,
        ),
      },
    ]);
    expect(readFileSync(folder.at("outside/a.txt"), "utf8")).toBe("precious");
    expect(readdirSync(folder.at("outside"))).toEqual(["a.txt"]);
  },
);

test("C18, class 9: a directory or file that is swapped in the last moment is noticed by the writer itself", async () => {
  const folder = new TestFolder();
  folder.write("outside/a.txt", "precious");
  symlinkSync("outside", folder.at("work"));
  const replacement = { bytes: Buffer.from("new"), before: undefined, signal };
  await expect(replaceFile({ ...replacement, path: folder.at("work/b.txt") })).rejects.toThrow(
    `${folder.at("work")} moved while it was being opened, so nothing was written. Try again.`,
  );
  mkdirSync(folder.at("elsewhere/deeper"), { recursive: true });
  symlinkSync("elsewhere", folder.at("higher"));
  await expect(replaceFile({ ...replacement, path: folder.at("higher/deeper/b.txt") })).rejects.toThrow(
    `${folder.at("higher/deeper")} moved while it was being opened, so nothing was written. Try again.`,
  );
  expect(readdirSync(folder.at("elsewhere/deeper"))).toEqual([]);
  mkdirSync(folder.at("plain"));
  symlinkSync("../outside/a.txt", folder.at("plain/a.txt"));
  await expect(replaceFile({ ...replacement, path: folder.at("plain/a.txt") })).rejects.toThrow(
    "another program modified it at the same moment",
  );
  expect([readFileSync(folder.at("outside/a.txt"), "utf8"), readdirSync(folder.at("outside"))]).toEqual([
    "precious",
    ["a.txt"],
  ]);
});

test("directories, pipes and paths through files get a clear error", async () => {
  const folder = new TestFolder();
  folder.write("a.txt", "");
  mkdirSync(folder.at("sub"));
  const call = agentIn(folder.path);
  expect((await call("Write", { file_path: "sub", content: "" })).text).toMatch(
    /^Error: .*\/sub is a directory\./,
  );
  expect((await call("Write", { file_path: "a.txt/b", content: "" })).text).toBe(
    `Error: Cannot read ${folder.at("a.txt/b")}: a part of its path is not a directory (ENOTDIR).`,
  );
  expect((await call("Write", { file_path: "x".repeat(300), content: "" })).text).toMatch(
    /its name is too long \(ENAMETOOLONG\)\.$/,
  );
});

test("a write that is stopped leaves the old file and no other", async () => {
  const folder = new TestFolder();
  const path = folder.write("a.txt", "old");
  const before = statSync(path);
  const stop = new AbortController();
  const replacing = replaceFile({ path, bytes: Buffer.alloc(50_000_000), before, signal: stop.signal });
  stop.abort(new Error("stopped"));
  await expect(replacing).rejects.toThrow("stopped");
  expect([readdirSync(folder.path), readFileSync(path, "utf8")]).toEqual([["a.txt"], "old"]);
});

test("G06: of two simultaneous writers of a new file, one gets an error and nothing is lost", async () => {
  const folder = new TestFolder();
  const one = agentIn(folder.path);
  const other = agentIn(folder.path);
  const answers = await Promise.all([
    one("Write", { file_path: "a.txt", content: "one" }),
    other("Write", { file_path: "a.txt", content: "other" }),
  ]);
  const [winner] = answers.flatMap(({ isError }, at) => (isError ? [] : [at]));
  expect(answers.filter(({ isError }) => isError).length).toBe(1);
  expect(readFileSync(folder.at("a.txt"), "utf8")).toBe(winner === 0 ? "one" : "other");
});

const WRITER = `
import { statSync } from "node:fs";
import { replaceFile } from ${JSON.stringify(new URL("./replace-file.ts", import.meta.url).href)};
const path = process.argv[2];
const signal = new AbortController().signal;
for (let round = 0; ; round++) {
  const bytes = Buffer.alloc(400_000, round % 2 === 0 ? "a" : "b");
  await replaceFile({ path, bytes, before: statSync(path), signal });
  if (round === 0) process.send("begun");
}
`;

test("E06: a writer that is killed at any moment leaves the old or the new content, never half", async () => {
  const folder = new TestFolder();
  const path = folder.write("a.txt", "a".repeat(400_000));
  const script = folder.write("writer.mts", WRITER);
  const tsx = fileURLToPath(import.meta.resolve("tsx"));
  for (let kill = 0; kill < 6; kill++) {
    const child: ChildProcess = spawn(process.execPath, ["--import", tsx, script, path], {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const ended = new Promise((done) => child.once("exit", done));
    await new Promise((done) => child.once("message", done));
    await sleep(kill * 7);
    child.kill("SIGKILL");
    await ended;
    const content = readFileSync(path, "utf8");
    expect([content.length, new Set(content).size]).toEqual([400_000, 1]);
  }
});

test("many new files in one folder are written in parallel", () => {
  const folder = new TestFolder();
  const tool = fileTools().find(({ name }) => name === "Write");
  expect(tool?.access?.({ file_path: "a.txt", content: "" }, { cwd: folder.path })).toEqual([
    { mode: "write", place: `fs:${folder.at("a.txt")}` },
    { mode: "read", place: "context:/cwd" },
  ]);
});

test("the content is written as it is given", async () => {
  const folder = new TestFolder();
  await agentIn(folder.path)("Write", { file_path: "a.txt", content: "\uFEFFgrün\r\n\0" });
  expect(readFileSync(folder.at("a.txt"))).toEqual(Buffer.from("\uFEFFgrün\r\n\0", "utf8"));
});
