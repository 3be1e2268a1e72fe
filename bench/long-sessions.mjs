/**
 * Measures whether a turn costs more in a long session: one agent with a session on disk answers 2,000 prompts, each with a
 * call and an answer. Compares the first turns with the last, then resumes the session and lists it. Started by agent.mjs
 * with --expose-gc, or alone: `node --expose-gc bench/long-sessions.mjs`.
 */

import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent, sessions } from "@runahead/agent";
import { defineTool } from "@runahead/engine";
import { z } from "zod";
import { answerOrPrint } from "./answer.mjs";

const TURNS = 2_000;
/** Long enough for several compactions, which are a part of the cost. */
const WINDOW = 200;
/** Sessions of one turn that are listed together with the long one. */
const OTHERS = 20;
const RESULT = "a line of the file that was read\n".repeat(150);
const ANSWER = "some words of the answer ".repeat(40);

const read = defineTool({
  name: "read",
  description: "Reads a file",
  inputSchema: z.object({ path: z.string() }),
  isReadOnly: () => true,
  access: ({ path }) => [{ mode: "read", place: `memory:/${path}` }],
  call: async () => RESULT,
});

/** Calls the tool once for each prompt, and writes every request as JSON, as a model over HTTP does. */
function makeModel() {
  let calls = 0;
  const block = (content) => ({ type: "block", block: content });
  return {
    name: "bench",
    async *stream(request) {
      const inputTokens = Math.ceil(JSON.stringify(request).length / 4);
      const last = request.messages.at(-1).content;
      const isSummary = JSON.stringify(last).includes("Write a summary");
      const isResult = Array.isArray(last) && last.some(({ type }) => type === "tool_result");
      yield { type: "message-started", id: "m", model: "bench" };
      if (isSummary || isResult) {
        const text = isSummary ? "A short summary." : ANSWER;
        yield { type: "text", text };
        yield block({ type: "text", text });
      } else {
        const call = { id: `call_${++calls}`, name: "read", input: { path: `src/file-${calls}.ts` } };
        yield { type: "call-complete", call };
        yield block({ type: "tool_use", ...call });
      }
      yield {
        type: "usage",
        usage: { inputTokens, outputTokens: 50, cacheReadTokens: 0, cacheWriteTokens: 0 },
      };
      const reason = isSummary || isResult ? "end_turn" : "tool_use";
      yield { type: "stopped", reason, detail: "" };
    },
  };
}

const agentFor = (session) =>
  createAgent({ model: makeModel(), tools: [read], contextTokens: 60_000, maxTokens: 4_096, session });

function bytesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".jsonl"))
    .reduce((total, { parentPath, name }) => total + statSync(join(parentPath, name)).size, 0);
}

async function prompts(agent, count) {
  for (let at = 0; at < count; at++) {
    const { reason, detail } = await agent.send(`Look at the next file (${at}).`);
    if (reason !== "completed") throw new Error(`${reason}: ${detail}`);
  }
}

/** The cost of a turn, over a number of them. */
async function windowOf(agent, home) {
  const bytes = bytesBelow(home);
  const before = process.cpuUsage();
  await prompts(agent, WINDOW);
  const { user, system } = process.cpuUsage(before);
  globalThis.gc();
  return {
    cpuMs: (user + system) / 1000 / WINDOW,
    journalBytes: (bytesBelow(home) - bytes) / WINDOW,
    heapBytes: process.memoryUsage().heapUsed,
  };
}

async function timeMs(work) {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

async function listMs(store) {
  let least = Infinity;
  for (let round = 0; round < 5; round++) least = Math.min(least, await timeMs(() => store.list()));
  return least;
}

async function shortSession(store) {
  const session = await store.create();
  const agent = agentFor(session);
  await prompts(agent, 1);
  await agent.close();
  return session.id;
}

async function warmUp(home) {
  const agent = agentFor(await sessions({ home: `${home}/warm`, cwd: home }).create());
  await prompts(agent, WINDOW);
  await agent.close();
}

async function measureIn(home) {
  await warmUp(home);
  const store = sessions({ home: `${home}/long`, cwd: home });
  for (let at = 0; at <= OTHERS; at++) await shortSession(store);
  const fewMs = await listMs(store);
  const session = await store.create("long");
  const before = bytesBelow(`${home}/long`);
  const agent = agentFor(session);
  const early = await windowOf(agent, home);
  await prompts(agent, TURNS - 2 * WINDOW);
  const late = await windowOf(agent, home);
  await agent.close();
  const journalBytes = bytesBelow(`${home}/long`) - before;
  const manyMs = await listMs(store);
  let resumed;
  const resumeMs = await timeMs(async () => (resumed = await store.resume("long")));
  if (resumed.prompts.length === 0) throw new Error("the session was not restored");
  await agentFor(resumed).close();
  return {
    turns: TURNS,
    window: WINDOW,
    early,
    late,
    journalBytes,
    resumeMs,
    listMs: manyMs,
    fewMs,
    listed: OTHERS + 2,
  };
}

async function measure() {
  const home = mkdtempSync(join(tmpdir(), "runahead-bench-"));
  try {
    return await measureIn(home);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

await answerOrPrint(import.meta.url, measure, console.log);
