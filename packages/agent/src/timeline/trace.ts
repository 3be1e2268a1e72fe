/** Converts a timeline to Chrome trace events, for Perfetto and chrome://tracing. */

import { checkTimeline } from "./model.ts";
import type { Timeline } from "./model.ts";
import { type Fact, callFacts, callSegments, markWords, turnFacts, turnSegments } from "./row-parts.ts";
import { type TurnSavings, allSavings } from "./savings.ts";

export type TraceEvent = { readonly pid: number; readonly tid: number; readonly name: string } & (
  | { readonly ph: "M"; readonly args: Readonly<Record<string, string>> }
  | {
      readonly ph: "X";
      readonly cat: string;
      /** Microseconds. */
      readonly ts: number;
      readonly dur: number;
      readonly args: Readonly<Record<string, string>>;
    }
  | {
      readonly ph: "i";
      readonly cat: string;
      readonly ts: number;
      readonly s: "p";
      readonly args: Readonly<Record<string, string>>;
    }
);

/**
 * Converts a timeline to trace events, which Perfetto and Chrome can open. Each agent is a process: its first thread
 * shows the responses, the others show calls.
 *
 * @example
 * ```ts
 * await writeFile("run.json", JSON.stringify(traceEvents(timeline)));
 * ```
 */
export function traceEvents(timeline: Timeline): {
  readonly displayTimeUnit: "ms";
  readonly traceEvents: readonly TraceEvent[];
} {
  checkTimeline(timeline, "traceEvents");
  const savings = allSavings(timeline);
  const events = [
    ...named(timeline),
    ...turns(timeline, savings),
    ...calls(timeline, savings),
    ...marks(timeline),
  ];
  return { displayTimeUnit: "ms", traceEvents: events };
}

function* named({ agents, title }: Timeline): Generator<TraceEvent> {
  for (const [agent, { agentType }] of agents.entries()) {
    const name = agent === 0 ? title || "runahead" : `${agentType} ${agent}`;
    yield { ph: "M", name: "process_name", pid: agent, tid: 0, args: { name } };
    yield { ph: "M", name: "thread_name", pid: agent, tid: 0, args: { name: "responses" } };
  }
}

function* turns({ turns: all, endMs }: Timeline, savings: readonly TurnSavings[]): Generator<TraceEvent> {
  for (const [place, turn] of all.entries()) {
    const { agent, number, requestMs, endedMs = endMs } = turn;
    const at = { pid: agent, tid: 0 };
    yield span(at, `turn ${number}`, ["turn", requestMs, endedMs, turnFacts(turn, savings[place], endMs)]);
    for (const segment of turnSegments(turn, endMs)) yield span(at, segment[0], segment);
  }
}

function* calls(timeline: Timeline, savings: readonly TurnSavings[]): Generator<TraceEvent> {
  const { calls: all, turns: allTurns, endMs } = timeline;
  const lanes = lanesOf(timeline);
  for (const [place, call] of all.entries()) {
    const turn = allTurns[call.turn];
    if (turn === undefined) continue;
    const before = all[savings[call.turn]?.waitedFor.get(place) ?? -1];
    const at = { pid: turn.agent, tid: lanes[place] as number };
    const name = `${call.toolName} ${call.description}`.trimEnd();
    const facts = callFacts(call, { before, endMs, turn });
    yield span(at, name, ["call", call.arrivedMs, call.endedMs ?? endMs, facts]);
    for (const segment of callSegments(call, endMs)) yield span(at, segment[0], segment);
  }
}

function* marks({ marks: all }: Timeline): Generator<TraceEvent> {
  for (const mark of all) {
    const { name, facts } = markWords(mark);
    const args = Object.fromEntries(facts);
    yield { ph: "i", cat: mark.type, name, pid: mark.agent, tid: 0, ts: micros(mark.atMs), s: "p", args };
  }
}

type Place = { readonly pid: number; readonly tid: number };

function span(
  place: Place,
  name: string,
  [cat, fromMs, toMs, facts = []]: readonly [string, number, number, (readonly Fact[])?],
): TraceEvent {
  const ts = micros(fromMs);
  return { ph: "X", cat, name, ...place, ts, dur: micros(toMs) - ts, args: Object.fromEntries(facts) };
}

function micros(ms: number): number {
  return Math.round(ms * 1000);
}

/** Slices of one thread must not overlap, so each call gets a thread that is free from its arrival to its end. */
function lanesOf({ calls: all, turns: allTurns, endMs }: Timeline): number[] {
  const lanes: number[] = all.map(() => 0);
  const free = new Map<number, { readonly lanes: number[]; used: number }>();
  const moments = all.flatMap(({ arrivedMs, endedMs = endMs }, place) => [
    { atMs: arrivedMs, place, isEnd: false },
    { atMs: Math.max(endedMs, arrivedMs), place, isEnd: true },
  ]);
  // The sort is stable: at the same time, a call begins before it ends and never takes a thread that is in use.
  for (const { place, isEnd } of moments.toSorted((one, other) => one.atMs - other.atMs)) {
    const agent = allTurns[(all[place] as { turn: number }).turn]?.agent ?? 0;
    const pool = free.get(agent) ?? { lanes: [], used: 0 };
    free.set(agent, pool);
    if (isEnd) pool.lanes.push(lanes[place] as number);
    else lanes[place] = pool.lanes.pop() ?? ++pool.used;
  }
  return lanes;
}
