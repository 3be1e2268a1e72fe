import { symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { TestFolder, agentIn } from "../../test/support/file-tool-calls.ts";
import type { Complaint } from "./ripgrep.ts";
import { entriesIn, filesIn, leftOut, searchNotes } from "./verify-found.ts";

const { signal } = new AbortController();

function linked(): TestFolder {
  const folder = new TestFolder();
  folder.write("a.txt", "one\ntwo\n");
  folder.write("sub/b.txt", "one\ntwo\n");
  folder.write("outside/secret.txt", "one\ntwo\n");
  symlinkSync("outside", folder.at("link"));
  symlinkSync("outside/secret.txt", folder.at("link.txt"));
  return folder;
}

test("class 9: names that a search reached through a link are not shown", async () => {
  const folder = linked();
  const names = [
    "sub/b.txt",
    "link/secret.txt",
    "link.txt",
    "a.txt",
    "sub",
    "sub/missing.txt",
    "sub/b\uFFFD.txt",
  ];
  expect(await filesIn(folder.path, names)).toEqual(["sub/b.txt", "a.txt"]);
});

test("class 9: lines that are not in the file of that name are not shown", async () => {
  const folder = linked();
  const entries = [
    { path: "a.txt", entry: { line: 1, text: "1:one" } },
    { path: "a.txt", entry: { line: 2, text: "2-secret" } },
    { path: "a.txt", entry: { line: 3, text: "3:" } },
    { path: "sub/b.txt", entry: { line: 0, text: ": (binary file matches)" } },
    { path: "sub/b.txt", entry: { line: 2, text: "2:two" } },
    { path: "link/secret.txt", entry: { line: 1, text: "1:one" } },
    { path: "link.txt", entry: { line: 0, text: ": (binary file matches)" } },
  ];
  const verified = await entriesIn(folder.path, entries, signal);
  expect(verified).toEqual([entries[0], entries[3], entries[4]]);
});

test("class 9: an error of the search names no file that is denied or was reached through a link", async () => {
  const folder = linked();
  const denied = (path: string): Complaint => ({
    type: "unreadable",
    path,
    words: `${path}: Permission denied (os error 13)`,
  });
  const limit = (path: string): Complaint => ({ type: "other", path, words: `${path}: match limit` });
  const notes = (...complaints: Complaint[]): Promise<string[]> =>
    searchNotes({ code: 2, complaints, invalid: undefined }, folder.path, {
      has: (name) => name !== "a.txt",
    });
  expect(await notes(denied("link/secret.txt"), denied("sub/b.txt"), denied("a.txt"))).toEqual([
    "3 files or folders could not be read: sub/b.txt: Permission denied (os error 13)",
  ]);
  expect(await notes(denied("link/secret.txt"))).toEqual(["1 file or folder could not be read"]);
  expect(await notes(limit("link/secret.txt"), limit("a.txt"))).toEqual([]);
  await expect(notes(limit("sub/b.txt"))).rejects.toThrow(/^sub\/b\.txt: match limit$/);
});

test("class 9: an invalid ignore file is not quoted and does not fail a search", async () => {
  const folder = new TestFolder();
  folder.write(".gitignore", "[z-a]secret\n");
  folder.write("sub/.ignore", "[z-a]secret\n");
  folder.write("sub/deep/a.txt", "x\n");
  const call = agentIn(folder.path);
  for (const path of [".", "sub", "sub/deep"]) {
    expect((await call("Grep", { pattern: "x", path })).text).toBe("sub/deep/a.txt");
    expect((await call("Glob", { pattern: "*.txt", path })).text).toBe("sub/deep/a.txt");
  }
  expect((await call("Grep", { pattern: "(", path: "sub/deep" })).text).toMatch(
    /^Error: regex [^]*error: unclosed group\n/,
  );
});

test("the note on what is left out says why and what to do", () => {
  expect([leftOut(0), leftOut(1)]).toEqual([
    [],
    [
      "1 result is left out: the files changed or moved during the search, or their names are not UTF-8. Search again.",
    ],
  ]);
});

test("lines of every form that ripgrep prints are recognised", async () => {
  const folder = new TestFolder();
  const long = `find ${"ä".repeat(600)}`;
  folder.write("bom.txt", "\uFEFFfind me\nno\n");
  folder.write("crlf.txt", "a\r\nfind me\r\nb\r\n");
  folder.write("end.txt", "a\nfind me");
  folder.write("invalid.txt", Buffer.from("find \xe4\xf6 \xff\n", "latin1"));
  folder.write("long.txt", `${long} find\n${long}\n`);
  folder.write("marked.txt", "find [... omitted end of long line]\n");
  folder.write("utf-16be.txt", Buffer.from("\uFEFFa\nfind ü\n", "utf16le").swap16());
  folder.write("utf-16le.txt", Buffer.from("\uFEFFa\nfind ü\n", "utf16le"));
  folder.write("zlarge.txt", `${"x".repeat(99)}\n`.repeat(20_000) + "find me\n");
  const { text } = await agentIn(folder.path)("Grep", { pattern: "find", output_mode: "content" });
  const cut = `find ${"ä".repeat(495)}`;
  expect(text.split("\n")).toEqual([
    "bom.txt:1:find me",
    "crlf.txt:2:find me",
    "end.txt:2:find me",
    "invalid.txt:1:find \uFFFD\uFFFD \uFFFD",
    `long.txt:1:${cut} [... omitted end of long line]`,
    `long.txt:2:${cut} [... omitted end of long line]`,
    "marked.txt:1:find [... omitted end of long line]",
    "utf-16be.txt:2:find ü",
    "utf-16le.txt:2:find ü",
    "zlarge.txt:20001:find me",
  ]);
});

test("context lines and matches over several lines are recognised", async () => {
  const folder = new TestFolder();
  folder.write("a.txt", "0\n1\nstart\nend\n4\n\n6\n");
  const call = agentIn(folder.path);
  const input = { pattern: "start.end", multiline: true, output_mode: "content", "-C": 2 };
  expect((await call("Grep", input)).text).toBe(
    "a.txt-1-0\na.txt-2-1\na.txt:3:start\na.txt:4:end\na.txt-5-4\na.txt-6-",
  );
});
