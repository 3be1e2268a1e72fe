/** Sessions to draw: made of the events that a loop gives, at times of our choosing. */

import { type AgentEvent } from "../../src/loop/event.ts";
import { ModelError } from "../../src/model/error.ts";
import type { Timeline } from "../../src/timeline/model.ts";
import { createTimelineRecorder } from "../../src/timeline/recorder.ts";

type At = readonly [atMs: number, event: AgentEvent];
type Settled = AgentEvent & { readonly type: "call-settled" };

const SUCCEEDED: Settled["outcome"] = { type: "succeeded", content: "secret output" };
export const FAILED: Settled["outcome"] = { type: "failed", fault: "exception", message: "secret message" };
export const DENIED: Settled["outcome"] = { type: "denied", by: "a person", reason: "secret reason" };
export const TIMED_OUT: Settled["outcome"] = {
  type: "aborted",
  cause: { kind: "timeout", limitMs: 1000 },
  effect: "unknown",
  ranMs: 1000,
  output: "secret output",
  abandoned: false,
};
export const NOT_RUN: Settled["outcome"] = {
  type: "aborted",
  cause: { kind: "user-interrupted", reason: "secret" },
  effect: "none",
  ranMs: 0,
  output: "",
  abandoned: false,
};

export const prompt: AgentEvent = { type: "prompt-attached", prompt: "secret prompt" };
export const text: AgentEvent = { type: "text", text: "secret words" };

export function began(turn: number, model = "claude-opus-4"): AgentEvent {
  return { type: "message-started", turn, model };
}

export function arriving(callId: string, toolName: string): AgentEvent {
  return { type: "call-arriving", callId, toolName, preview: () => ({}) };
}

export function arrived(callId: string, toolName: string, description = ""): AgentEvent {
  const input = { secret: "secret input" };
  return { type: "call-arrived", callId, toolName, input, description };
}

export function queued(
  callId: string,
  state: "judging" | "asking" | "waiting",
  toolName = "Bash",
): AgentEvent {
  return { type: "call-queued", callId, toolName, state };
}

export function started(callId: string, toolName: string): AgentEvent {
  return { type: "call-started", callId, toolName };
}

export function settled(
  callId: string,
  toolName: string,
  outcome: Settled["outcome"] = SUCCEEDED,
): AgentEvent {
  return { type: "call-settled", callId, toolName, outcome, output: "secret output" };
}

/** The same event, of a call that another call made. */
export function madeBy(parentId: string, event: AgentEvent): AgentEvent {
  return { ...event, parentId } as AgentEvent;
}

/** A script that makes many calls, one after the other. The calls with these numbers fail. */
export function scriptEvents(count: number, failing: readonly number[] = []): AgentEvent[] {
  const calls = Array.from({ length: count }, (_, at) => {
    const id = `a.${at + 1}`;
    const ended = failing.includes(at + 1) ? settled(id, "Price", FAILED) : settled(id, "Price");
    return [arrived(id, "Price", `Price ${at + 1}`), started(id, "Price"), ended];
  });
  return [
    began(1),
    arrived("a", "Code", "Run a script"),
    started("a", "Code"),
    ...calls.flat().map((event) => madeBy("a", event)),
  ];
}

/** From its request: the first content, the end of the response, the last result. */
export function turnEnded(turn: number, timings: readonly [number, number, number]): AgentEvent {
  const [firstContentMs, responseMs, totalMs] = timings;
  const usage = { inputTokens: 1200, outputTokens: 340, cacheReadTokens: 8000, cacheWriteTokens: 0 };
  return {
    type: "turn-ended",
    turn,
    stop: "tool_use",
    usage,
    timings: { firstContentMs, responseMs, totalMs },
  };
}

export function ofAgent(callId: string, event: AgentEvent, agentId = "agent-1"): AgentEvent {
  return { type: "agent-event", callId, toolName: "Agent", agentId, agentType: "explore", event };
}

export function played(events: readonly At[], title = ""): Timeline {
  const recorder = createTimelineRecorder({ title });
  for (const [atMs, event] of events) recorder.hear(event, atMs);
  return recorder.timeline();
}

/** A call from its arrival to its end, as four events. */
function call(
  id: string,
  [toolName, what]: readonly [string, string],
  [first, whole, start, end, outcome = SUCCEEDED]: readonly [
    number,
    number,
    number,
    number,
    Settled["outcome"]?,
  ],
): At[] {
  const begun: At[] = [
    [first, arriving(id, toolName)],
    [whole, arrived(id, toolName, what)],
  ];
  const begin: At[] = outcome === DENIED || outcome === NOT_RUN ? [] : [[start, started(id, toolName)]];
  return [...begun, ...begin, [end, settled(id, toolName, outcome)]];
}

/** One of everything: a retry, a sub-agent, a question, failures, a compaction. */
export function everything(): Timeline {
  const recorder = createTimelineRecorder({ title: "Fix the failing test" });
  const error = new ModelError("overloaded", "529: overloaded");
  const events: At[] = [
    [0, prompt],
    [180, { type: "retry", attempt: 1, attempts: 10, waitMs: 700, error }],
    [1200, began(1)],
    [1500, text],
    ...call("a", ["Read", "src/parse.ts"], [1800, 1900, 1905, 1990]),
    ...call("b", ["Grep", 'parseHeader in "src"'], [2000, 2140, 2145, 2900]),
    ...call("c", ["Bash", "npm test -- parse"], [2200, 2400, 2901, 5200, FAILED]),
    ...call("d", ["Agent", "explore: find callers of parseHeader"], [2500, 3000, 3010, 6900]),
    ...subAgent("d"),
    ...call("e", ["WebFetch", "https://example.com/spec"], [3100, 3300, 3302, 4302, TIMED_OUT]),
    [7000, turnEnded(1, [600, 2700, 6100])],
    [7010, { type: "compacted", how: "summarised", beforeTokens: 180_000, afterTokens: 21_000 }],
    [7900, began(2)],
    [8000, text],
    ...call("f", ["Edit", "src/parse.ts"], [8300, 8900, 9900, 9960]),
    ...call("g", ["Bash", "rm -rf build"], [8950, 9000, 0, 11_000, DENIED]),
    ...call("h", ["Bash", "npm test"], [9050, 9100, 9965, 12_300]),
    [12_310, turnEnded(2, [900, 2200, 5200])],
    [13_300, began(3)],
    [13_500, text],
    ...call("i", ["Write", "CHANGELOG.md"], [13_900, 14_200, 0, 14_600, NOT_RUN]),
    [14_600, turnEnded(3, [400, 1500, 2200])],
  ];
  const queues: At[] = [
    [9010, queued("f", "asking")],
    [9895, queued("f", "waiting")],
    [9896, queued("g", "asking")],
    [10_990, queued("g", "waiting")],
  ];
  const all = [...events, ...queues].map(([at, event]) => [at, () => recorder.hear(event, at)] as const);
  for (const [, happens] of all.toSorted(([one], [other]) => one - other)) happens();
  return recorder.timeline();
}

function subAgent(callId: string): At[] {
  const inner: At[] = [
    [3020, prompt],
    [3500, began(1, "claude-haiku-4")],
    [3600, text],
    ...call("x", ["Grep", "parseHeader("], [3700, 3800, 3802, 4100]),
    ...call("y", ["Read", "src/request.ts"], [3900, 4000, 4001, 4060]),
    ...call("z", ["Read", "src/response.ts"], [4050, 4200, 4201, 4290]),
    [4800, turnEnded(1, [500, 1300, 1700])],
    [5300, began(2, "claude-haiku-4")],
    [5400, text],
    [6850, turnEnded(2, [600, 2000, 2050])],
  ];
  return inner.map(([at, event]) => [at, ofAgent(callId, event)]);
}

const TOOLS = ["Read", "Grep", "Glob", "Bash", "Edit", "WebFetch"];

/** So many calls, ten to a turn, always the same. */
export function many(calls: number): Timeline {
  const events: At[] = [[0, prompt]];
  let seed = 7;
  const random = (): number => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  let at = 0;
  for (let first = 0; first < calls; first += 10) {
    const turn = first / 10 + 1;
    events.push([at + 300, began(turn)], [at + 400, text]);
    let last = at + 2000;
    for (let id = first; id < Math.min(calls, first + 10); id++) {
      const begin = at + 450 + (id - first) * 140;
      const end = begin + 120 + Math.round(random() ** 3 * 2500);
      const outcome = random() < 0.05 ? FAILED : random() < 0.03 ? TIMED_OUT : SUCCEEDED;
      const tool = TOOLS[Math.floor(random() * TOOLS.length)] as string;
      const what = `packages/part-${id % 17}/src/file-${id}.ts`;
      events.push(...call(String(id), [tool, what], [begin, begin + 90, begin + 95, end, outcome]));
      last = Math.max(last, end);
    }
    events.push([last + 5, turnEnded(turn, [400, 2000, last + 5 - at])]);
    at = last + 10;
  }
  return played(
    events.toSorted(([one], [other]) => one - other),
    `${calls.toLocaleString("en")} calls`,
  );
}
