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
    { type: "retry", attempt: 1, attempts: 10, waitMs: 1, error },
  );
  expect(statuses(updates)).toEqual([
    ["main", "pending"],
    ["main", "failed"],
  ]);
});

test("of a script with many calls the first are sent, and later ones that ask or fail", () => {
  const script = { callId: "main", toolName: "Code" };
  const nested = (at: number, event: object): AgentEvent =>
    ({ callId: `main.${at}`, toolName: "Price", parentId: "main", ...event }) as AgentEvent;
  const numbers = Array.from({ length: 1_000 }, (_, at) => at + 1);
  const updates = updatesFor(
    { type: "call-started", ...script },
    ...numbers.flatMap((at) => [
      nested(at, { type: "call-arrived", input: {}, description: `Price ${at}` }),
      ...(at === 500 ? [nested(at, { type: "call-queued", state: "asking" })] : []),
      nested(at, { type: "call-started" }),
      nested(at, { type: "call-settled", outcome: at === 700 ? FAILED : SUCCEEDED, output: 1 }),
    ]),
    { type: "call-settled", ...script, outcome: SUCCEEDED, output: undefined },
  );
  const begun = updates.flatMap((update) => (update.sessionUpdate === "tool_call" ? [update] : []));
  const sent = [...numbers.slice(0, 20), 500, 700].map((at) => `main.${at}`);
  expect(begun.map(({ toolCallId }) => toolCallId)).toEqual(["main", ...sent]);
  expect(begun.at(-1)?.title).toBe("Code: Price");
  // What is updated was sent before, and each ends once.
  const ended = statuses(updates).filter((one) => /completed|failed/.test(String(one)));
  expect(ended.map((one) => String((one as string[])[0])).toSorted()).toEqual(["main", ...sent].toSorted());
  expect(new Set(updates.map((update) => "toolCallId" in update && update.toolCallId)).size).toBe(23);
});
