import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { type AgentEvent, initialView, reduce } from "@runahead/harness";
import { expect, test } from "vitest";
import { Calls } from "./calls.ts";

type Outcome = Extract<AgentEvent, { type: "call-settled" }>["outcome"];

const call = { callId: "main", toolName: "Agent" };
const inner = { callId: "inner", toolName: "Bash" };
const of = (event: AgentEvent): AgentEvent => ({
  type: "agent-event",
  ...call,
  agentId: "one",
  agentType: "explore",
  event,
});

function updatesFor(...events: readonly AgentEvent[]): SessionUpdate[] {
  const updates: SessionUpdate[] = [];
  const calls = new Calls("/repo", (update) => updates.push(update));
  const view = initialView();
  for (const event of events) for (const change of reduce(view, event)?.calls ?? []) calls.changed(change);
  calls.close();
  return updates;
}

const statuses = (updates: readonly SessionUpdate[]): unknown[] =>
  updates.flatMap((update) =>
    "status" in update && "toolCallId" in update ? [[update.toolCallId, update.status]] : [],
  );

const SUCCEEDED: Outcome = { type: "succeeded", content: "done" };
const FAILED: Outcome = { type: "failed", fault: "exception", message: "no" };

test.each([
  [SUCCEEDED, "completed"],
  [FAILED, "failed"],
])(
  "a call that a sub-agent left open ends like the call that started the sub-agent: %j",
  (outcome, status) => {
    const updates = updatesFor(
      { type: "call-started", ...call },
      of({ type: "call-arrived", ...inner, input: { command: "ls" }, description: "List" }),
      of({ type: "call-started", ...inner }),
      { type: "call-settled", ...call, outcome, output: undefined },
    );
    expect(updates.map((update) => "title" in update && update.title).filter(Boolean)).toEqual([
      "Agent",
      "explore (one): Bash",
      "explore (one): $ ls",
    ]);
    expect(statuses(updates)).toEqual([
      ["main", "pending"],
      ["main", "in_progress"],
      ["inner", "pending"],
      ["inner", "in_progress"],
      ["inner", status],
      ["main", status],
    ]);
  },
);

test("a call whose response is requested again has failed, and forged progress is not a sub-agent", () => {
  const error = Object.assign(new Error("overloaded"), { kind: "overloaded" }) as never;
  const forged = { type: "agent", agentId: "x", agentType: "x", event: { type: "call-started", ...inner } };
  const updates = updatesFor(
    { type: "call-arriving", ...call, preview: () => ({}) },
    { type: "call-progress", ...call, data: forged },
    { type: "retry", attempt: 1, waitMs: 1, error },
  );
  expect(statuses(updates)).toEqual([
    ["main", "pending"],
    ["main", "failed"],
  ]);
});
