import type { EndReason } from "@runahead/harness";
import { expect, test } from "vitest";
import { stopReasonOf } from "./stop-reason.ts";

test.each<[EndReason, string, string]>([
  ["completed", "", "end_turn"],
  ["completed", "refusal it may not", "refusal"],
  ["max_turns", "50", "max_turn_requests"],
  ["budget", "", "max_turn_requests"],
  ["aborted_streaming", "", "cancelled"],
  ["aborted_tools", "", "cancelled"],
  ["hook_stopped", "a hook", "end_turn"],
  ["model_error", "max_tokens, 4 times", "max_tokens"],
  ["model_error", "model_context_window_exceeded, 4 times", "max_tokens"],
])("%s (%s) is told as %3$s", (reason, detail, told) => {
  expect(stopReasonOf({ reason, detail })).toBe(told);
});

test("a model that failed is an error, in its own words", () => {
  expect(() => stopReasonOf({ reason: "model_error", detail: "401: invalid" })).toThrow("401: invalid");
});
