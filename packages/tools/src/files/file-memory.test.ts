import { rmSync, utimesSync } from "node:fs";
import { expect, test } from "vitest";
import { TestFolder, agentIn } from "../../test/support/file-tool-calls.ts";
import { FileMemory } from "./file-memory.ts";
import { fileTools } from "./file-tools.ts";

function world() {
  const folder = new TestFolder();
  const memory = new FileMemory();
  return { folder, memory, call: agentIn(folder.path, fileTools(memory)) };
}

test("a file that another program changed is reported once per version", async () => {
  const { folder, memory, call } = world();
  const path = folder.write("a.txt", "one");
  await call("Read", { file_path: "a.txt" });
  expect(await memory.takeChangedFiles()).toEqual([]);
  folder.write("a.txt", "other");
  expect(await memory.takeChangedFiles()).toEqual([path]);
  expect(await memory.takeChangedFiles()).toEqual([]);
  folder.write("a.txt", "a third version");
  expect(await memory.takeChangedFiles()).toEqual([path]);
  rmSync(path);
  expect(await memory.takeChangedFiles()).toEqual([`${path} (deleted)`]);
  expect(await memory.takeChangedFiles()).toEqual([]);
});

test("a change of the same size is noticed by its time", async () => {
  const { folder, memory, call } = world();
  const path = folder.write("a.txt", "one");
  await call("Read", { file_path: "a.txt" });
  folder.write("a.txt", "two");
  utimesSync(path, 1_000_000_000, 1_000_000_000);
  expect(await memory.takeChangedFiles()).toEqual([path]);
});

test("the agent's own changes, and files that it read again, are not reported", async () => {
  const { folder, memory, call } = world();
  folder.write("a.txt", "one");
  await call("Read", { file_path: "a.txt" });
  await call("Edit", { file_path: "a.txt", old_string: "one", new_string: "four" });
  await call("Write", { file_path: "b.txt", content: "new" });
  expect(await memory.takeChangedFiles()).toEqual([]);
  folder.write("a.txt", "changed by the user");
  await call("Read", { file_path: "a.txt" });
  expect(await memory.takeChangedFiles()).toEqual([]);
});

test("folders of read and written files are returned once", async () => {
  const { folder, memory, call } = world();
  folder.write("src/a.txt", "one");
  folder.write("src/b.txt", "one");
  await call("Read", { file_path: "src/a.txt" });
  await call("Read", { file_path: "src/b.txt" });
  await call("Write", { file_path: "docs/new/c.txt", content: "" });
  expect(memory.takeTouchedFolders()).toEqual([folder.at("src"), folder.at("docs/new")]);
  expect(memory.takeTouchedFolders()).toEqual([]);
  await call("Read", { file_path: "missing.txt" });
  expect(memory.takeTouchedFolders()).toEqual([]);
});
