import { mkdtempSync, realpathSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { RecentFiles } from "./recent-files.ts";

type Messages = Parameters<RecentFiles["take"]>[0]["messages"];

let folder = "";
beforeEach(() => void (folder = realpathSync(mkdtempSync(join(tmpdir(), "recent-")))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const reads = (name: string, path: string, isError = false): Messages => [
  { role: "assistant", content: [{ type: "tool_use", id: path, name, input: { file_path: path } }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: path, content: "", is_error: isError }] },
];
const summary = (text = ""): Messages[number] => ({
  role: "user",
  content: [
    { type: "text", text: `[Summary of the earlier conversation. It replaces those messages. …]\n${text}` },
  ],
});
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const ask: Messages[number] = { role: "user", content: "go" };

test("after a summary the last files come again as they are now, once, without those that are still shown", async () => {
  for (const name of ["a", "b", "c", "failed"]) file(name, `content of ${name}`);
  const recent = new RecentFiles(() => true);
  const take = (messages: Messages) => recent.take({ messages, cwd: folder });
  const before = [
    ask,
    ...reads("Read", join(folder, "a")),
    ...reads("Edit", "b"),
    ...reads("Read", join(folder, "failed"), true),
  ];
  expect(await take([ask])).toBeUndefined();
  expect(await take(before)).toBeUndefined();
  const last = reads("Read", join(folder, "c"));
  expect(await take([...before, ...last])).toBeUndefined();
  file("b", "new content of b");
  const after = [summary(), ...last];
  const text = await take(after);
  expect(text).toContain(`<file path="${folder}/a">\ncontent of a\n</file>`);
  expect(text).toContain("new content of b");
  expect(text).not.toContain("content of c");
  expect(text).not.toContain("failed");
  expect(await take([...after, ask])).toBeUndefined();
  expect(await take([summary("another"), ask])).toContain("content of a");
});

test("a conversation that is resumed with a summary does not get them again", async () => {
  const recent = new RecentFiles(() => true);
  const messages = [summary(), ...reads("Read", file("a", "content"))];
  expect(await recent.take({ messages, cwd: folder })).toBeUndefined();
  expect(await recent.take({ messages: [...messages, ask], cwd: folder })).toBeUndefined();
});

test("a file that cannot be read without a question, a link to one, a large and a binary file are left out", async () => {
  const secret = file("secret", "SECRET");
  const recent = new RecentFiles((path) => path !== secret);
  const paths = [file("link", ""), secret, file("large", "x".repeat(30_000)), file("binary", "\0\u0001")];
  const before = [ask, ...paths.flatMap((path) => reads("Read", path))];
  await recent.take({ messages: before, cwd: folder });
  unlinkSync(join(folder, "link"));
  symlinkSync(secret, join(folder, "link"));
  expect(await recent.take({ messages: [summary()], cwd: folder })).toBeUndefined();
});
