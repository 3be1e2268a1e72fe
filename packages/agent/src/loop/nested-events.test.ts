import type { EngineEvent, Outcome } from "@runahead/engine";
import { expect, test } from "vitest";
import { AgentProgress } from "../agents/agent-progress.ts";
import { Channel, NOTHING } from "./channel.ts";
import type { AgentEvent } from "./event.ts";
import { NestedEvents } from "./nested-events.ts";

const SUCCEEDED: Outcome = { type: "succeeded", content: "done" };
const STOPPED: Outcome = {
  type: "aborted",
  cause: { kind: "timeout", limitMs: 10 },
  effect: "unknown",
  ranMs: 10,
  output: "",
  abandoned: false,
};

const call = (callId: string) => ({ callId, toolName: "Price" });
const arrived = (callId: string) =>
  ({ type: "call-arrived", ...call(callId), input: { sku: "a" }, description: "Price a" }) as const;
const changed = (callId: string, state: "waiting" | "running"): EngineEvent => ({
  type: "call-changed",
  at: 1,
  ...call(callId),
  state,
  status: "queued",
});
const settled = (callId: string): EngineEvent =>
  ({ type: "call-settled", at: 2, ...call(callId), outcome: SUCCEEDED, output: 1 }) as EngineEvent;

function nestedEvents(): { readonly nested: NestedEvents; readonly taken: () => AgentEvent[] } {
  const channel = new Channel<AgentEvent>();
  const taken = (): AgentEvent[] => {
    const events: AgentEvent[] = [];
    for (let next = channel.take(); next !== NOTHING; next = channel.take()) events.push(next);
    return events;
  };
  return { nested: new NestedEvents(channel), taken };
}

test("a call of a script has the events of a call, each with its parent", () => {
  const { nested, taken } = nestedEvents();
  const events = [arrived("a.1"), changed("a.1", "waiting"), changed("a.1", "running"), settled("a.1")];
  for (const event of events) nested.hear(event, "a");
  expect(taken()).toEqual([
    { ...arrived("a.1"), parentId: "a" },
    { type: "call-started", ...call("a.1"), parentId: "a" },
    { type: "call-settled", ...call("a.1"), outcome: SUCCEEDED, output: 1, parentId: "a" },
  ]);
});

test("a call that does not start at once is reported as waiting", async () => {
  const { nested, taken } = nestedEvents();
  nested.hear(arrived("a.1"), "a");
  nested.hear(changed("a.1", "waiting"), "a");
  await Promise.resolve();
  expect(taken().at(-1)).toEqual({ type: "call-queued", ...call("a.1"), state: "waiting", parentId: "a" });
});

test("events of a sub-agent that a script starts belong to the script's call", () => {
  const { nested, taken } = nestedEvents();
  nested.hear(arrived("a.1"), "a");
  const data = new AgentProgress("agent-1", "explore", { type: "text", text: "Hm." });
  nested.hear({ type: "call-progress", at: 1, ...call("a.1"), data }, "a");
  expect(taken().at(-1)).toEqual({
    type: "agent-event",
    ...call("a.1"),
    agentId: "agent-1",
    agentType: "explore",
    event: { type: "text", text: "Hm." },
    parentId: "a",
  });
});

test("a call that has ended ends the calls that it made, and later events about them are dropped", () => {
  const { nested, taken } = nestedEvents();
  for (const id of ["a.1", "a.2", "a.3"]) nested.hear(arrived(id), "a");
  nested.hear(changed("a.1", "running"), "a");
  nested.hear(settled("a.3"), "a");
  // A script of the script.
  nested.hear(arrived("a.1.1"), "a.1");
  taken();
  nested.close("a", STOPPED);
  const ended = taken();
  expect(ended.map((event) => "callId" in event && [event.type, event.callId])).toEqual([
    ["call-settled", "a.1.1"],
    ["call-settled", "a.1"],
    ["call-settled", "a.2"],
  ]);
  expect(ended[1]).toMatchObject({
    outcome: { type: "aborted", cause: { kind: "timeout" }, effect: "unknown", abandoned: true },
  });
  expect(ended[2]).toMatchObject({ outcome: { effect: "none", abandoned: false } });
  for (const event of [changed("a.2", "running"), settled("a.1"), arrived("a.4")]) nested.hear(event, "a");
  nested.close("a", STOPPED);
  expect(taken()).toEqual([]);
});

test("a decision of auto mode about a call of a script has its parent too", () => {
  const { nested, taken } = nestedEvents();
  const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const judged = (callId: string) =>
    ({
      type: "permission-judged",
      ...call(callId),
      decision: "allow",
      reason: "",
      model: "m",
      usage,
    }) as AgentEvent;
  nested.hear(arrived("a.1"), "a");
  taken();
  nested.push(judged("a.1"));
  nested.push(judged("b"));
  expect(taken()).toEqual([{ ...judged("a.1"), parentId: "a" }, judged("b")]);
});
