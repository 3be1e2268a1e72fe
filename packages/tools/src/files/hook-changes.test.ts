import { readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Hooks } from "@runahead/engine";
import { expect, test } from "vitest";
import { TestFolder, agentIn } from "../../test/support/file-tool-calls.ts";
import { createFileMemory } from "./file-memory.ts";
import { fileTools } from "./file-tools.ts";

/** An agent whose writes are followed by a hook. */
function withHook(change: (path: string) => void) {
  const folder = new TestFolder();
  const memory = createFileMemory();
  const hooks: Hooks = {
    postToolUse: ({ tool }) => {
      if (tool.name !== "Read") change(folder.at("a.txt"));
      return undefined;
    },
  };
  const tools = fileTools(memory);
  const other = agentIn(folder.path, tools, { agent: { id: "agent-1", type: "tests" } });
  return { folder, memory, call: agentIn(folder.path, tools, { hooks }), other };
}

/** A formatter: upper case. */
const format = (path: string): void => writeFileSync(path, readFileSync(path, "utf8").toUpperCase());

test("what a hook changes after a Write is in the result and counts as read", async () => {
  const { folder, memory, call } = withHook(format);
  const written = await call("Write", { file_path: "a.txt", content: "one\nTWO\n" });
  expect(written.text).toBe(
    `Created ${folder.at("a.txt")}: 8 bytes.\nA hook changed ${folder.at("a.txt")} afterwards (+1 −1 lines):\n` +
      "@@ line 1–2 @@\n-one\n+ONE\n TWO",
  );
  expect(await memory.takeChangedFiles()).toEqual([]);
  expect(await call("Write", { file_path: "a.txt", content: "ONE\n" })).toMatchObject({
    isError: false,
    text: `Wrote ${folder.at("a.txt")}: 4 bytes (+0 −1 lines).`,
  });
});

test("what a hook changes after an Edit is in the result and counts as read", async () => {
  const { folder, call } = withHook(format);
  folder.write("a.txt", "ONE\nTWO\n");
  await call("Read", { file_path: "a.txt" });
  const edited = await call("Edit", { file_path: "a.txt", old_string: "TWO", new_string: "two" });
  expect(edited.text).toMatch(
    /\nA hook changed .* afterwards \(\+1 −1 lines\):\n@@ line 1–2 @@\n ONE\n-two\n\+TWO$/,
  );
  expect(edited.text).not.toContain("changed since");
  expect((await call("Write", { file_path: "a.txt", content: "X" })).isError).toBe(false);
});

test("a long change of a hook is counted and not shown", async () => {
  const { call } = withHook(format);
  const written = await call("Write", { file_path: "a.txt", content: "line\n".repeat(100) });
  expect(written.text).toMatch(/\(\+100 −100 lines\)\. The change is too long to show here\.$/);
});

test("a hook that deletes the file is reported", async () => {
  const { folder, call } = withHook((path) => rmSync(path));
  expect((await call("Write", { file_path: "a.txt", content: "x" })).text).toMatch(
    `A hook deleted ${folder.at("a.txt")} afterwards.`,
  );
});

test("what a hook changes is a change by the agent, for other agents", async () => {
  const { folder, call, other } = withHook(format);
  folder.write("a.txt", "one two\n");
  await other("Read", { file_path: "a.txt" });
  await call("Read", { file_path: "a.txt" });
  await call("Edit", { file_path: "a.txt", old_string: "one", new_string: "1" });
  expect((await other("Edit", { file_path: "a.txt", old_string: "TWO", new_string: "2" })).text).toMatch(
    /was changed by the main agent/,
  );
});

test("a change that the agent never saw stays unseen when a hook runs after its edit", async () => {
  const { folder, call } = withHook(format);
  folder.write("a.txt", "one\n");
  await call("Read", { file_path: "a.txt" });
  folder.write("a.txt", "one\nby the user\n");
  await call("Edit", { file_path: "a.txt", old_string: "one", new_string: "two" });
  expect((await call("Write", { file_path: "a.txt", content: "x" })).text).toMatch(
    /changed since you read it/,
  );
});
