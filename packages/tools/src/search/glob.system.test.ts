import { mkdirSync, symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { TestFolder, agentIn } from "../../test/support/file-tool-calls.ts";
import { globPattern } from "./glob-pattern.ts";

function tree(...names: string[]): TestFolder {
  const folder = new TestFolder();
  for (const name of names) folder.write(name, "text\n");
  return folder;
}

test("files are sorted by path", async () => {
  const folder = tree("b.ts", "a/z.ts", "a.ts", "a/b/c.ts", "a/B.ts", "other.js");
  const { text, output } = await agentIn(folder.path)("Glob", { pattern: "**/*.ts" });
  expect(text).toBe("a.ts\na/B.ts\na/b/c.ts\na/z.ts\nb.ts");
  expect(output).toEqual({ files: text.split("\n"), total: 5, notes: [] });
});

test("names are relative if the path was relative, and absolute otherwise", async () => {
  const folder = tree("src/a.ts", "src/sub/b.ts");
  const call = agentIn(folder.path);
  expect((await call("Glob", { pattern: "*.ts", path: "src" })).text).toBe("src/a.ts\nsrc/sub/b.ts");
  expect((await call("Glob", { pattern: "*.ts", path: "./src/" })).text).toBe("src/a.ts\nsrc/sub/b.ts");
  expect((await call("Glob", { pattern: "sub/*", path: folder.at("src") })).text).toBe(
    folder.at("src/sub/b.ts"),
  );
});

test("ignored files are left out; hidden files are shown, except those of version control", async () => {
  const folder = tree(
    "a.log",
    "keep.log",
    "dist/x.js",
    ".env",
    ".github/w.yml",
    ".git/config",
    "sub/.gitignore",
    "sub/b.log",
    "sub/c.txt",
  );
  folder.write(".gitignore", "*.log\n!keep.log\ndist/\n");
  folder.write("sub/.gitignore", "c.txt\n");
  const call = agentIn(folder.path);
  expect((await call("Glob", { pattern: "**" })).text.split("\n")).toEqual([
    ".env",
    ".github/w.yml",
    ".gitignore",
    "keep.log",
    "sub/.gitignore",
  ]);
  expect((await call("Glob", { pattern: "*.log" })).text).toBe("keep.log");
  expect((await call("Glob", { pattern: "*.txt", path: "sub" })).text).toBe(
    "[No files match.]\n[sub/c.txt matches, but .gitignore excludes it.]",
  );
  expect((await call("Glob", { pattern: "*.log", path: folder.at("sub") })).text).toBe(
    `[No files match.]\n[${folder.at("sub/b.log")} matches, but .gitignore excludes it.]`,
  );
});

test("links are not followed, and no pattern is taken for an option", async () => {
  const folder = tree("real/a.ts", "--version", "-e");
  symlinkSync("real", folder.at("link"));
  const call = agentIn(folder.path);
  expect((await call("Glob", { pattern: "**/*.ts" })).text).toBe("real/a.ts");
  expect((await call("Glob", { pattern: "--version" })).text).toBe("--version");
  expect((await call("Glob", { pattern: "-e" })).text).toBe("-e");
  expect((await call("Glob", { pattern: "!real/*" })).text).toBe("[No files match.]");
});

test("the same first 500 files are shown, and the rest is counted", async () => {
  const folder = new TestFolder();
  for (let at = 0; at < 1_700; at++) folder.write(`d${at % 7}/f${String(at).padStart(4, "0")}.txt`, "");
  const call = agentIn(folder.path);
  const first = await call("Glob", { pattern: "*.txt" });
  const lines = first.text.split("\n");
  expect([lines.length, lines[0], lines[499], lines[500]]).toEqual([
    501,
    "d0/f0000.txt",
    "d2/f0093.txt",
    "[1200 more of 1700 files. Narrow the pattern or path to see them.]",
  ]);
  for (let round = 0; round < 3; round++) expect(await call("Glob", { pattern: "*.txt" })).toEqual(first);
});

test("a file, a missing directory and patterns that leave the tree get a clear error", async () => {
  const folder = tree("src/a.ts");
  mkdirSync(folder.at("empty"));
  const call = agentIn(folder.path);
  const texts = [];
  for (const input of [
    { pattern: "*", path: "src/a.ts" },
    { pattern: "*", path: "scr" },
    { pattern: "/etc/*" },
    { pattern: "src/../../*" },
    { pattern: "{a,b" },
    { pattern: "*", path: "empty" },
  ])
    texts.push((await call("Glob", input)).text);
  expect(texts).toEqual([
    "Error: path must be a directory, and src/a.ts is a file. Use Read to read it.",
    `Error: scr does not exist (looked for ${folder.at("scr")}).`,
    "Error: The pattern /etc/* leaves the searched directory. Pass that directory as path and a pattern relative to it.",
    "Error: The pattern src/../../* leaves the searched directory. Pass that directory as path and a pattern relative to it.",
    "Error: {a,b is not a valid glob pattern: check its brackets and braces.",
    "[No files match.]",
  ]);
});

test.each([
  ["*.ts", ["a.ts", "x/y/a.ts", ".a.ts"], ["a.tsx", "ats"]],
  ["**/*.ts", ["a.ts", "x/y/a.ts"], ["a.js"]],
  ["src/*.ts", ["src/a.ts"], ["src/x/a.ts", "x/src/a.ts"]],
  ["src/**", ["src/a", "src/x/a"], ["src", "lib/a"]],
  ["src/**/a.ts", ["src/a.ts", "src/x/y/a.ts"], ["a.ts"]],
  ["{src,lib}/**/*.{ts,js}", ["src/a.ts", "lib/x/a.js"], ["test/a.ts", "src/a.py"]],
  ["src/{a,b/c}.ts", ["src/a.ts", "src/b/c.ts"], ["src/b.ts"]],
  ["[a-c]?.txt", ["a1.txt", "x/c2.txt"], ["d1.txt", "a.txt"]],
  ["[!a].ts", ["b.ts"], ["a.ts"]],
  ["a+(b).ts", ["a+(b).ts"], ["ab.ts"]],
  [String.raw`\*.ts`, ["*.ts"], ["a.ts"]],
  ["./src/*.ts", ["src/a.ts"], ["a.ts"]],
])("the pattern %s matches as expected", (pattern, matching, others) => {
  const { matches } = globPattern(pattern);
  expect([matching.filter(matches), others.filter(matches)]).toEqual([matching, []]);
});
