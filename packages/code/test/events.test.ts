/** What listeners can rely on for the calls of scripts, checked over random runs. */

import { setImmediate as tick } from "node:timers/promises";
import {
  type AgentEvent,
  type LoopOptions,
  agentTool,
  initialView,
  query,
  reduce,
  scripted,
} from "@runahead/agent";
import { type AnyTool, type Ask, type CanUseTool, defineTool } from "@runahead/engine";
import { expect, test } from "vitest";
import { z } from "zod";
import { codeTool } from "../src/index.ts";

const SEEDS = 8;

/** The fields of each event about a call, as docs/events.md lists them. */
const FIELDS: Readonly<Record<string, string>> = {
  "call-arriving": "callId toolName preview",
  "call-arrived": "callId toolName input description parentId",
  "call-queued": "callId toolName state limit parentId",
  "call-started": "callId toolName parentId",
  "call-progress": "callId toolName data parentId",
  "call-retried": "callId toolName attempt waitMs message parentId",
  "call-settled": "callId toolName outcome output parentId",
  "agent-event": "callId toolName agentId agentType event parentId",
};

type Pick = (count: number) => number;

/** A generator of whole numbers below a limit. */
function randomOf(seed: number): Pick {
  let state = seed * 7919 + 13;
  return (count) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % count;
  };
}

function toolsOf(pick: Pick): AnyTool[] {
  return ["Read", "Write", "Fail", "Slow"].map((name) =>
    defineTool({
      name,
      description: name,
      inputSchema: z.object({ at: z.number() }),
      isReadOnly: () => name === "Read",
      ...(name === "Fail" ? { retry: { attempts: 2, backoffMs: 0, writes: true } } : {}),
      access: ({ at }) => [{ mode: name === "Read" ? "read" : "write", place: `mem:/${at}` }],
      call: async (_input, { progress }) => {
        progress({ type: "status", message: name });
        for (let left = name === "Slow" ? pick(4) : 0; left > 0; left--) await tick();
        if (name === "Fail") throw new Error("broken");
        return `${name} done`;
      },
    }),
  );
}

/** A script whose calls run side by side or one after the other, and are awaited or not. */
function scriptOf(pick: Pick, depth = 0): string {
  const call = (): string => {
    if (depth === 0 && pick(5) === 0)
      return `tools.Inner({ script: ${JSON.stringify(scriptOf(pick, 1))} }).catch(() => {})`;
    const name = ["Read", "Write", "Fail", "Slow"][pick(4)] as string;
    return `tools.${name}({ at: ${pick(8) === 0 ? '"here"' : pick(2)} }).catch(() => {})`;
  };
  const calls = Array.from({ length: 1 + pick(4) }, call);
  const form = pick(3);
  if (form === 0) return `await Promise.all([${calls.join(", ")}]); return 1;`;
  if (form === 1) return `${calls.map((one) => `await ${one};`).join("\n")} return 1;`;
  // It does not await them, or fails while they run.
  return `${calls.join(";\n")}; ${pick(2) === 0 ? `throw new Error("half way");` : "return 1;"}`;
}

interface Heard {
  readonly events: AgentEvent[];
  readonly faults: string[];
  asked: number;
}

function optionsOf(pick: Pick, heard: Heard): LoopOptions {
  const canUseTool: CanUseTool = ({ name }) => {
    if (["Code", "Inner", "Agent"].includes(name)) return { behavior: "allow" };
    const behavior = (["allow", "ask", "ask", "deny"] as const)[pick(4)] ?? "ask";
    return { behavior, reason: "?" };
  };
  const ask: Ask = async ({ callId }) => {
    heard.asked++;
    if (!ownEvents(heard.events).some((one) => one.type === "call-arrived" && one.callId === callId))
      heard.faults.push(`${callId} was asked about before it arrived`);
    for (let left = pick(3); left > 0; left--) await tick();
    return pick(3) === 0 ? { behavior: "deny", message: "no" } : { behavior: "allow" };
  };
  const tools = toolsOf(pick);
  const code = codeTool([...tools, codeTool(tools, { name: "Inner" })]);
  const use = (id: string, name: string, input: object) => ({ type: "tool_use", id, name, input });
  const done = [{ type: "text", text: "Done." }];
  const sub = scripted([[use("sub", "Code", { script: scriptOf(pick) })], done]);
  const inner = { model: sub, tools: [code], canUseTool, ask };
  const agent = use("agent", "Agent", { description: "work", prompt: "work" });
  const first = [
    use("one", "Code", { script: scriptOf(pick) }),
    use("two", "Code", { script: scriptOf(pick) }),
    ...(pick(2) === 0 ? [agent] : []),
  ];
  return { ...inner, model: scripted([first, done]), tools: [code, agentTool({ options: inner })] };
}

/** Unwraps the events of sub-agents. */
function ownEvents(events: readonly AgentEvent[]): AgentEvent[] {
  return events.map((event) => {
    let at = event;
    while (at.type === "agent-event") at = at.event;
    return at;
  });
}

/** Each call arrives once, before anything else about it, settles once, and does so before the call that made it. */
function checkOrder(events: readonly AgentEvent[], faults: string[]): void {
  const states = new Map<string, string>();
  const parents = new Map<string, string | undefined>();
  for (const event of ownEvents(events)) {
    if (!("callId" in event) || event.type === "call-arriving") continue;
    const { type, callId } = event;
    const before = states.get(callId);
    if ((type === "call-arrived") !== (before === undefined))
      faults.push(`${type} of ${callId} after ${before ?? "nothing"}`);
    if (before === "call-settled") faults.push(`${type} of ${callId} after it had settled`);
    if (type === "call-arrived") parents.set(callId, event.parentId);
    if (event.parentId !== parents.get(callId)) faults.push(`${type} of ${callId} has another parent`);
    if (event.parentId !== undefined && states.get(event.parentId) === "call-settled")
      faults.push(`${type} of ${callId} after its parent had settled`);
    states.set(callId, type);
  }
  for (const [id, last] of states) if (last !== "call-settled") faults.push(`${id} did not settle: ${last}`);
}

function checkFields(event: AgentEvent, faults: string[]): void {
  const { type, ...fields } = event;
  const known = FIELDS[type]?.split(" ");
  if (known === undefined) return;
  const others = Object.keys(fields).filter((name) => !known.includes(name));
  if (others.length > 0) faults.push(`${type} has undocumented fields: ${others.join(", ")}`);
  if (event.type === "agent-event") checkFields(event.event, faults);
}

/** The reducer gives each call one end, below the call that made it. */
function checkView(events: readonly AgentEvent[], faults: string[]): void {
  const view = initialView();
  const ends = new Map<string, number>();
  for (const event of events)
    for (const { what, call } of reduce(view, event)?.calls ?? []) {
      if (call.parent?.calls.has(call.id) === false) faults.push(`${call.id} is not below its parent`);
      if (what === "ended") ends.set(call.id, (ends.get(call.id) ?? 0) + 1);
      if (what === "ended" && call.parent?.end !== undefined)
        faults.push(`${call.id} ended after its parent`);
    }
  const arrived = ownEvents(events).flatMap((one) => (one.type === "call-arrived" ? [one.callId] : []));
  for (const id of arrived) if (ends.get(id) !== 1) faults.push(`${id} has ${ends.get(id) ?? 0} ends`);
}

test("calls of scripts arrive before their questions and settle once, in the scripts of agents, sub-agents and scripts", async () => {
  let [asked, nested, deeper] = [0, 0, 0];
  for (let seed = 1; seed <= SEEDS; seed++) {
    const heard: Heard = { events: [], faults: [], asked: 0 };
    const pick = randomOf(seed);
    for await (const event of query({ ...optionsOf(pick, heard), prompt: "go" })) heard.events.push(event);
    for (const event of heard.events) checkFields(event, heard.faults);
    checkOrder(heard.events, heard.faults);
    checkView(heard.events, heard.faults);
    expect([seed, heard.faults]).toEqual([seed, []]);
    asked += heard.asked;
    const arrived = ownEvents(heard.events).filter(({ type }) => type === "call-arrived");
    nested += arrived.filter((one) => "parentId" in one).length;
    deeper += arrived.filter((one) => "callId" in one && one.callId.split(".").length > 2).length;
  }
  expect([asked, nested, deeper].every((count) => count > SEEDS / 2)).toBe(true);
});
