import { expect, test } from "vitest";
import { TestFolder, agentIn } from "../../test/support/file-tool-calls.ts";
import { createFileMemory } from "../files/file-memory.ts";
import { fileTools } from "../files/file-tools.ts";

function tree(): TestFolder {
  const folder = new TestFolder();
  folder.write(".gitignore", "node_modules/\n*.log\ndist/\n");
  folder.write("src/a.ts", "export const visible = 1;\n");
  folder.write("node_modules/left-pad/index.js", "module.exports = leftPad;\n");
  folder.write("packages/web/dist/bundle.js", "bundled();\n");
  folder.write("packages/web/src/b.ts", "");
  folder.write("logs/run.log", "failed\n");
  return folder;
}

test("an empty result names the excluded folder that matches", async () => {
  const call = agentIn(tree().path);
  expect((await call("Grep", { pattern: "leftPad" })).text).toBe(
    '[No matches.]\n[Files that .gitignore excludes match: pass path: "node_modules" to search there.]',
  );
  expect((await call("Grep", { pattern: "leftPad", path: "node_modules" })).text).toBe(
    "node_modules/left-pad/index.js",
  );
  expect((await call("Glob", { pattern: "node_modules/**/*.js" })).text).toBe(
    '[No files match.]\n[Files that .gitignore excludes match: pass path: "node_modules" to search there.]',
  );
  expect((await call("Glob", { pattern: "bundle.js" })).text).toBe(
    '[No files match.]\n[Files that .gitignore excludes match: pass path: "packages/web/dist" to search there.]',
  );
  expect((await call("Glob", { pattern: "bundle.js", path: "packages/web/dist" })).text).toBe(
    "packages/web/dist/bundle.js",
  );
});

test("a file that is excluded by its own name is named", async () => {
  const folder = tree();
  folder.write("logs/readme.md", "");
  const call = agentIn(folder.path);
  expect((await call("Grep", { pattern: "failed" })).text).toBe(
    "[No matches.]\n[logs/run.log matches, but .gitignore excludes it.]",
  );
  expect((await call("Grep", { pattern: "failed", path: "logs/run.log" })).text).toBe("logs/run.log");
});

test("of many excluded files the first one is named, in every run", async () => {
  const folder = tree();
  for (let at = 100; at < 400; at++) {
    folder.write(`logs/${at % 7}/readme.md`, "");
    folder.write(`logs/${at % 7}/${at}.log`, "failed\n");
  }
  const { text } = await agentIn(folder.path)("Grep", { pattern: "failed" });
  expect(text).toBe("[No matches.]\n[logs/0/105.log matches, but .gitignore excludes it.]");
});

test("an empty result is only that if no excluded file matches either", async () => {
  const call = agentIn(tree().path);
  expect((await call("Grep", { pattern: "nowhere at all" })).text).toBe("[No matches.]");
  expect((await call("Grep", { pattern: "leftPad", glob: "*.ts" })).text).toBe("[No matches.]");
  expect((await call("Grep", { pattern: "nothing", path: "src/a.ts" })).text).toBe("[No matches.]");
  expect((await call("Glob", { pattern: "*.zig" })).text).toBe("[No files match.]");
});

test("a denied file is not revealed", async () => {
  const folder = tree();
  const mayShow = (path: string): boolean => !path.includes("node_modules");
  const call = agentIn(folder.path, fileTools(createFileMemory(), { mayShow }));
  expect((await call("Grep", { pattern: "leftPad" })).text).toBe("[No matches.]");
  expect((await call("Glob", { pattern: "index.js" })).text).toBe("[No files match.]");
});
