import { expect, test } from "vitest";
import { endingOf, finishOf } from "./finish.ts";

test("a reason is understood in any letters and with details after a colon; an unknown one is a whole response", () => {
  const meant = ["stop", "tool_calls", "", "length", "MAX_TOKENS", "Safety", "content_filter: SPII", "error"];
  expect(meant.map(finishOf)).toEqual([
    "whole",
    "whole",
    "whole",
    "limit",
    "limit",
    "refused",
    "refused",
    "broken",
  ]);
});

test("calls of a refused or broken response that have not started do not start", () => {
  expect(endingOf("limit", "length")).toEqual({ ok: true });
  expect(endingOf("refused", "SAFETY")).toEqual({ ok: false, reason: "refusal" });
  expect(endingOf("broken", "network_error")).toEqual({
    ok: false,
    reason: "the server ended the response: network_error",
  });
});
