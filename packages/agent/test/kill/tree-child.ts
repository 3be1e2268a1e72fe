/**
 * A session whose sub-agents append lines to a file, each line once. It is killed at any moment and started again until
 * everything is done. The model does what a careful one would do: it continues what was interrupted, and looks before it
 * repeats a call whose outcome is unknown.
 *
 * Usage: tree-child.ts HOME FOLDER SEED
 */

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type AnyTool, defineTool } from "@runahead/engine";
import { z } from "zod";
import { agentTools } from "../../src/agents/task-tools.ts";
import { createAgent } from "../../src/loop/agent.ts";
import type { LoopOptions } from "../../src/loop/options.ts";
import type { Model } from "../../src/model/event.ts";
import type { Block, Message } from "../../src/model/message.ts";
import { sessions } from "../../src/session/sessions.ts";
import { FIRST_TASKS, ISOLATED, NOTES, STEPS, TASKS } from "./tree-plan.ts";

const [home = "", folder = "", seed = "1"] = process.argv.slice(2);
const marks = join(folder, "marks.txt");
let random = Number(seed) * 7919 + process.pid;
const chance = (most: number): number => (random = (random * 48271) % 2147483647) % most;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const isMarked = (name: string): boolean =>
  existsSync(marks) && readFileSync(marks, "utf8").split("\n").includes(name);

const mark: AnyTool = defineTool({
  name: "Mark",
  description: "Appends a line.",
  inputSchema: z.object({ name: z.string() }),
  access: ({ name }) => [{ mode: "write", place: `marks:/${name}` }],
  describe: ({ name }) => `Mark ${name}`,
  async call({ name }, { cwd }) {
    await pause(chance(8));
    if (name.startsWith("written")) appendFileSync(join(cwd, NOTES), `${name}\n`);
    appendFileSync(marks, `${name}\n`);
    await pause(chance(8));
    return "marked";
  },
});
const check: AnyTool = defineTool({
  name: "Check",
  description: "Returns whether the line is there.",
  inputSchema: z.object({ name: z.string() }),
  isReadOnly: () => true,
  call: ({ name }) => (isMarked(name) ? "yes" : "no"),
});

interface Call {
  readonly name: string;
  readonly of: string;
  readonly result: string;
}

function callsIn(messages: readonly Message[]): Call[] {
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const results = new Map(
    blocks.flatMap((block) =>
      block.type === "tool_result" ? [[block["tool_use_id"], JSON.stringify(block["content"])]] : [],
    ),
  );
  return blocks.flatMap((block) => {
    if (block.type !== "tool_use") return [];
    const { name = "", prompt = "", resume = "" } = block["input"] as Record<string, string>;
    return [
      { name: String(block["name"]), of: resume || name || prompt, result: results.get(block["id"]) ?? "" },
    ];
  });
}

let lastCall = 0;
const use = (name: string, input: object): Block => ({
  type: "tool_use",
  id: `call_${process.pid}_${++lastCall}`,
  name,
  input,
});
const start = (task: string): Block =>
  use("Agent", {
    description: task,
    prompt: task,
    ...(ISOLATED.includes(task) ? { isolation: "worktree" } : {}),
  });

/** What a sub-agent does next; undefined when its task is done. */
function nextStep(task: string, messages: readonly Message[]): Block | undefined {
  const calls = callsIn(messages);
  for (const name of STEPS[task] ?? []) {
    const done = calls.filter(({ of }) => of === name);
    if (
      done.some(
        ({ result }) => result.includes("marked") || result.includes("yes") || result.includes("Done"),
      )
    )
      continue;
    const isTask = TASKS.includes(name);
    const last = done.at(-1);
    if (last === undefined) return isTask ? start(name) : use("Mark", { name });
    // The main agent continues sub-agents of sub-agents.
    if (isTask) {
      if (last.result.includes("Outcome unknown")) continue;
      return start(name);
    }
    return last.result.includes("no") && last.name === "Check"
      ? use("Mark", { name })
      : use("Check", { name });
  }
  return undefined;
}

/** The main agent: first starts the tasks, then continues what was interrupted, the deepest first. */
function mainStep(messages: readonly Message[]): readonly Block[] {
  const calls = callsIn(messages);
  if (calls.length === 0) return FIRST_TASKS.map(start);
  const text = JSON.stringify(messages);
  const reported = [...new Set([...text.matchAll(/resume: \\*"(agent-\d+)/g)].map(([, id = ""]) => id))];
  const isContinued = (id: string): boolean =>
    calls.some(({ of, result }) => of === id && result.includes("Done"));
  const open = reported
    .filter((id) => !isContinued(id))
    .toSorted((one, other) => Number(other.slice(6)) - Number(one.slice(6)));
  if (open[0] !== undefined)
    return [use("Agent", { description: "go on", prompt: "Go on.", resume: open[0] })];
  const missing = TASKS.filter((task) =>
    (STEPS[task] ?? []).some((name) => !TASKS.includes(name) && !isMarked(name)),
  );
  // The sub-agent of "one" does "inner".
  return (missing.includes("one") ? missing.filter((task) => task !== "inner") : missing).map(start);
}

const model: Model = {
  name: "careful",
  async *stream({ messages }) {
    await pause(chance(5));
    yield { type: "message-started", id: "m", model: "careful" };
    const first = messages.map(({ content }) => content).find((content) => typeof content === "string") ?? "";
    const step = nextStep(first, messages);
    const blocks = first === "go" ? mainStep(messages) : step === undefined ? [] : [step];
    const all: readonly Block[] = blocks.length > 0 ? blocks : [{ type: "text", text: "Done." }];
    for (const block of all) {
      if (block.type === "tool_use")
        yield {
          type: "call-complete",
          call: { id: String(block["id"]), name: String(block["name"]), input: block["input"] },
        };
      yield { type: "block", block };
    }
    yield { type: "stopped", reason: blocks.length > 0 ? "tool_use" : "end_turn", detail: "" };
  },
};

const store = sessions({ home, cwd: folder });
const session = (await store.continue()) ?? (await store.create());
const options: LoopOptions = { model, tools: [mark, check], cwd: folder };
const agent = createAgent({ ...options, tools: [...options.tools, ...agentTools({ options })], session });
process.stdout.write("ready\n");
const result = session.messages.length === 0 ? await agent.send("go") : await agent.resume();
await agent.close();
process.stdout.write(`${JSON.stringify([result.reason, result.detail])}\n`);
