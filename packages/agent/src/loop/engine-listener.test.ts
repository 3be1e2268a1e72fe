import type { EngineEvent } from "@runahead/engine";
import { describe, expect, test } from "vitest";
import { Channel, NOTHING } from "./channel.ts";
import { EngineListener } from "./engine-listener.ts";
import type { AgentEvent } from "./event.ts";

function listening(): { listener: EngineListener; heard: () => string[] } {
  const events = new Channel<AgentEvent>();
  const listener = new EngineListener({
    events,
    presence: undefined,
    toolOf: () => undefined,
    onTurnEnded: () => {},
  });
  const heard = (): string[] => {
    const words: string[] = [];
    for (let next = events.take(); next !== NOTHING; next = events.take())
      words.push(
        [next.type, "callId" in next ? next.callId : "", "state" in next ? next.state : ""].join(" "),
      );
    return words.map((word) => word.trim());
  };
  return { listener, heard };
}

function changed(callId: string, state: "judging" | "waiting" | "running"): EngineEvent {
  const status = state === "running" ? "executing" : "queued";
  return { type: "call-changed", callId, toolName: "Read", state, status, at: 0 };
}

const settled = (callId: string): EngineEvent =>
  ({
    type: "call-settled",
    callId,
    toolName: "Read",
    outcome: { type: "succeeded", content: "" },
  }) as EngineEvent;

describe("while a call is added", () => {
  test("a call that starts at once is not reported as queued", () => {
    const { listener, heard } = listening();
    listener.holdWaiting();
    listener.hear(changed("a", "waiting"));
    listener.hear(changed("a", "running"));
    listener.giveWaiting();
    expect(heard()).toEqual(["call-started a"]);
  });

  test("a call that has to wait is reported as queued", () => {
    const { listener, heard } = listening();
    listener.holdWaiting();
    listener.hear(changed("a", "waiting"));
    listener.giveWaiting();
    expect(heard()).toEqual(["call-queued a waiting"]);
  });

  test("a call that settles without running was queued before", () => {
    const { listener, heard } = listening();
    listener.holdWaiting();
    listener.hear(changed("a", "judging"));
    listener.hear(changed("a", "waiting"));
    listener.hear(settled("a"));
    listener.giveWaiting();
    expect(heard()).toEqual(["call-queued a judging", "call-queued a waiting", "call-settled a"]);
  });

  test("another call that starts does not hide it", () => {
    const { listener, heard } = listening();
    listener.holdWaiting();
    listener.hear(changed("b", "waiting"));
    listener.hear(changed("a", "running"));
    listener.giveWaiting();
    expect(heard()).toEqual(["call-started a", "call-queued b waiting"]);
  });
});

test("a call that waits later is reported at once", () => {
  const { listener, heard } = listening();
  listener.hear(changed("a", "waiting"));
  expect(heard()).toEqual(["call-queued a waiting"]);
});

test("V10: failures of hooks, the journal, the store and context changes are notices", () => {
  const about = { callId: "a", toolName: "Read", at: 0, message: "disk full" };
  const failures: EngineEvent[] = [
    { ...about, type: "hook-failed", hook: "preToolUse" },
    { ...about, type: "journal-failed" },
    { ...about, type: "results-failed" },
    { ...about, type: "context-failed" },
  ];
  const events = new Channel<AgentEvent>();
  const ports = { events, presence: undefined, toolOf: () => undefined, onTurnEnded: () => {} };
  const listener = new EngineListener(ports);
  for (const failure of failures) listener.hear(failure);
  expect(failures.map(() => events.take())).toEqual([
    { type: "notice", message: "The hook preToolUse failed: disk full" },
    { type: "notice", message: "This session is not being saved: disk full" },
    { type: "notice", message: "Cannot store a large result: disk full" },
    { type: "notice", message: "A tool's change of the context failed: disk full" },
  ]);
  expect(events.take()).toBe(NOTHING);
});
