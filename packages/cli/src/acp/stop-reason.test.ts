import type { QueryResult } from "@runahead/harness";
import { expect, test } from "vitest";
import { stopReasonOf } from "./stop-reason.ts";

test.each<[QueryResult["reason"], QueryResult["stop"], string]>([
  ["completed", undefined, "end_turn"],
  ["completed", "refusal", "refusal"],
  ["max_turns", undefined, "max_turn_requests"],
  ["budget", undefined, "max_turn_requests"],
  ["aborted_streaming", undefined, "cancelled"],
  ["aborted_tools", undefined, "cancelled"],
  ["hook_stopped", undefined, "end_turn"],
  ["model_error", "max_tokens", "max_tokens"],
  ["model_error", "model_context_window_exceeded", "max_tokens"],
])("%s (%s) becomes %3$s", (reason, stop, expected) => {
  const why = stop === undefined ? {} : { stop };
  expect(stopReasonOf({ reason, detail: "", ...why })).toBe(expected);
});

test("a model error is an error with its message", () => {
  expect(() => stopReasonOf({ reason: "model_error", detail: "401: invalid" })).toThrow("401: invalid");
});
