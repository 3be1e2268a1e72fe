import { expect, test } from "vitest";
import { Counts } from "./counts.ts";
import { strip } from "./safe-text.ts";
import { exitCard, footer } from "./summary.ts";

function turn(counts: Counts, at: (ms: number) => void): void {
  counts.hear({ type: "call-started", callId: "1", toolName: "Bash" });
  counts.hear({ type: "call-started", callId: "2", toolName: "Bash" });
  at(2000);
  counts.hear({ type: "call-settled", callId: "1", toolName: "Bash", outcome: DONE, output: "" });
  counts.hear({ type: "call-settled", callId: "2", toolName: "Bash", outcome: DONE, output: "" });
  const usage = { inputTokens: 1000, outputTokens: 500, cacheReadTokens: 18_000, cacheWriteTokens: 500 };
  const timings = { firstContentMs: 100, responseMs: 3000, totalMs: 3100 };
  counts.hear({ type: "turn-ended", turn: 1, stop: "tool_use", usage, timings });
}

const DONE = { type: "succeeded", content: "" } as const;
const result = { reason: "completed", detail: "", text: "", messages: [], turns: 1 } as const;
const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

test("the card says what it took, what running ahead has saved, and how to go on where one can", () => {
  let now = 0;
  const counts = new Counts(() => now);
  expect(exitCard(counts, undefined)).toEqual([]);
  turn(counts, (ms) => (now = ms));
  counts.hear({ type: "ended", result: { ...result, usage, costUsd: 0.0312 } });
  expect(exitCard(counts, "abc").map(strip)).toEqual([
    "",
    "1 turn · 3.0 s in the model · 4.0 s in tools · 3.9 s saved by running ahead · $0.0312",
    "Go on with it: runahead --resume abc",
  ]);
  expect(exitCard(counts, undefined).map(strip)).toHaveLength(2);
  expect(strip(footer({ mode: "plan", model: "m", counts }))).toBe(
    "plan · m · 19.5k in 500 out · $0.0312 · context 10 %",
  );
});

test("what a model of unknown price costs is not made up", () => {
  const counts = new Counts();
  counts.hear({ type: "ended", result: { ...result, usage, costUsd: 1 } });
  counts.hear({ type: "ended", result: { ...result, usage, costUsd: undefined } });
  counts.hear({ type: "ended", result: { ...result, usage, costUsd: 1 } });
  expect(strip(footer({ mode: "default", model: "m", counts }))).toContain("cost unknown");
});
