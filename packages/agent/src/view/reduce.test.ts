import { defineTool } from "@runahead/engine";
import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { agentWorld } from "../../test/support/agent-world.ts";
import { runQuery } from "../../test/support/run-query.ts";
import {
  NOT_RUN,
  TIMED_OUT,
  arrived,
  arriving,
  began,
  ofAgent,
  queued,
  settled,
  started,
  text,
  turnEnded,
} from "../../test/support/timeline.ts";
import { agentTool } from "../agents/sub-agent.ts";
import type { AgentEvent } from "../loop/event.ts";
import { query } from "../loop/query.ts";
import { scripted } from "../model/scripted.ts";
import { addUsage, NO_USAGE } from "../model/token-usage.ts";
import { createTimelineRecorder } from "../timeline/recorder.ts";
import { summarise } from "../timeline/savings.ts";
import { initialView, reduce } from "./reduce.ts";
import type { AgentView, CallChange, CallView, TurnView } from "./view.ts";

/** A run of up to 150 events before it ends. */
const worlds = fc.array(fc.nat(), { maxLength: 150 }).map(agentWorld);

interface Heard {
  readonly view: AgentView;
  readonly changes: readonly CallChange[];
  readonly turns: ReadonlySet<TurnView>;
}

function heard(events: readonly AgentEvent[], view = initialView()): Heard {
  const steps = events.flatMap((event, at) => reduce(view, event, at) ?? []);
  return {
    view,
    changes: steps.flatMap(({ calls }) => calls),
    turns: new Set(steps.flatMap(({ turns }) => turns)),
  };
}

const of = (changes: readonly CallChange[], what: CallChange["what"]): CallView[] =>
  changes.flatMap((change) => (change.what === what ? [change.call] : []));

/** Changes as values that can be compared between views. */
function summaries(changes: readonly CallChange[]): unknown[] {
  return changes.map(({ what, call }) => [what, call.agent.id, call.id, call.end?.how, call.arrivedMs]);
}

test("in every order that the executor can produce, each call begins once and ends once", () => {
  fc.assert(
    fc.property(worlds, ({ events, truth }) => {
      const { view, changes, turns } = heard(events);
      const [begun, ended] = [of(changes, "began"), of(changes, "ended")];
      expect(begun).toHaveLength(truth.began);
      expect(ended).toHaveLength(truth.began);
      expect(new Set(ended)).toEqual(new Set(begun));
      expect(ended.filter(({ end }) => end?.outcome !== undefined)).toHaveLength(truth.settled);
      expect(ended.filter(({ end }) => end?.outcome === undefined)).toHaveLength(truth.dropped);
      expect(turns.size).toBe(truth.turns);
      for (const call of ended) {
        expect(call.state).toBe("ended");
        expect(changes.findLast((change) => change.call === call)?.what).toBe("ended");
        const times = [call.arrivedMs, call.completeMs, call.startedMs, call.endedMs].filter(
          (time) => time !== undefined,
        );
        expect(times).toEqual(times.toSorted((one, other) => one - other));
      }
      for (const { stop, openCalls } of turns) expect([stop === "open", openCalls.size]).toEqual([false, 0]);
      expect(view.result?.reason).toBe("completed");
    }),
    { numRuns: 200 },
  );
});

test("the calls of a sub-agent end before the call that started it", () => {
  fc.assert(
    fc.property(worlds, ({ events }) => {
      const ended = of(heard(events).changes, "ended");
      const places = new Map(ended.map((call, at) => [call, at]));
      for (const call of ended) {
        const caller = call.agent.call;
        if (caller !== undefined) expect(places.get(call)).toBeLessThan(places.get(caller) ?? -1);
      }
    }),
    { numRuns: 100 },
  );
});

test("the view and the timeline count the same", () => {
  fc.assert(
    fc.property(worlds, ({ events }) => {
      const { view, changes, turns } = heard(events);
      const recorder = createTimelineRecorder();
      events.forEach((event, at) => recorder.hear(event, at));
      const timeline = recorder.timeline();
      const ended = of(changes, "ended");
      const { calls, outcomes } = summarise(timeline);
      expect(calls).toBe(ended.length);
      for (const [how, count] of Object.entries(outcomes))
        expect([how, ended.filter(({ end }) => end?.how === how).length]).toEqual([how, count]);
      expect(timeline.turns).toHaveLength(turns.size);
      const own = timeline.turns.filter(({ agent }) => agent === 0);
      const output = own.reduce((sum, { outputTokens }) => sum + outputTokens, 0);
      expect(output).toBe(view.usage.outputTokens);
      const all = [...turns].reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE);
      expect(timeline.turns.reduce((sum, turn) => sum + turn.outputTokens, 0)).toBe(all.outputTokens);
    }),
    { numRuns: 100 },
  );
});

test("events of unknown types, and late events of calls that have ended, change nothing", () => {
  const unknown = { type: "call-teleported", callId: "call_0", toolName: "Bash" } as never;
  fc.assert(
    fc.property(worlds, ({ events }) => {
      let late: AgentEvent[] = [];
      const noisy = events.flatMap((event) => {
        if (event.type === "message-started") late = [];
        if (event.type === "call-settled") {
          const { callId, toolName } = event;
          late = [{ ...event, outcome: NOT_RUN }, started(callId, toolName), queued(callId, "asking")];
          return [event, unknown, ...late, arrived(callId, toolName), arriving(callId, toolName)];
        }
        return [event, unknown, ...(event.type === "retry" ? [] : late)];
      });
      const quiet = summaries(heard(events).changes).map((change) => (change as unknown[]).slice(0, 4));
      expect(summaries(heard(noisy).changes).map((change) => (change as unknown[]).slice(0, 4))).toEqual(
        quiet,
      );
    }),
    { numRuns: 100 },
  );
});

test("a view that keeps no content reports the same changes, and keeps neither text nor ended calls", () => {
  fc.assert(
    fc.property(worlds, ({ events }) => {
      const lean = heard(events, initialView({ keepsContent: false }));
      expect(summaries(lean.changes)).toEqual(summaries(heard(events).changes));
      for (const turn of lean.turns) expect([turn.text, turn.thinking, turn.calls.size]).toEqual(["", "", 0]);
    }),
    { numRuns: 50 },
  );
});

test("a call goes through its states, and its times and waits are those of the events", () => {
  const view = initialView();
  const states: unknown[] = [];
  const events: [number, AgentEvent][] = [
    [0, began(1)],
    [10, arriving("a", "Bash")],
    [20, arrived("a", "Bash", "ls")],
    [21, queued("a", "judging")],
    [25, queued("a", "asking")],
    [90, queued("a", "waiting")],
    [95, started("a", "Bash")],
    [99, { type: "call-progress", callId: "a", toolName: "Bash", data: { type: "output", content: "one " } }],
    [99, { type: "call-progress", callId: "a", toolName: "Bash", data: { type: "output", content: "two" } }],
    [
      99,
      { type: "call-progress", callId: "a", toolName: "Bash", data: { type: "status", message: "still" } },
    ],
    [99, { type: "call-progress", callId: "a", toolName: "Bash", data: null }],
  ];
  const call = (): CallView | undefined => view.turn?.calls.get("a");
  for (const [at, event] of events) {
    reduce(view, event, at);
    if (states.at(-1) !== call()?.state) states.push(call()?.state);
  }
  expect(states).toEqual(
    [undefined, "arriving", "arrived", "judging", "asking", "waiting", "running"].slice(1),
  );
  expect(call()).toMatchObject({ printed: "one two", status: "still", description: "ls", startedMs: 95 });
  reduce(view, settled("a", "Bash"), 120);
  expect(call()).toMatchObject({
    state: "ended",
    end: { how: "succeeded" },
    printed: "",
    arrivedMs: 10,
    completeMs: 20,
    endedMs: 120,
    queue: [
      ["judging", 21, 25],
      ["asking", 25, 90],
      ["waiting", 90, 95],
    ],
  });
  expect(view.turn?.openCalls.size).toBe(0);
});

test("a nested sub-agent is found in its call, and ends with it", () => {
  const view = initialView();
  const events = [
    started("a", "Agent"),
    ofAgent("a", started("b", "Agent"), "one"),
    ofAgent("a", ofAgent("b", text, "two"), "one"),
    ofAgent("a", ofAgent("b", started("c", "Bash"), "two"), "one"),
  ];
  for (const event of events) reduce(view, event);
  const one = view.turn?.calls.get("a")?.agents.get("one");
  const two = one?.turn?.calls.get("b")?.agents.get("two");
  expect([two?.turn?.text, two?.agentType, two?.call?.agent, one?.call?.agent]).toEqual([
    "secret words",
    "explore",
    one,
    view,
  ]);
  const step = reduce(view, settled("a", "Agent", TIMED_OUT));
  expect(step?.calls.map(({ what, call }) => [what, call.id, call.end?.how])).toEqual([
    ["ended", "c", "stopped"],
    ["ended", "b", "stopped"],
    ["ended", "a", "stopped"],
  ]);
  expect(reduce(view, ofAgent("a", text, "one"))).toBeUndefined();
  expect([two?.turn?.stop, one?.turn?.stop]).toEqual(["cut", "cut"]);
});

test("an id that is reused in the next turn is another call", () => {
  const view = initialView();
  const first = [began(1), arrived("a", "Bash"), settled("a", "Bash"), turnEnded(1, [1, 2, 3])];
  const { changes } = heard([...first, ...first], view);
  expect(new Set(of(changes, "ended")).size).toBe(2);
});

test("the cost of an event does not depend on the output or the number of calls", () => {
  const view = initialView();
  const content = "x".repeat(100);
  reduce(view, started("a", "Bash"));
  const printed: AgentEvent = {
    type: "call-progress",
    callId: "a",
    toolName: "Bash",
    data: { type: "output", content },
  };
  // At 200,000 characters a copy for each of these events would take minutes.
  for (let at = 0; at < 300_000; at++) reduce(view, printed, at);
  expect(view.turn?.calls.get("a")?.printed).toHaveLength(200_000);
  for (let at = 0; at < 100_000; at++) {
    reduce(view, arrived(`b${at}`, "Bash"), at);
    reduce(view, settled(`b${at}`, "Bash"), at);
  }
  expect([view.turn?.calls.size, view.turn?.openCalls.size, view.settledCalls]).toEqual([
    100_001, 1, 100_000,
  ]);
});

test("an argument that is not a view is refused", () => {
  expect(() => reduce({} as AgentView, text)).toThrow("made by initialView()");
});

test("the events of the real loop with sub-agents give each call of the history its end", async () => {
  const use = (id: string, name: string, input: object = {}) => ({ type: "tool_use", id, name, input });
  const work = defineTool({
    name: "Work",
    description: "Work",
    inputSchema: z.object({}).loose(),
    isReadOnly: () => true,
    call: async (_input, { progress }) => {
      progress({ type: "output", content: "half" });
      await new Promise((resolve) => setImmediate(resolve));
      return "done";
    },
  });
  const model = scripted([[use("x", "Work"), use("y", "Work")], [{ type: "text", text: "Found." }]]);
  const options = { model, tools: [work] };
  const agent = { description: "look", prompt: "look" };
  const parent = scripted([
    [use("a", "Agent", agent), use("b", "Work"), use("c", "Nope")],
    [{ type: "text", text: "Thanks." }],
  ]);
  const { events } = await runQuery({
    ...options,
    model: parent,
    tools: [work, agentTool({ options })],
    prompt: "go",
  });
  const { changes } = heard(events);
  const ends = of(changes, "ended").map(
    ({ id, agent: { agentType }, end }) => `${agentType}/${id} ${end?.how}`,
  );
  expect(ends.toSorted()).toEqual([
    "/a succeeded",
    "/b succeeded",
    "/c failed",
    "general-purpose/x succeeded",
    "general-purpose/y succeeded",
  ]);
});

test("a reader that is slow misses progress of a sub-agent, but never the end of one of its calls", async () => {
  const use = (id: string, name: string, input: object = {}) => ({ type: "tool_use", id, name, input });
  const many = defineTool({
    name: "Many",
    description: "Many",
    inputSchema: z.object({}).loose(),
    isReadOnly: () => true,
    call: (_input, { progress }) => {
      for (let at = 0; at < 3; at++) progress({ type: "output", content: "x" });
      return "done";
    },
  });
  const ids = Array.from({ length: 300 }, (_, at) => `x${at}`);
  let hasFound = (): void => {};
  const found = new Promise<void>((resolve) => (hasFound = resolve));
  const model = scripted([
    ids.map((id) => use(id, "Many")),
    () => {
      hasFound();
      return [{ type: "text", text: "Found." }];
    },
  ]);
  const options = { model, tools: [many] };
  const parent = scripted([
    [use("a", "Agent", { description: "look", prompt: "look" })],
    [{ type: "text", text: "Thanks." }],
  ]);
  const events: AgentEvent[] = [];
  const tools = [many, agentTool({ options })];
  for await (const event of query({ ...options, model: parent, tools, prompt: "go" })) {
    events.push(event);
    // Until the calls of the sub-agent have ended, nothing more is read.
    if (event.type === "agent-event") await found;
  }
  const ended = of(heard(events).changes, "ended");
  expect(ended.filter(({ end }) => end?.outcome !== undefined)).toHaveLength(301);
});

test("a background agent stays in the view after its call, until it ends", () => {
  const view = initialView();
  const call = { callId: "a", toolName: "Agent" };
  const sub = (event: AgentEvent): AgentEvent => ({
    type: "agent-event",
    ...call,
    agentId: "agent-1",
    agentType: "explore",
    event,
  });
  const usage = { inputTokens: 7, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const timings = { firstContentMs: 1, responseMs: 2, totalMs: 3 };
  reduce(view, { type: "message-started", turn: 1, model: "m" });
  reduce(view, { type: "call-arrived", ...call, input: {}, description: "look" });
  reduce(view, { type: "call-started", ...call });
  reduce(view, sub({ type: "agent-started", description: "look", isBackground: true }));
  reduce(view, { type: "call-settled", ...call, outcome: { type: "succeeded", content: "" }, output: "" });
  const step = reduce(view, sub({ type: "text", text: "Still here." }));
  expect(step?.agent.turn?.text).toBe("Still here.");
  reduce(view, sub({ type: "turn-ended", turn: 1, stop: "end_turn", usage, timings }));
  expect([[...view.backgroundAgents.keys()], view.agentsUsage.inputTokens]).toEqual([["agent-1"], 7]);
  const result = {
    reason: "completed",
    detail: "",
    text: "",
    messages: [],
    turns: 1,
    usage,
    costUsd: 0,
    models: [],
  } as const;
  reduce(view, sub({ type: "ended", result }));
  expect(view.backgroundAgents.size).toBe(0);
  expect(reduce(view, sub({ type: "text", text: "Late." }))).toBeUndefined();
});

test("text after a carriage return replaces the last printed line", () => {
  const view = initialView();
  const print = (content: string): void => {
    const data = { type: "output", content };
    reduce(view, { type: "call-progress", callId: "a", toolName: "Bash", data }, 2);
  };
  for (const event of [began(1), arrived("a", "Bash")]) reduce(view, event, 1);
  for (const content of ["start\n10%", "\r20%", "\r30%", "\ndone"]) print(content);
  expect(view.turn?.calls.get("a")?.printed).toBe("start\n30%\ndone");
});

const nestedCall = (id: string, parentId: string, more: object): AgentEvent =>
  ({ callId: id, toolName: "Price", parentId, ...more }) as AgentEvent;
const nestedArrived = (id: string, parentId = "a"): AgentEvent =>
  nestedCall(id, parentId, { type: "call-arrived", input: {}, description: id });
const nestedSettled = (id: string, outcome: object, parentId = "a"): AgentEvent =>
  nestedCall(id, parentId, { type: "call-settled", outcome, output: undefined });

test("the calls of a script are below the call of the script, and end before it", () => {
  const view = initialView();
  const events = [
    began(1),
    arrived("a", "Code"),
    started("a", "Code"),
    nestedArrived("a.1"),
    nestedCall("a.1", "a", { type: "call-started" }),
    nestedCall("a.1", "a", { type: "call-progress", data: { type: "status", message: "half" } }),
    nestedArrived("a.1.1", "a.1"),
    nestedArrived("a.2"),
    nestedSettled("a.2", { type: "failed", fault: "exception", message: "no" }),
  ];
  for (const event of events) reduce(view, event);
  const script = view.turn?.calls.get("a");
  expect([[...(view.turn?.calls.keys() ?? [])], [...(script?.calls.keys() ?? [])]]).toEqual([
    ["a"],
    ["a.1", "a.2"],
  ]);
  expect(script).toMatchObject({ madeCalls: 2, failedCalls: 1, parent: undefined, status: "" });
  const first = script?.calls.get("a.1");
  expect([first?.status, first?.parent, first?.calls.get("a.1.1")?.parent]).toEqual(["half", script, first]);
  const step = reduce(view, settled("a", "Code"));
  expect(step?.calls.map(({ what, call }) => [what, call.id, call.end?.how])).toEqual([
    ["ended", "a.1.1", "not-run"],
    ["ended", "a.1", "stopped"],
    ["ended", "a", "succeeded"],
  ]);
  // Only the calls of the model count.
  expect([view.settledCalls, view.turn?.openCalls.size]).toEqual([1, 0]);
  expect(reduce(view, nestedSettled("a.1", { type: "succeeded", content: "" }))?.calls).toEqual([]);
});

test("of a script with a thousand calls, the open ones and the last 100 are kept", () => {
  for (const keepsContent of [true, false]) {
    const view = initialView({ keepsContent });
    for (const event of [began(1), arrived("a", "Code"), started("a", "Code")]) reduce(view, event);
    reduce(view, nestedArrived("open"));
    for (let at = 1; at <= 1_000; at++) {
      reduce(view, nestedArrived(`a.${at}`));
      reduce(view, nestedSettled(`a.${at}`, { type: "succeeded", content: "" }));
    }
    const script = view.turn?.calls.get("a");
    expect([script?.madeCalls, script?.calls.size, script?.calls.has("open")]).toEqual([
      1_001,
      keepsContent ? 101 : 1,
      true,
    ]);
  }
});

test("a sub-agent that a script starts is below the script's call", () => {
  const view = initialView();
  for (const event of [began(1), arrived("a", "Code"), started("a", "Code"), nestedArrived("a.1")])
    reduce(view, event);
  const wrapped = { ...ofAgent("a.1", text, "one"), parentId: "a" } as AgentEvent;
  expect(reduce(view, wrapped)?.agent.call).toBe(view.turn?.calls.get("a")?.calls.get("a.1"));
});
