import { expect, test } from "vitest";
import {
  arrived,
  began,
  played,
  prompt,
  queued,
  settled,
  started,
  turnEnded,
} from "../../test/support/timeline.ts";
import type { AgentEvent } from "../loop/event.ts";
import { rowsOf } from "./rows.ts";

const waiting = (callId: string, limit: string): AgentEvent => ({
  ...(queued(callId, "waiting", "Fetch") as Extract<AgentEvent, { type: "call-queued" }>),
  limit,
});

test("the timeline shows which limit a call waited for, and for how long", () => {
  const timeline = played([
    [0, prompt],
    [10, began(1)],
    [20, arrived("a", "Fetch", "one")],
    [20, started("a", "Fetch")],
    [30, arrived("b", "Fetch", "two")],
    [30, waiting("b", "api:/github")],
    [230, settled("a", "Fetch")],
    [230, started("b", "Fetch")],
    [330, settled("b", "Fetch")],
    [340, turnEnded(1, [0, 20, 330])],
  ]);
  expect(timeline.calls.map(({ limit }) => limit)).toEqual([undefined, "api:/github"]);
  const facts = rowsOf(timeline).flatMap((row) => row.facts.filter(([name]) => name === "waited"));
  expect(facts.at(-1)?.[1]).toMatch(/^200 ms for the limit of api:\/github$/);
});

test("the timeline shows each attempt of a call that failed and was tried again", () => {
  const retried = {
    type: "call-retried",
    callId: "a",
    toolName: "Fetch",
    attempt: 1,
    waitMs: 50,
  } as AgentEvent;
  const timeline = played([
    [0, prompt],
    [10, began(1)],
    [20, arrived("a", "Fetch", "one")],
    [20, started("a", "Fetch")],
    [60, retried],
    [200, settled("a", "Fetch")],
  ]);
  expect(timeline.marks.filter(({ type }) => type === "retry")).toEqual([
    { agent: 0, atMs: 60, type: "retry", attempt: 1, waitMs: 50, reason: "Fetch failed" },
  ]);
});
