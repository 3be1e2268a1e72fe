/**
 * Sub-agents side by side: measures how long 8 independent sub-agents of 5 turns take against one such sub-agent, and 1,000
 * sub-agents of 4 turns in one session against the ideal time. Each turn edits a file of its own while it streams.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { agentTool, createAgent } from "@runahead/agent";
import { defineTool } from "@runahead/engine";
import { z } from "zod";
import { answer } from "./answer.mjs";

const FEW = 8;
const MANY = 1_000;
/** The turns of a sub-agent, and how long each response streams. */
const FEW_TURNS = { turns: 5, textMs: 200 };
const MANY_TURNS = { turns: 4, textMs: 1_000 };
const EDIT_MS = 20;
const REPEATS = 3;

const edit = defineTool({
  name: "edit",
  description: "Edits a file",
  inputSchema: z.object({ path: z.string() }),
  access: ({ path }) => [{ mode: "write", place: `memory:/${path}` }],
  call: () => sleep(EDIT_MS, "edited"),
});

/** A sub-agent's model: the prompt is the name of its file. */
function working({ turns, textMs }) {
  return {
    name: "worker",
    async *stream({ messages }) {
      const turn = messages.filter(({ role }) => role === "assistant").length;
      yield { type: "message-started", id: `${turn}`, model: "worker" };
      const isLast = turn === turns - 1;
      if (!isLast) {
        const call = { id: `${turn}`, name: "edit", input: { path: messages[0].content } };
        yield { type: "call-complete", call };
        yield { type: "block", block: { type: "tool_use", ...call } };
      }
      await sleep(textMs);
      if (isLast) yield { type: "block", block: { type: "text", text: "Done." } };
      yield { type: "stopped", reason: isLast ? "end_turn" : "tool_use", detail: "" };
    },
  };
}

/** The main agent's model: starts this many sub-agents in one response. */
function starting(count) {
  return {
    name: "main",
    async *stream({ messages }) {
      yield { type: "message-started", id: "m", model: "main" };
      const isFirst = messages.length === 1;
      for (let index = 0; index < (isFirst ? count : 0); index++) {
        const input = { description: "work", prompt: `file-${index}` };
        const call = { id: `a${index}`, name: "Agent", input };
        yield { type: "call-complete", call };
        yield { type: "block", block: { type: "tool_use", ...call } };
      }
      if (!isFirst) yield { type: "block", block: { type: "text", text: "Done." } };
      yield { type: "stopped", reason: isFirst ? "tool_use" : "end_turn", detail: "" };
    },
  };
}

async function timeOf(count, shape) {
  const limit = Math.max(10, count);
  const tools = [edit, agentTool({ options: { model: working(shape), tools: [edit] }, maxAgents: limit })];
  const agent = createAgent({ model: starting(count), tools, limit });
  const startMs = performance.now();
  const { reason, messages } = await agent.send("go");
  const wallMs = performance.now() - startMs;
  const done = messages[2].content.filter(({ content }) => content === "Done.").length;
  if (reason !== "completed" || done !== count) throw new Error(`${reason}: ${done} of ${count}`);
  await agent.close();
  return wallMs;
}

async function medianOf(count, shape) {
  const times = [];
  for (let run = 0; run < REPEATS; run++) times.push(await timeOf(count, shape));
  return times.toSorted((one, other) => one - other)[REPEATS >> 1];
}

async function measure() {
  await timeOf(FEW, FEW_TURNS);
  return {
    few: FEW,
    many: MANY,
    turns: FEW_TURNS.turns,
    manyTurns: MANY_TURNS.turns,
    idealMs: MANY_TURNS.turns * MANY_TURNS.textMs,
    oneMs: await medianOf(1, FEW_TURNS),
    fewMs: await medianOf(FEW, FEW_TURNS),
    manyMs: await medianOf(MANY, MANY_TURNS),
  };
}

answer(measure);
