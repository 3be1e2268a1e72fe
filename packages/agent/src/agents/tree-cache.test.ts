import { type AnyTool, createLocks, defineTool } from "@runahead/engine";
import type { BackgroundTask, BackgroundTasks } from "@runahead/base";
import { expect, test } from "vitest";
import { z } from "zod";
import { agentCall, modelOf, optionsOf, resultsIn, text, use } from "../../test/support/tree-script.ts";
import { runQuery } from "../../test/support/run-query.ts";
import { createAgent } from "../loop/agent.ts";
import { scripted } from "../model/scripted.ts";

const LONG = "x".repeat(1_000);
const path = z.object({ path: z.string() });

interface World {
  readonly tools: AnyTool[];
  readonly runs: string[];
  text: string;
}

function world(): World {
  const runs: string[] = [];
  const made: World = { runs, text: LONG, tools: [] };
  const read = defineTool({
    name: "Look",
    description: "Look",
    inputSchema: path,
    isReadOnly: () => true,
    cache: true,
    access: (input) => [{ mode: "read", place: `mem:/${input.path}` }],
    call: (input) => {
      runs.push(input.path);
      return `${input.path}: ${made.text}`;
    },
  });
  const write = defineTool({
    name: "Change",
    description: "Change",
    inputSchema: path,
    access: (input) => [{ mode: "write", place: `mem:/${input.path}` }],
    call: () => {
      made.text = `${made.text}!`;
      return "changed";
    },
  });
  made.tools.push(read, write);
  return made;
}

const look = (id: string, at = "a") => [{ type: "tool_use", id, name: "Look", input: { path: at } }];
const change = (id: string, at = "a") => [{ type: "tool_use", id, name: "Change", input: { path: at } }];
const done = [{ type: "text", text: "Done." }];

test("an agent does not read again what nothing has written, and the model gets a note", async () => {
  const { tools, runs } = world();
  const model = scripted([look("1"), look("2"), change("3"), look("4"), done]);
  const { result } = await runQuery({ model, tools, prompt: "go" });
  expect(resultsIn(result.messages)).toEqual([
    `a: ${LONG}`,
    "Unchanged: the result is the same as that of your earlier call 1, which you can see above.",
    "changed",
    `a: ${LONG}!`,
  ]);
  expect(runs).toEqual(["a", "a"]);
});

test("after a compaction the model gets the result whole again", async () => {
  const { tools, runs } = world();
  const summary = [{ type: "text", text: "Summary." }];
  const model = scripted([look("1"), look("2"), done, summary, look("3"), look("4"), done]);
  const agent = createAgent({ model, tools });
  await agent.send("go");
  await agent.compact();
  const { messages } = await agent.send("again");
  expect(resultsIn(messages).slice(-2)).toEqual([
    `a: ${LONG}`,
    "Unchanged: the result is the same as that of your earlier call 3, which you can see above.",
  ]);
  expect(runs).toEqual(["a"]);
});

test("a sub-agent has not read what the main agent has read, so it gets the result whole, without a run", async () => {
  const { tools, runs } = world();
  let read: readonly string[] = [];
  const model = modelOf({
    go: [[use("1", "Look", { path: "a" })], [agentCall("2", "sub")], [text("Done.")]],
    sub: [
      [use("3", "Look", { path: "a" })],
      ({ messages }) => ((read = resultsIn(messages)), [text("Read.")]),
    ],
  });
  await createAgent(optionsOf(model, { tools })).send("go");
  expect([read, runs]).toEqual([[`a: ${LONG}`], ["a"]]);
});

test("what a sub-agent writes counts for the main agent", async () => {
  const { tools, runs } = world();
  const model = modelOf({
    go: [
      [use("1", "Look", { path: "a" })],
      [agentCall("2", "sub")],
      [use("4", "Look", { path: "a" })],
      [text("Done.")],
    ],
    sub: [[use("3", "Change", { path: "a" })], [text("Changed.")]],
  });
  const { messages } = await createAgent(optionsOf(model, { tools })).send("go");
  expect(resultsIn(messages).at(-1)).toBe(`a: ${LONG}!`);
  expect(runs).toEqual(["a", "a"]);
});

test("agents with the same locks see what each other writes", async () => {
  const { tools, runs } = world();
  const locks = createLocks();
  const reader = createAgent({ model: scripted([look("1"), done, look("2"), done]), tools, locks });
  const writes = tools.filter(({ cache }) => cache !== true);
  const writer = createAgent({ model: scripted([change("1"), done]), tools: writes, locks });
  await reader.send("go");
  await writer.send("go");
  const { messages } = await reader.send("again");
  expect(resultsIn(messages).at(-1)).toBe(`a: ${LONG}!`);
  expect(runs).toEqual(["a", "a"]);
});

test("while a command runs in the background nothing is used again, and nothing from before it afterwards", async () => {
  const { tools, runs } = world();
  const tasks: BackgroundTask[] = [];
  const background: BackgroundTasks = { list: () => tasks, onEnded: () => () => {} };
  const command = (id: string, isRunning: boolean): BackgroundTask => ({
    id,
    kind: "command",
    description: id,
    isRunning,
    state: isRunning ? "running" : "ended",
    ended: Promise.resolve(),
    read: async () => "",
    stop: async () => "",
  });
  const turns = Array.from({ length: 6 }, (_, at) => [look(String(at)), done]).flat();
  const agent = createAgent({ model: scripted(turns), tools, background });
  const seen: number[] = [];
  const next = async (...now: BackgroundTask[]): Promise<void> => {
    tasks.splice(0, tasks.length, ...now);
    await agent.send("go");
    seen.push(runs.length);
  };
  await next();
  await next({ ...command("agent-1", true), kind: "agent" });
  await next(command("bash_1", true));
  await next(command("bash_1", false));
  await next(command("bash_1", false));
  // It started and ended between two looks.
  await next(command("bash_1", false), command("bash_2", false));
  expect(seen).toEqual([1, 1, 2, 3, 3, 4]);
});

test("without a tool that has cache, the tools of a turn are those of the agent", async () => {
  const { tools } = world();
  const seen: AnyTool[] = [];
  const writes = tools.filter(({ cache }) => cache !== true);
  const model = scripted([change("1"), done]);
  const canUseTool = (tool: AnyTool) => {
    seen.push(tool);
    return { behavior: "allow" } as const;
  };
  await runQuery({ model, tools: writes, canUseTool, prompt: "go" });
  expect(seen).toEqual(writes);
  expect(seen[0]).toBe(writes[0]);
});
