import { chmodSync, closeSync, openSync, readdirSync, readlinkSync, writeFileSync, writeSync } from "node:fs";
import { StreamingToolExecutor, runTools } from "@runahead/engine";
import { expect, test } from "vitest";
import { TestFolder, agentIn } from "../../test/support/file-tool-calls.ts";
import { createFileMemory } from "../files/file-memory.ts";
import { fileTools } from "../files/file-tools.ts";

function tree(files: Record<string, string>): TestFolder {
  const folder = new TestFolder();
  for (const [name, content] of Object.entries(files)) folder.write(name, content);
  return folder;
}

const FILES = {
  "src/b.ts": "one\nTwo\nthree\nfour\nfive\ntwo\n",
  "src/a.ts": "two\n",
  "readme.md": "nothing\n",
  "src/c.js": "two two\ntwo\n",
};

test("the default output is the sorted names of matching files", async () => {
  const folder = tree(FILES);
  const { text, output } = await agentIn(folder.path)("Grep", { pattern: "two" });
  expect(text).toBe("src/a.ts\nsrc/b.ts\nsrc/c.js");
  expect(output).toEqual({
    mode: "files_with_matches",
    lines: { texts: ["src/a.ts", "src/b.ts", "src/c.js"], count: 3 },
    total: 3,
    isExact: true,
    offset: 0,
    unit: "files",
    notes: [],
  });
});

test("lines have their file and number, or no number; counts count lines", async () => {
  const call = agentIn(tree(FILES).path);
  const content = { pattern: "two", output_mode: "content" };
  expect((await call("Grep", content)).text).toBe(
    "src/a.ts:1:two\nsrc/b.ts:6:two\nsrc/c.js:1:two two\nsrc/c.js:2:two",
  );
  expect((await call("Grep", { ...content, "-n": false, path: "src/b.ts" })).text).toBe("src/b.ts:two");
  expect((await call("Grep", { ...content, "-i": true, path: "src/b.ts" })).text).toBe(
    "src/b.ts:2:Two\nsrc/b.ts:6:two",
  );
  expect((await call("Grep", { pattern: "two", output_mode: "count" })).text).toBe(
    "src/a.ts:1\nsrc/b.ts:1\nsrc/c.js:2",
  );
});

test("lines around a match are shown, and what is apart is separated", async () => {
  const call = agentIn(tree(FILES).path);
  const content = { pattern: "[Tt]wo$", output_mode: "content", glob: "*.ts" };
  expect((await call("Grep", { ...content, "-C": 1 })).text.split("\n")).toEqual([
    "src/a.ts:1:two",
    "--",
    "src/b.ts-1-one",
    "src/b.ts:2:Two",
    "src/b.ts-3-three",
    "--",
    "src/b.ts-5-five",
    "src/b.ts:6:two",
  ]);
  expect(
    (await call("Grep", { ...content, path: "src/b.ts", "-A": 2, "-n": false })).text.split("\n"),
  ).toEqual(["src/b.ts:Two", "src/b.ts-three", "src/b.ts-four", "--", "src/b.ts:two"]);
});

test("head_limit and offset page through the output and say how much more there is", async () => {
  const folder = tree({ "a.txt": "x\n".repeat(300), "b.txt": "x\n" });
  const call = agentIn(folder.path);
  const content = { pattern: "x", output_mode: "content" };
  expect((await call("Grep", content)).text).toMatch(
    /\na\.txt:250:x\n\[51 more of 301 lines\. Continue with offset 250\.\]$/,
  );
  expect((await call("Grep", { ...content, offset: 299, head_limit: 1 })).text).toBe(
    "a.txt:300:x\n[1 more of 301 lines. Continue with offset 300.]",
  );
  expect((await call("Grep", { ...content, offset: 300 })).text).toBe("b.txt:1:x");
  expect((await call("Grep", { ...content, offset: 400 })).text).toBe(
    "[Only 301 lines match, so offset 400 is past the end.]",
  );
  expect((await call("Grep", { pattern: "x", head_limit: 1 })).text).toBe(
    "a.txt\n[1 more of 2 files. Continue with offset 1.]",
  );
});

test("globs and types narrow the search, also together, and do not include ignored files", async () => {
  const folder = tree({
    ...FILES,
    "src/ignored.ts": "two\n",
    "src/sub/d.ts": "two\n",
    ".gitignore": "ignored.ts\n",
  });
  const call = agentIn(folder.path);
  expect((await call("Grep", { pattern: "two", glob: "*.ts" })).text).toBe(
    "src/a.ts\nsrc/b.ts\nsrc/sub/d.ts",
  );
  expect((await call("Grep", { pattern: "two", glob: "src/*.{ts,js}" })).text).toBe(
    "src/a.ts\nsrc/b.ts\nsrc/c.js",
  );
  expect((await call("Grep", { pattern: "two", type: "js" })).text).toBe("src/c.js");
  expect((await call("Grep", { pattern: "two", type: "ts", glob: "src/a*" })).text).toBe("src/a.ts");
  expect((await call("Grep", { pattern: "two", type: "nosuch" })).text).toBe(
    "Error: unrecognized file type: nosuch",
  );
});

test("a match may span lines if asked to", async () => {
  const call = agentIn(tree(FILES).path);
  const input = { pattern: "one.*three", output_mode: "content" };
  expect((await call("Grep", input)).text).toBe("[No matches.]");
  expect((await call("Grep", { ...input, multiline: true })).text).toBe(
    "src/b.ts:1:one\nsrc/b.ts:2:Two\nsrc/b.ts:3:three",
  );
});

test("an invalid pattern is reported with ripgrep's own message", async () => {
  const { text, isError } = await agentIn(tree(FILES).path)("Grep", { pattern: "a(b" });
  expect([isError, text]).toEqual([true, expect.stringContaining("regex parse error")]);
  expect(text).toContain("error: unclosed group");
});

test("no input is treated as an option, and no configuration file is read", async () => {
  const folder = tree({ "a.txt": "--files\n-e\n", "--pre=evil": "x\n", rc: "--ignore-case\n" });
  process.env["RIPGREP_CONFIG_PATH"] = folder.at("rc");
  const call = agentIn(folder.path);
  expect((await call("Grep", { pattern: "--files" })).text).toBe("a.txt");
  expect((await call("Grep", { pattern: "-e", glob: "--pre=evil" })).text).toBe("[No matches.]");
  expect((await call("Grep", { pattern: "x", path: "--pre=evil", output_mode: "content" })).text).toBe(
    "--pre=evil:1:x",
  );
  expect((await call("Grep", { pattern: "-E", type: "-t" })).text).toMatch(/unrecognized file type/);
  expect((await call("Grep", { pattern: "-E" })).text).toBe("[No matches.]");
  delete process.env["RIPGREP_CONFIG_PATH"];
});

test("CRLF, long lines, invalid bytes and binary files come out as readable text", async () => {
  const folder = tree({ "crlf.txt": "find me\r\n", "long.txt": `find ${"x".repeat(5_000)}\n` });
  writeFileSync(folder.at("latin1.txt"), Buffer.from("find \xfc\n", "latin1"));
  writeFileSync(folder.at("program"), Buffer.from("find\0\x01\x02\n", "latin1"));
  const call = agentIn(folder.path);
  const content = { pattern: "find", output_mode: "content" };
  expect((await call("Grep", content)).text.split("\n")).toEqual([
    "crlf.txt:1:find me",
    "latin1.txt:1:find \uFFFD",
    `long.txt:1:find ${"x".repeat(495)} [... omitted end of long line]`,
  ]);
  expect((await call("Grep", { ...content, pattern: "me$" })).text).toBe("crlf.txt:1:find me");
  expect((await call("Grep", { ...content, path: "program" })).text).toBe("program: (binary file matches)");
});

test("unreadable files are reported next to the matches", async () => {
  const folder = tree({ "a.txt": "x\n", "locked/b.txt": "x\n" });
  chmodSync(folder.at("locked"), 0);
  const isRoot = process.getuid?.() === 0;
  const { text, isError } = await agentIn(folder.path)("Grep", { pattern: "x" });
  chmodSync(folder.at("locked"), 0o755);
  const note = "\n[1 places could not be read, among them: locked: Permission denied (os error 13)]";
  expect([isError, text]).toEqual([false, isRoot ? "a.txt\nlocked/b.txt" : `a.txt${note}`]);
});

test("C13: a pattern that matches everything in a large tree stays small, sorted and the same each time", async () => {
  const folder = new TestFolder();
  const line = `${"y".repeat(79)}\n`;
  for (const name of ["c/1.txt", "b.txt", "a/2.txt", "a.txt"]) folder.write(name, line.repeat(250_000));
  const call = agentIn(folder.path);
  const before = process.memoryUsage().rss;
  const input = { pattern: "", output_mode: "content", head_limit: 2, offset: 3 };
  const first = await call("Grep", input);
  expect(first.text).toBe(
    `a/2.txt:4:${line}a/2.txt:5:${line}[Many more lines match. Continue with offset 5, or narrow the pattern or path.]`,
  );
  expect(await call("Grep", input)).toEqual(first);
  expect(process.memoryUsage().rss - before).toBeLessThan(250_000_000);
});

test("an aborted search ends, and its process with it", async () => {
  const folder = new TestFolder();
  const file = openSync(folder.at("large.txt"), "w");
  const block = "some text that does not match\n".repeat(40_000);
  for (let at = 0; at < 400; at++) writeSync(file, block);
  closeSync(file);
  const stop = new AbortController();
  const executor = new StreamingToolExecutor({
    tools: fileTools(),
    context: { cwd: folder.path },
    signal: stop.signal,
  });
  executor.add({
    id: "1",
    name: "Grep",
    input: { pattern: String.raw`(\w+) .*\1\1\1`, output_mode: "content" },
  });
  executor.end();
  setTimeout(() => stop.abort(), 100);
  const results = [];
  for await (const update of executor.remaining()) if (update.type === "result") results.push(update.result);
  expect(results).toMatchObject([{ is_error: true }]);
  expect(searchesOf(folder.path)).toEqual([]);
});

/** Processes that still run in this folder. */
function searchesOf(folder: string): string[] {
  const running = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return running.filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === folder;
    } catch {
      return false;
    }
  });
}

test("Grep claims its tree and the ignore files above it", () => {
  const grep = fileTools().find(({ name }) => name === "Grep");
  const claims = grep?.access?.({ pattern: "x" }, { cwd: "/tmp" });
  expect(claims).toEqual([
    { mode: "read", place: "fs:/tmp" },
    { mode: "read", place: "context:/cwd" },
    { mode: "read", place: "fs:/.gitignore" },
    { mode: "read", place: "fs:/.ignore" },
    { mode: "read", place: "fs:/.rgignore" },
  ]);
});

test("Grep and Glob leave out files that rules deny, with a note", async () => {
  const folder = new TestFolder();
  folder.write("a.txt", "needle\n");
  folder.write("secret.txt", "needle\n");
  const tools = fileTools(createFileMemory(), { mayShow: (path) => !path.endsWith("secret.txt") });
  const calls = [
    { id: "1", name: "Grep", input: { pattern: "needle", output_mode: "content" } },
    { id: "2", name: "Glob", input: { pattern: "*.txt" } },
  ];
  const texts: unknown[] = [];
  for await (const update of runTools(calls, { tools, context: { cwd: folder.path } }))
    if (update.type === "result") texts.push(update.result.content);
  expect(texts).toEqual([
    "a.txt:1:needle\n[1 file is left out because permission rules deny reading it.]",
    "a.txt\n[1 file is left out because permission rules deny reading it.]",
  ]);
});
