import { execFileSync } from "node:child_process";
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeSync,
} from "node:fs";
import { createServer } from "node:net";
import { StreamingToolExecutor } from "@runahead/engine";
import { expect, test } from "vitest";
import { TestFolder, agentIn } from "../../test/support/file-tool-calls.ts";
import { fileTools } from "./file-tools.ts";

test("text is returned with line numbers, and the last newline does not start a line", async () => {
  const folder = new TestFolder();
  folder.write("a.txt", "one\n\n  three\n");
  const { text, isError, output } = await agentIn(folder.path)("Read", { file_path: "a.txt" });
  expect([text, isError]).toEqual(["     1\tone\n     2\t\n     3\t  three", false]);
  expect(output).toEqual({
    path: folder.at("a.txt"),
    type: "text",
    firstLine: 1,
    lines: ["one", "", "  three"],
    totalLines: 3,
    notes: [],
  });
});

test("a page says how much is left and how to continue", async () => {
  const folder = new TestFolder();
  folder.write("a.txt", Array.from({ length: 10 }, (_, at) => `line ${at + 1}`).join("\n"));
  const call = agentIn(folder.path);
  expect((await call("Read", { file_path: folder.at("a.txt"), offset: 3, limit: 2 })).text).toBe(
    "     3\tline 3\n     4\tline 4\n\n[6 more of 10 lines. Continue with offset 5.]",
  );
  expect((await call("Read", { file_path: "a.txt", offset: 9 })).text).toBe(
    "     9\tline 9\n    10\tline 10",
  );
  expect((await call("Read", { file_path: "a.txt", offset: 11 })).text).toBe(
    "[a.txt has only 10 lines; offset 11 is past the end.]",
  );
});

test("2,000 lines are a page by default, and 80,000 bytes are one in any case", async () => {
  const folder = new TestFolder();
  folder.write("short.txt", "x\n".repeat(2_500));
  folder.write("long.txt", `${"y".repeat(999)}\n`.repeat(500));
  const call = agentIn(folder.path);
  expect((await call("Read", { file_path: "short.txt" })).text).toMatch(
    /\n {2}2000\tx\n\n\[500 more of 2500 lines\. Continue with offset 2001\.\]$/,
  );
  expect((await call("Read", { file_path: "long.txt", offset: 1 })).text).toMatch(
    /\n {4}81\ty+\n\n\[419 more of 500 lines\. Continue with offset 82\.\]$/,
  );
  folder.write("wide.txt", `${"語".repeat(333)}\n`.repeat(200));
  expect((await call("Read", { file_path: "wide.txt" })).text).toMatch(/\[119 more of 200 lines\./);
});

test("a text file above 256 KB is read only with an offset or a limit, and does not count as read without", async () => {
  const folder = new TestFolder();
  folder.write("a.txt", "0123456789abcde\n".repeat(16_384));
  folder.write("b.txt", `${"0123456789abcde\n".repeat(16_384)}x`);
  const call = agentIn(folder.path);
  expect((await call("Read", { file_path: "a.txt" })).isError).toBe(false);
  expect((await call("Read", { file_path: "b.txt" })).text).toBe(
    "Error: b.txt was not read: it has 262,145 bytes and 16,385 lines, and one call returns about 25,000 tokens. " +
      "Find the place with Grep, then read that part with offset and limit.",
  );
  const edit = { file_path: "b.txt", old_string: "ex", new_string: "e" };
  expect((await call("Edit", edit)).text).toMatch(/has not been read yet/);
  for (const part of [{ offset: 16_000 }, { limit: 10 }])
    expect((await call("Read", { file_path: "b.txt", ...part })).isError).toBe(false);
});

test("long lines are cut, with a note", async () => {
  const folder = new TestFolder();
  folder.write("a.txt", `${"x".repeat(2_001)}\n${"😀".repeat(3_000)}\n${"z".repeat(2_000)}\n`);
  const { output, text } = await agentIn(folder.path)("Read", { file_path: "a.txt" });
  expect((output as { lines: string[] }).lines).toEqual([
    `${"x".repeat(2_000)}… [line cut here]`,
    `${"😀".repeat(1_000)}… [line cut here]`,
    "z".repeat(2_000),
  ]);
  expect(text).toMatch(
    /\[2 lines are longer than 2000 characters and cut\. Use Grep to find text in the rest\.\]$/,
  );
});

test("an empty file, a directory and a missing file get a clear message", async () => {
  const folder = new TestFolder();
  folder.write("empty.txt", "");
  folder.write("src/config.json", "{}");
  folder.write("src/other.ts", "");
  const call = agentIn(folder.path);
  expect(await call("Read", { file_path: "empty.txt" })).toMatchObject({
    text: "[empty.txt is empty.]",
    isError: false,
  });
  expect(await call("Read", { file_path: "src" })).toMatchObject({
    text: `Error: ${folder.at("src")} is a directory. List its files with Glob: pattern "*", path "${folder.at("src")}".`,
    isError: true,
  });
  expect((await call("Read", { file_path: "src/confg.json" })).text).toBe(
    `Error: src/confg.json does not exist (looked for ${folder.at("src/confg.json")}). Did you mean src/config.json?`,
  );
  expect((await call("Read", { file_path: "nowhere/at/all" })).text).toBe(
    `Error: nowhere/at/all does not exist (looked for ${folder.at("nowhere/at/all")}). The directory ${folder.at("nowhere/at")} does not exist either.`,
  );
});

test("E10: a stored result that was deleted gives a clear error", async () => {
  const folder = new TestFolder();
  const path = folder.write("results/1-call.txt", "large");
  rmSync(path);
  expect(await agentIn(folder.path)("Read", { file_path: path })).toMatchObject({
    text: `Error: ${path} does not exist.`,
    isError: true,
  });
});

test("binary files are recognised", async () => {
  const folder = new TestFolder();
  folder.write("program", Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2]));
  expect((await agentIn(folder.path)("Read", { file_path: "program" })).text).toBe(
    "Error: program was not read: it is a binary file (7 bytes).",
  );
});

test("byte order marks are not part of the text, UTF-16 is decoded, invalid bytes are replaced and reported", async () => {
  const folder = new TestFolder();
  const utf16 = Buffer.from("\uFEFFgrün\r\nzwei", "utf16le");
  folder.write("bom.txt", "\uFEFFgrün\n");
  folder.write("le.txt", utf16);
  folder.write("be.txt", Buffer.from(utf16).swap16());
  folder.write("latin1.txt", Buffer.from("gr\xfcn\nzwei\n", "latin1"));
  folder.write("nul.txt", `${"x".repeat(9_000)}\na\0b\n`);
  const call = agentIn(folder.path);
  expect((await call("Read", { file_path: "bom.txt" })).text).toBe("     1\tgrün");
  expect((await call("Read", { file_path: "le.txt" })).text).toBe("     1\tgrün\n     2\tzwei");
  expect((await call("Read", { file_path: "be.txt" })).text).toBe("     1\tgrün\n     2\tzwei");
  expect((await call("Read", { file_path: "latin1.txt" })).text).toBe(
    "     1\tgr\uFFFDn\n     2\tzwei\n\n[Bytes that are not valid UTF-8 are shown as \uFFFD.]",
  );
  expect((await call("Read", { file_path: "nul.txt", offset: 2 })).text).toBe(
    "     2\ta␀b\n\n[NUL bytes are shown as ␀.]",
  );
});

test("C19: pipes, devices and sockets are refused at once", async () => {
  const folder = new TestFolder();
  execFileSync("mkfifo", [folder.at("pipe")]);
  symlinkSync("pipe", folder.at("link-to-pipe"));
  const server = createServer().listen(folder.at("socket"));
  const call = agentIn(folder.path);
  const refusal = (path: string, kind: string) =>
    `Error: ${path} is ${kind}, not a regular file: reading or writing it might never end.`;
  expect((await call("Read", { file_path: "pipe" })).text).toBe(refusal(folder.at("pipe"), "a named pipe"));
  expect((await call("Read", { file_path: "link-to-pipe" })).text).toBe(
    refusal(folder.at("pipe"), "a named pipe"),
  );
  expect((await call("Read", { file_path: "socket" })).text).toBe(refusal(folder.at("socket"), "a socket"));
  for (const device of ["/dev/zero", "/dev/random", "/dev/tty"])
    expect((await call("Read", { file_path: device })).text).toBe(refusal(device, "a device"));
  server.close();
});

test("C19: files in /proc are read, and one that never ends does not hang", async () => {
  const call = agentIn("/");
  expect((await call("Read", { file_path: "/proc/version" })).text).toMatch(/^ {5}1\tLinux version/);
  const { isError, text } = await call("Read", { file_path: "/proc/kmsg", limit: 1 });
  expect(isError || text.startsWith("     1\t")).toBe(true);
});

test("C19: a file of 10 GB is read in parts with flat memory", async () => {
  const folder = new TestFolder();
  const file = openSync(folder.at("huge.log"), "w");
  writeSync(file, "first\n".repeat(3_000));
  writeSync(file, "\nmark\n", 1_500_000_000);
  ftruncateSync(file, 10_000_000_000);
  closeSync(file);
  const call = agentIn(folder.path);
  const before = process.memoryUsage().rss;
  expect((await call("Read", { file_path: "huge.log", offset: 1 })).text).toMatch(
    /\n {2}2000\tfirst\n\n\[The file continues \(10000000000 bytes in total\)\. Continue with offset 2001\.\]$/,
  );
  expect((await call("Read", { file_path: "huge.log", offset: 2_999, limit: 2 })).text).toBe(
    "  2999\tfirst\n  3000\tfirst\n\n[The file continues (10000000000 bytes in total). Continue with offset 3001.]",
  );
  // Line 3,001 is a hole of 1.5 GB: one call does not get past it, and the next continues where that one stopped.
  const mark = { file_path: "huge.log", offset: 3_002, limit: 1 };
  expect((await call("Read", mark)).text).toBe(
    "[Line 3002 was not reached: one call scans 1073741824 bytes, and this one got to line 3001. " +
      "Call again with the same offset to continue the scan.]",
  );
  expect((await call("Read", mark)).text).toBe(
    "  3002\tmark\n\n[The file continues (10000000000 bytes in total). Continue with offset 3003.]",
  );
  expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
});

test("C19: one line of gigabytes is shown by its beginning", async () => {
  const folder = new TestFolder();
  const file = openSync(folder.at("line.json"), "w");
  writeSync(file, "x".repeat(10_000));
  ftruncateSync(file, 3_000_000_000);
  closeSync(file);
  const { text } = await agentIn(folder.path)("Read", { file_path: "line.json", limit: 5 });
  expect(text).toBe(
    `     1\t${"x".repeat(2_000)}… [line cut here]\n\n[The file continues (3000000000 bytes in total). Continue with offset 2.]\n` +
      "[1 line is longer than 2000 characters and cut. Use Grep to find text in the rest.]",
  );
});

test("a long scan stops when the call is aborted", async () => {
  const folder = new TestFolder();
  const file = openSync(folder.at("huge.log"), "w");
  writeSync(file, "text\n".repeat(2_000));
  ftruncateSync(file, 8_000_000_000);
  closeSync(file);
  const stop = new AbortController();
  const answer = agentIn(folder.path)("Read", { file_path: "huge.log", offset: 9_999 }, stop.signal);
  setTimeout(() => stop.abort(), 20);
  expect((await answer).isError).toBe(true);
});

test("C18: a link that is swapped in after the call was judged is not followed", async () => {
  const folder = new TestFolder();
  folder.write("secret/key.txt", "secret");
  folder.write("work/key.txt", "harmless");
  mkdirSync(folder.at("elsewhere"));
  const executor = new StreamingToolExecutor({
    tools: fileTools(),
    context: { cwd: folder.path },
    canUseTool: async () => {
      renameSync(folder.at("work"), folder.at("moved"));
      symlinkSync("secret", folder.at("work"));
      return { behavior: "allow" };
    },
  });
  executor.add({ id: "1", name: "Read", input: { file_path: "work/key.txt" } });
  const results = [];
  for await (const update of executor.remaining()) if (update.type === "result") results.push(update.result);
  expect(results).toEqual([
    {
      type: "tool_result",
      tool_use_id: "1",
      is_error: true,
      content:
        `Error: work/key.txt now resolves to ${folder.at("secret/key.txt")}, but permission was checked for ` +
        `${folder.at("work/key.txt")}: a symbolic link on the path changed. Nothing was done. Call again if you still want this.`,
    },
  ]);
});

test("paths: home is known, other homes and NUL are refused", async () => {
  const call = agentIn("/");
  expect((await call("Read", { file_path: "~root/x" })).text).toBe(
    "Error: ~root/x refers to another user's home directory. Pass an absolute path.",
  );
  expect((await call("Read", { file_path: "a\0b" })).text).toBe(
    "Error: A path cannot contain a NUL character.",
  );
  expect((await call("Read", { file_path: "~/no-such-file-of-runahead" })).text).toMatch(
    /^Error: ~\/no-such-file-of-runahead does not exist/,
  );
});

test("Read claims its file, the working directory for a relative path, and the folder only of what is missing", () => {
  const folder = new TestFolder();
  folder.write("a.txt", "");
  const tool = fileTools().find(({ name }) => name === "Read");
  expect(tool?.access?.({ file_path: "a.txt" }, { cwd: folder.path })).toEqual([
    { mode: "read", place: `fs:${folder.at("a.txt")}` },
    { mode: "read", place: "context:/cwd" },
  ]);
  expect(tool?.access?.({ file_path: folder.at("b.txt") }, { cwd: "/" })).toEqual([
    { mode: "read", place: `fs:${folder.at("b.txt")}` },
    { mode: "read", place: `fs:${folder.path}` },
  ]);
});
