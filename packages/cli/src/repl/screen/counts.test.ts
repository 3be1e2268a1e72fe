import { initialView, reduce } from "@runahead/harness";
import { expect, test } from "vitest";
import { createTimelineRecorder, type TimelineRecorder } from "../../../../agent/src/timeline/recorder.ts";
import { summarise } from "../../../../agent/src/timeline/savings.ts";
import { Counts } from "./counts.ts";
import { strip } from "../../shared/safe-text.ts";
import { exitCard, footer } from "../transcript/summary.ts";

const DONE = { type: "succeeded", content: "" } as const;
const result = { models: [], reason: "completed", detail: "", text: "", messages: [], turns: 1 } as const;
const usage = { inputTokens: 1000, outputTokens: 500, cacheReadTokens: 18_000, cacheWriteTokens: 500 };

/** Two calls of 2 s each beside each other, started while the response of 3 s still streams. */
function record(recorder: TimelineRecorder): void {
  recorder.hear({ type: "message-started", turn: 1, model: "m" }, 0);
  for (const callId of ["1", "2"]) {
    recorder.hear({ type: "call-arriving", callId, toolName: "Bash", preview: () => ({}) }, 100);
    recorder.hear({ type: "call-arrived", callId, toolName: "Bash", input: {}, description: "x" }, 1000);
    recorder.hear({ type: "call-started", callId, toolName: "Bash" }, 1000);
  }
  for (const callId of ["1", "2"])
    recorder.hear({ type: "call-settled", callId, toolName: "Bash", outcome: DONE, output: "" }, 3000);
  const timings = { firstContentMs: 100, responseMs: 3000, totalMs: 3100 };
  recorder.hear({ type: "turn-ended", turn: 1, stop: "tool_use", usage, timings }, 3100);
}

test("the summary shows the cost, the time saved, and how to resume if possible", () => {
  const view = initialView();
  const counts = new Counts(view);
  const recorder = createTimelineRecorder();
  expect(exitCard(summarise(recorder.timeline()), counts, { resumeId: undefined, width: 100 })).toEqual([]);
  record(recorder);
  const timings = { firstContentMs: 100, responseMs: 3000, totalMs: 3100 };
  reduce(view, { type: "turn-ended", turn: 1, stop: "tool_use", usage, timings });
  reduce(view, { type: "ended", result: { ...result, usage, costUsd: 0.0312 } });
  const summary = summarise(recorder.timeline());
  expect(exitCard(summary, counts, { resumeId: "abc", width: 100 }).map(strip)).toEqual([
    "",
    "1 turn · 3.0 s in the model · 4.0 s in tools · 2.0 s saved by running ahead · $0.0312",
    "Resume with runahead --resume abc",
  ]);
  expect(exitCard(summary, counts, { resumeId: undefined, width: 100 }).map(strip)).toHaveLength(2);
  expect(strip(footer({ mode: "plan", model: "m", counts }))).toBe(
    "plan · m · 19.5k in 500 out · $0.0312 · context 10 %",
  );
});

test("after a compaction nothing counts as cached, because the last request was longer than the conversation is now", () => {
  const view = initialView();
  const counts = new Counts(view);
  const timings = { firstContentMs: 100, responseMs: 3000, totalMs: 3100 };
  reduce(view, { type: "message-started", turn: 1, model: "m" });
  reduce(view, { type: "turn-ended", turn: 1, stop: "end_turn", usage, timings });
  expect(counts.cachedTokens).toEqual({ read: 18_000, written: 500 });
  reduce(view, { type: "compacted", how: "summarised", beforeTokens: 20_000, afterTokens: 3_000 });
  expect([counts.contextTokens, counts.cachedTokens]).toEqual([3_000, { read: 0, written: 0 }]);
});

test("the cost of a model with an unknown price is not guessed", () => {
  const view = initialView();
  const counts = new Counts(view);
  for (const costUsd of [1, undefined, 1])
    reduce(view, { type: "ended", result: { ...result, usage, costUsd } });
  expect(strip(footer({ mode: "default", model: "m", counts }))).toContain("cost unknown");
});

test("a new conversation starts with an empty context, and earlier usage stays counted", () => {
  const [first, second] = [initialView(), initialView()];
  const counts = new Counts(first);
  const timings = { firstContentMs: 100, responseMs: 3000, totalMs: 3100 };
  const judged = { callId: "1", toolName: "Bash", decision: "allow", reason: "", model: "m", usage } as const;
  reduce(first, { type: "permission-judged", ...judged });
  reduce(first, { type: "turn-ended", turn: 1, stop: "end_turn", usage, timings });
  reduce(first, { type: "ended", result: { ...result, usage, costUsd: 1 } });
  expect([counts.inputTokens, counts.outputTokens, counts.contextTokens]).toEqual([39_000, 1000, 20_000]);
  counts.follow(second);
  expect([counts.inputTokens, counts.outputTokens, counts.contextTokens]).toEqual([39_000, 1000, 0]);
  reduce(second, { type: "turn-ended", turn: 1, stop: "end_turn", usage, timings });
  reduce(second, { type: "ended", result: { ...result, usage, costUsd: 2 } });
  expect([counts.inputTokens, counts.costUsd]).toEqual([58_500, 3]);
});

test("what a resumed session used before is counted once", () => {
  const counts = new Counts(initialView());
  const session = { id: "s", usage, costUsd: 0.5 };
  counts.opened(session);
  counts.opened(session);
  expect([counts.inputTokens, counts.outputTokens, counts.costUsd]).toEqual([19_500, 500, 0.5]);
  counts.opened({ id: "t", usage, costUsd: undefined });
  expect(counts.costUsd).toBeUndefined();
});

test("the input of a call counts while it streams, and when it is complete", () => {
  const view = initialView();
  const counts = new Counts(view);
  const call = { callId: "1", toolName: "Write" };
  const input = { content: "x".repeat(800) };
  reduce(view, { type: "message-started", turn: 1, model: "m" });
  reduce(view, { type: "call-arriving", ...call, preview: () => ({ content: "x".repeat(400) }) });
  expect(counts.outputTokens).toBe(100);
  reduce(view, { type: "call-arrived", ...call, input, description: "Write" });
  expect([counts.outputTokens, counts.contextTokens]).toEqual([200, 200]);
});

test("the estimate of the cost includes sub-agents while they work, and the cost of the prompt replaces it", () => {
  const view = initialView();
  const counts = new Counts(view);
  counts.price = { input: 2, output: 10, cacheRead: 0, cacheWrite: 0 };
  const timings = { firstContentMs: 100, responseMs: 3000, totalMs: 3100 };
  const spent = { inputTokens: 1_000_000, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const call = { callId: "1", toolName: "Agent" };
  reduce(view, { type: "message-started", turn: 1, model: "m" });
  reduce(view, { type: "call-arrived", ...call, input: {}, description: "Look" });
  reduce(view, { type: "call-started", ...call });
  const event = { type: "turn-ended", turn: 1, stop: "end_turn", usage: spent, timings } as const;
  reduce(view, { type: "agent-event", ...call, agentId: "agent-1", agentType: "explore", event });
  expect(counts.costUsd).toBe(2);
  reduce(view, { type: "turn-ended", turn: 1, stop: "tool_use", usage: spent, timings });
  expect(counts.costUsd).toBe(4);
  reduce(view, { type: "ended", result: { ...result, usage, costUsd: 3 } });
  counts.settled();
  expect(counts.costUsd).toBe(3);
});
