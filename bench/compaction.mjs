/**
 * Measures whether a compaction makes the user wait: the time from a prompt to the first text, across a compaction and
 * without one. The model answers in 50 ms and needs 1 s for a summary. Started by agent.mjs, or alone:
 * `node bench/compaction.mjs`.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { createAgent } from "@runahead/agent";
import { answerOrPrint } from "./answer.mjs";

const PROMPTS = 24;
const ANSWER_MS = 50;
const SUMMARY_MS = 1_000;
/** The time that the user needs to read an answer and to type. */
const PAUSE_MS = 150;
/** Each answer adds this much to a window of 100,000 tokens. */
const ANSWER_TOKENS = 5_000;

const isAboutSummary = ({ messages }) => JSON.stringify(messages.at(-1)).includes("Write a summary");

function makeModel() {
  const state = { summaries: 0 };
  const model = {
    name: "bench",
    async *stream(request, signal) {
      const isSummary = isAboutSummary(request);
      if (isSummary) state.summaries++;
      await sleep(isSummary ? SUMMARY_MS : ANSWER_MS, undefined, { signal });
      const text = isSummary ? "A short summary." : "word ".repeat((ANSWER_TOKENS * 4) / 5);
      yield { type: "text", text };
      yield { type: "block", block: { type: "text", text } };
      yield { type: "stopped", reason: "end_turn", detail: "" };
    },
  };
  return { model, state };
}

async function firstTextMs(autoCompact) {
  const { model, state } = makeModel();
  let onText = () => {};
  let compactions = 0;
  const agent = createAgent({
    model,
    tools: [],
    contextTokens: 100_000,
    maxTokens: 10_000,
    autoCompact,
    onEvent({ type }) {
      if (type === "text") onText();
      if (type === "compacted") compactions++;
    },
  });
  const times = [];
  for (let at = 0; at < PROMPTS; at++) {
    const startMs = performance.now();
    const heard = new Promise((resolve) => (onText = resolve));
    const answered = agent.send(`prompt ${at}`);
    await heard;
    times.push(performance.now() - startMs);
    await answered;
    await sleep(PAUSE_MS);
  }
  await agent.close();
  return { longestMs: Math.max(...times.slice(1)), compactions, summaries: state.summaries };
}

async function measure() {
  const without = await firstTextMs(false);
  const withOne = await firstTextMs(true);
  if (withOne.compactions === 0) throw new Error("the conversation was not compacted");
  return {
    prompts: PROMPTS,
    summaryMs: SUMMARY_MS,
    compactions: withOne.compactions,
    plainMs: without.longestMs,
    compactedMs: withOne.longestMs,
    extraMs: withOne.longestMs - without.longestMs,
  };
}

await answerOrPrint(import.meta.url, measure, console.log);
