import { type AnyTool, runTools } from "@runahead/engine";
import { expect, test } from "vitest";
import { agentIn } from "../../test/support/file-tool-calls.ts";
import { type TaskState, createTasks } from "./tasks-list.ts";
import { taskTools } from "./tasks.ts";

const A = { id: "1", subject: "Read the code", description: "All of it.\nTwice.", status: "pending" };
const B = { id: "2", subject: "Write tests", description: "", status: "pending" };

function memoryStore(saved?: unknown) {
  const states: TaskState[] = [];
  return { states, load: () => saved, save: (state: TaskState) => void states.push(state) };
}

test("tasks are added, changed and listed, and the whole list is there for a UI", async () => {
  const call = agentIn("/tmp", taskTools());
  expect((await call("TaskList", {})).text).toBe("There are no tasks.");
  expect(await call("TaskCreate", { subject: A.subject, description: A.description })).toMatchObject({
    text: "Added task 1: Read the code",
    output: { tasks: [A] },
  });
  await call("TaskCreate", { subject: ` ${B.subject} `, description: "" });
  expect(await call("TaskUpdate", { id: "1", status: "in_progress" })).toMatchObject({
    text: "1. [in_progress] Read the code",
    output: { tasks: [{ ...A, status: "in_progress" }, B] },
  });
  expect((await call("TaskUpdate", { id: "2", subject: "Write more tests", status: "completed" })).text).toBe(
    "2. [completed] Write more tests",
  );
  expect((await call("TaskList", {})).text).toBe(
    "1. [in_progress] Read the code\n   All of it.\n   Twice.\n2. [completed] Write more tests",
  );
});

test("a deleted task is gone, and its id is not used again, also after a restart", async () => {
  const store = memoryStore();
  const call = agentIn("/tmp", taskTools(createTasks(store)));
  await call("TaskCreate", { subject: "one", description: "" });
  expect((await call("TaskUpdate", { id: "1", status: "deleted" })).text).toBe("Deleted task 1: one");
  expect(store.states.at(-1)).toEqual({ lastId: 1, tasks: [] });
  const later = agentIn("/tmp", taskTools(createTasks(memoryStore(store.states.at(-1)))));
  expect((await later("TaskCreate", { subject: "two", description: "" })).text).toBe("Added task 2: two");
});

test("the error for an unknown id lists the possible tasks, and an empty change is refused", async () => {
  const call = agentIn("/tmp", taskTools());
  expect((await call("TaskUpdate", { id: "3", status: "completed" })).text).toBe(
    'Error: There is no task "3": the task list is empty.',
  );
  for (const subject of ["Alpha", "Beta", "Gamma", "Delta"])
    await call("TaskCreate", { subject, description: "" });
  expect((await call("TaskUpdate", { id: "task-5", status: "completed" })).text).toBe(
    'Error: There is no task "task-5". Tasks: 1 (Alpha), 2 (Beta), 3 (Gamma), 4 (Delta).',
  );
  expect((await call("TaskUpdate", { id: "beta", status: "completed" })).text).toBe(
    'Error: There is no task "beta". Did you mean 2 (Beta)?',
  );
  expect((await call("TaskUpdate", { id: "1" })).text).toContain(
    "pass at least one of status, subject and description",
  );
  expect((await call("TaskUpdate", { id: "1", status: "done" })).text).toContain("`status`");
  expect((await call("TaskCreate", { subject: " ", description: "" })).text).toContain("`subject`");
});

test("a change that cannot be saved is not made, and an unreadable list is reported", async () => {
  let isFull = true;
  const store = {
    load: () => ({ lastId: 1, tasks: [A] }),
    save: () => (isFull ? Promise.reject(new Error("disk full")) : Promise.resolve()),
  };
  const call = agentIn("/tmp", taskTools(createTasks(store)));
  expect((await call("TaskUpdate", { id: "1", status: "completed" })).text).toBe(
    "Error: The task list was not changed, because it cannot be saved: disk full",
  );
  expect((await call("TaskList", {})).output).toMatchObject({ tasks: [A] });
  isFull = false;
  expect((await call("TaskUpdate", { id: "1", status: "completed" })).isError).toBe(false);
  const broken = agentIn("/tmp", taskTools(createTasks(memoryStore({ tasks: "none" }))));
  expect((await broken("TaskList", {})).text).toMatch(/^Error: Cannot read the saved task list: /);
});

test("calls of one turn change the list in the model's order, and none is lost to a slow store", async () => {
  const states: TaskState[] = [];
  const save = async (state: TaskState): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, states.length === 0 ? 20 : 0));
    states.push(state);
  };
  const tasks = createTasks({ load: () => undefined, save });
  const tools: AnyTool[] = taskTools(tasks);
  const calls = [
    { id: "a", name: "TaskCreate", input: { subject: "one", description: "" } },
    { id: "b", name: "TaskCreate", input: { subject: "two", description: "" } },
    { id: "c", name: "TaskUpdate", input: { id: "2", status: "completed" } },
    { id: "d", name: "TaskList", input: {} },
  ];
  const texts: unknown[] = [];
  for await (const update of runTools(calls, { tools }))
    if (update.type === "result") texts.push(update.result.content);
  expect(texts).toEqual([
    "Added task 1: one",
    "Added task 2: two",
    "2. [completed] two",
    "1. [pending] one\n2. [completed] two",
  ]);
  await Promise.all(["x", "y", "z"].map((subject) => tasks.create(subject, "")));
  expect((await tasks.list()).map(({ id, subject }) => [id, subject])).toEqual([
    ["1", "one"],
    ["2", "two"],
    ["3", "x"],
    ["4", "y"],
    ["5", "z"],
  ]);
});

test("the limit is 200 tasks, and the error says what to do", async () => {
  const tasks = Array.from({ length: 200 }, (_, at) => ({ ...B, id: String(at + 1) }));
  const call = agentIn("/tmp", taskTools(createTasks(memoryStore({ lastId: 200, tasks }))));
  expect((await call("TaskCreate", { subject: "more", description: "" })).text).toBe(
    "Error: Not added: the list has 200 tasks, which is the limit. Delete some with TaskUpdate first.",
  );
});
