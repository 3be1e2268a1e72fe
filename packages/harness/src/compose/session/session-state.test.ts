import { createPermissionGate } from "@runahead/agent";
import { createFileMemory, type FileMemory } from "@runahead/tools";
import { expect, test } from "vitest";
import { sessionState, taskState } from "./session-state.ts";

const gate = createPermissionGate({ settings: { mode: "default", sources: [] } });
const nothing = { save: () => undefined, restore: () => {} };
const stateOf = (memory: FileMemory) =>
  sessionState({ memory, gate, tasks: nothing, resumption: nothing, isModeGiven: false });

const file = (path: string, hash: string) => ({ path, size: 1, mtimeMs: 2, hash });
const MEMORY = {
  version: 1,
  agents: [
    { files: [file("/a b", "1"), file("/c", "2")] },
    { agent: { id: "x", type: "explore" }, files: [file("/c", "3")] },
  ],
};

test("files that were read are saved with one member per file, and restored in their order", () => {
  const memory = createFileMemory();
  expect(memory.restore(MEMORY)).toBe(true);
  const saved = stateOf(memory)["files"]?.save() as Record<string, unknown>;
  expect(Object.keys(saved)).toHaveLength(4);
  const restored = createFileMemory();
  stateOf(restored)["files"]?.restore(JSON.parse(JSON.stringify(saved)));
  expect(restored.save()).toEqual(MEMORY);
});

test("a task list of another form is not restored", () => {
  const { store, state } = taskState();
  for (const data of [undefined, 1, [], { tasks: [] }]) state.restore(data);
  expect(store.load()).toBeUndefined();
  const list = { lastId: 1, tasks: [] };
  state.restore(list);
  expect(store.load()).toEqual(list);
});
