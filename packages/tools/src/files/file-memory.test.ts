import { rmSync, utimesSync } from "node:fs";
import { expect, test } from "vitest";
import { TestFolder, agentIn } from "../../test/support/file-tool-calls.ts";
import { createFileMemory } from "./file-memory.ts";
import { fileTools } from "./file-tools.ts";

function world() {
  const folder = new TestFolder();
  const memory = createFileMemory();
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

test("a file that was rewritten with the same content is not reported", async () => {
  const { folder, memory, call } = world();
  const path = folder.write("a.txt", "one");
  await call("Read", { file_path: "a.txt" });
  folder.write("a.txt", "one");
  utimesSync(path, 1_000_000_000, 1_000_000_000);
  expect(await memory.takeChangedFiles()).toEqual([]);
});

test("what was read survives in saved data, by content and for each agent", async () => {
  const { folder, memory, call } = world();
  const agent = { id: "agent-1", type: "tests" };
  const sub = agentIn(folder.path, fileTools(memory), { agent });
  for (const name of ["a.txt", "b.txt", "c.txt"]) folder.write(name, "one two");
  await call("Read", { file_path: "a.txt" });
  await call("Read", { file_path: "b.txt" });
  await sub("Read", { file_path: "c.txt" });
  const saved = JSON.stringify(memory.save());
  folder.write("b.txt", "changed meanwhile");
  utimesSync(folder.write("a.txt", "one two"), 1_000_000_000, 1_000_000_000);
  const resumed = createFileMemory();
  expect(resumed.restore(JSON.parse(saved))).toBe(true);
  expect(await resumed.takeChangedFiles()).toEqual([folder.at("b.txt")]);
  const main = agentIn(folder.path, fileTools(resumed));
  const subAgain = agentIn(folder.path, fileTools(resumed), { agent });
  const write = (file_path: string) => ({ file_path, content: "new" });
  expect((await main("Write", write("a.txt"))).isError).toBe(false);
  expect((await main("Write", write("b.txt"))).text).toMatch(/changed since you read it/);
  expect((await main("Write", write("c.txt"))).text).toMatch(/has not been read yet/);
  expect((await subAgain("Write", write("c.txt"))).isError).toBe(false);
});

test("restored data does not replace what was read since", async () => {
  const { folder, memory, call } = world();
  folder.write("a.txt", "one");
  await call("Read", { file_path: "a.txt" });
  const saved = memory.save();
  folder.write("a.txt", "other");
  await call("Read", { file_path: "a.txt" });
  memory.restore(saved);
  expect((await call("Write", { file_path: "a.txt", content: "new" })).isError).toBe(false);
});

test("data of another form is not restored", () => {
  const memory = createFileMemory();
  const broken = [
    undefined,
    null,
    [],
    {},
    { version: 2, agents: [] },
    { version: 1, agents: [{ files: [{}] }] },
  ];
  expect(broken.map((data) => memory.restore(data))).toEqual(broken.map(() => false));
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

test("files that were read and written are listed in the order of their first use, per agent", async () => {
  const { folder, memory, call } = world();
  folder.write("src/a.txt", "one");
  folder.write("src/b.txt", "one");
  await call("Read", { file_path: "src/a.txt" });
  await call("Read", { file_path: "src/b.txt" });
  await call("Write", { file_path: "docs/new/c.txt", content: "" });
  await call("Read", { file_path: "src/a.txt" });
  await call("Read", { file_path: "missing.txt" });
  const files = ["src/a.txt", "src/b.txt", "docs/new/c.txt"].map((path) => folder.at(path));
  expect(memory.touchedFiles()).toEqual(files);
  expect(memory.touchedFiles({ id: "agent-1", type: "explore" })).toEqual([]);
});
