/** What listeners can rely on, checked over random runs: scripted responses, verdicts, answers, failures and sub-agents. */

import { setImmediate as tick } from "node:timers/promises";
import { type AnyTool, type Ask, type CanUseTool, type Question, defineTool } from "@runahead/engine";
import { expect, test } from "vitest";
import { z } from "zod";
import { agentTool } from "../agents/sub-agent.ts";
import type { Block } from "../model/message.ts";
import { type ScriptedTurn, scripted } from "../model/scripted.ts";
import { createAgent } from "./agent.ts";
import type { AgentEvent } from "./event.ts";
import type { LoopOptions } from "./options.ts";
import { query } from "./query.ts";

const SEEDS = 25;

/** The fields of each event, as docs/events.md lists them. */
const FIELDS: Readonly<Record<string, string>> = {
  "message-started": "turn model",
  text: "text",
  thinking: "text",
  "call-arriving": "callId toolName preview",
  "call-arrived": "callId toolName input description",
  "call-queued": "callId toolName state limit",
  "call-started": "callId toolName changed",
  "call-progress": "callId toolName data",
  "call-retried": "callId toolName attempt waitMs message",
  "call-settled": "callId toolName outcome output",
  "agent-event": "callId toolName agentId agentType event",
  "agent-started": "description isBackground",
  "response-ended": "turn stop content usage",
  "turn-ended": "turn stop usage timings",
  "prompt-attached": "prompt",
  ended: "result",
};

/** A generator of whole numbers below a limit. */
function randomOf(seed: number): (count: number) => number {
  let state = seed * 7919 + 13;
  return (count) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % count;
  };
}

type Pick = (count: number) => number;

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
        progress({ type: "status", text: name });
        for (let left = name === "Slow" ? pick(4) : 0; left > 0; left--) await tick();
        if (name === "Fail") throw new Error("broken");
        return `${name} done`;
      },
    }),
  );
}

function callsOf(pick: Pick, prefix: string): Block[] {
  return Array.from({ length: 1 + pick(4) }, (_, at): Block => {
    const name = ["Read", "Write", "Fail", "Slow", "Unknown"][pick(5)] as string;
    const input = pick(8) === 0 ? { at: "here" } : { at: pick(2) };
    return { type: "tool_use", id: `${prefix}${at}`, name, input };
  });
}

function turnsOf(pick: Pick, prefix: string): ScriptedTurn[] {
  const turns = Array.from({ length: 1 + pick(2) }, (_, turn): Block[] => [
    { type: "text", text: "Hm. " },
    ...callsOf(pick, `${prefix}${turn}-`),
  ]);
  return [...turns, [{ type: "text", text: "Done." }]];
}

interface Heard {
  readonly events: AgentEvent[];
  /** Broken promises. */
  readonly faults: string[];
  readonly asked: { readonly question: Question; isAnswered: boolean }[];
}

/** All calls that were announced, also by sub-agents. */
function arrivedIn(events: readonly AgentEvent[]): Set<string> {
  const arrived = new Set<string>();
  for (const event of events) {
    let at = event;
    while (at.type === "agent-event") at = at.event;
    if (at.type === "call-arrived") arrived.add(at.callId);
  }
  return arrived;
}

function asking(pick: Pick, heard: Heard): Ask {
  return async (question) => {
    const { signal, callId } = question;
    if (!arrivedIn(heard.events).has(callId))
      heard.faults.push(`${callId} was asked about before it arrived`);
    const entry = { question, isAnswered: false };
    heard.asked.push(entry);
    signal.addEventListener("abort", () => {
      if (entry.isAnswered) heard.faults.push(`the answer about ${callId} aborted its own signal`);
    });
    for (let left = pick(3); left > 0; left--) await tick();
    entry.isAnswered = true;
    return pick(3) === 0 ? { behavior: "deny", message: "no" } : { behavior: "allow" };
  };
}

function optionsOf(pick: Pick, heard: Heard): LoopOptions {
  const canUseTool: CanUseTool = () => {
    const behavior = (["allow", "ask", "ask", "ask", "deny"] as const)[pick(5)] ?? "ask";
    const verdict = { behavior, reason: "?" };
    return pick(2) === 0 ? verdict : tick().then(() => verdict);
  };
  const tools = toolsOf(pick);
  const inner = { model: scripted(turnsOf(pick, "sub")), tools, canUseTool, ask: asking(pick, heard) };
  const start: Block = {
    type: "tool_use",
    id: "agent",
    name: "Agent",
    input: { description: "work", prompt: "work" },
  };
  const [first = [], ...rest] = turnsOf(pick, "main");
  const turns = pick(3) === 0 ? [[...(first as Block[]), start], ...rest] : [first, ...rest];
  return { ...inner, model: scripted(turns), tools: [...tools, agentTool({ options: inner })] };
}

function checkFields(event: AgentEvent, faults: string[]): void {
  const { type, ...fields } = event;
  const known = FIELDS[type]?.split(" ");
  const others = Object.keys(fields).filter((name) => known?.includes(name) !== true);
  if (others.length > 0) faults.push(`${type} has undocumented fields: ${others.join(", ")}`);
  if (event.type === "agent-event") checkFields(event.event, faults);
}

/** Each call arrives once, before anything else about it, and settles once. */
function checkOrder(events: readonly AgentEvent[], faults: string[]): void {
  const states = new Map<string, string>();
  for (const event of events) {
    let at = event;
    while (at.type === "agent-event") at = at.event;
    if (!("callId" in at) || at.type === "call-arriving") continue;
    const before = states.get(at.callId);
    if ((at.type === "call-arrived") !== (before === undefined))
      faults.push(`${at.type} of ${at.callId} after ${before ?? "nothing"}`);
    if (before === "call-settled") faults.push(`${at.type} of ${at.callId} after it had settled`);
    states.set(at.callId, at.type);
  }
  for (const [id, last] of states) if (last !== "call-settled") faults.push(`${id} did not settle: ${last}`);
}

async function heardBy(
  seed: number,
  run: (options: LoopOptions, heard: Heard) => Promise<void>,
): Promise<Heard> {
  const heard: Heard = { events: [], faults: [], asked: [] };
  const pick = randomOf(seed);
  await run(optionsOf(pick, heard), heard);
  for (const event of heard.events) checkFields(event, heard.faults);
  checkOrder(heard.events, heard.faults);
  // Signals can be aborted when everything is over.
  for (let left = 3; left > 0; left--) await tick();
  return heard;
}

const READERS: Readonly<Record<string, (options: LoopOptions, heard: Heard) => Promise<void>>> = {
  createAgent: async (options, { events }) => {
    const agent = createAgent({ ...options, onEvent: (event) => void events.push(event) });
    await agent.send("go");
    await agent.close();
  },
  query: async (options, { events }) => {
    for await (const event of query({ ...options, prompt: "go" })) events.push(event);
  },
  "a slow reader of query": async (options, { events }) => {
    for await (const event of query({ ...options, prompt: "go" })) {
      events.push(event);
      await tick();
    }
  },
};

test.each(Object.entries(READERS))(
  "%s: calls arrive before their questions and settle once, with documented fields; answers abort no signal",
  async (_name, read) => {
    let asked = 0;
    for (let seed = 1; seed <= SEEDS; seed++) {
      const heard = await heardBy(seed, read);
      expect([seed, heard.faults]).toEqual([seed, []]);
      asked += heard.asked.length;
    }
    expect(asked).toBeGreaterThan(SEEDS);
  },
);

test("a reader that leaves the events does not block a question", async () => {
  const asked: string[] = [];
  const ask: Ask = ({ callId }) => {
    asked.push(callId);
    return { behavior: "deny", message: "no" };
  };
  const call: Block = { type: "tool_use", id: "1", name: "Read", input: { at: 1 } };
  const model = scripted([[call], [{ type: "text", text: "Done." }]]);
  const canUseTool: CanUseTool = () => ({ behavior: "ask", reason: "?" });
  const running = query({ model, tools: toolsOf(() => 0), canUseTool, ask, prompt: "go" });
  for await (const event of running) if (event.type === "message-started") break;
  expect(asked.length).toBeLessThanOrEqual(1);
});
