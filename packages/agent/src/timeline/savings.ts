/** What running ahead has won: each turn against the same calls, started when the response has ended. */

import type { CallOutcome, Timeline, TimelineCall, TimelineTurn } from "./model.ts";
import { OUTCOMES } from "./model.ts";
import { callSegments } from "./row-parts.ts";

/** An end and a start that are heard so close together are one moment. */
const SAME_MOMENT_MS = 2;

/** A call that ran. */
export interface Ran {
  /** Its place among the calls. */
  readonly place: number;
  readonly startedMs: number;
  readonly endedMs: number;
  readonly askingMs: number;
  /** The last time that it waited for its place in the order: from, and to. */
  readonly readyMs: number;
  readonly freeMs: number;
}

export interface TurnSavings {
  /** How long calls ran while the response still streamed. */
  readonly aheadMs: number;
  /** How much later the turn would have ended, had every call waited for the end of the response. */
  readonly savedMs: number;
  /** The same, had they also run one after the other. */
  readonly savedSerialMs: number;
  /** Behind which call a call waited, by their places. */
  readonly behind: ReadonlyMap<number, number>;
  /** The calls that decided when the turn ended; none where the response did. */
  readonly critical: ReadonlySet<number>;
}

/** Sums up a timeline, in milliseconds. */
export interface Summary {
  /** From the first event to the last. */
  readonly totalMs: number;
  /** How many turns the agent took, without its sub-agents. */
  readonly turns: number;
  /** How many calls there were. */
  readonly calls: number;
  /** How many calls ended in each way. */
  readonly outcomes: Readonly<Record<CallOutcome, number>>;
  /** How long the model of the agent answered, without its sub-agents. */
  readonly modelMs: number;
  /** How long calls ran, added up. */
  readonly toolsMs: number;
  /** How long calls ran while the model was still answering. */
  readonly aheadMs: number;
  /** How much sooner turns ended than if calls had waited for the end of the response. */
  readonly savedMs: number;
  /** How much sooner turns ended than if calls had also run one after the other. */
  readonly savedSerialMs: number;
}

export function savingsOf(turn: TimelineTurn, calls: readonly Ran[]): TurnSavings {
  const inOrder = calls.toSorted((one, other) => one.startedMs - other.startedMs);
  const behind = blockers(inOrder);
  const { responseEndMs } = turn;
  if (responseEndMs === undefined || inOrder.length === 0)
    return { aheadMs: 0, savedMs: 0, savedSerialMs: 0, behind, critical: new Set() };
  const last = inOrder.reduce((one, other) => (other.endedMs > one.endedMs ? other : one));
  const endedMs = Math.max(last.endedMs, responseEndMs);
  const afterMs = endAfterResponse(inOrder, behind, responseEndMs);
  const serialMs = inOrder.reduce((sum, call) => sum + workMs(call), responseEndMs);
  return {
    aheadMs: coveredMs(inOrder, responseEndMs),
    savedMs: Math.max(0, afterMs - endedMs),
    savedSerialMs: Math.max(0, serialMs - endedMs),
    behind,
    critical: last.endedMs > responseEndMs ? chain(last.place, behind) : new Set(),
  };
}

function workMs({ startedMs, endedMs, askingMs }: Ran): number {
  return endedMs - startedMs + askingMs;
}

/** A call that waited for its place waited for the last one that ended before it was free. */
function blockers(calls: readonly Ran[]): Map<number, number> {
  const byEnd = calls.toSorted((one, other) => one.endedMs - other.endedMs);
  const behind = new Map<number, number>();
  let ended = 0;
  for (const call of calls.toSorted((one, other) => one.freeMs - other.freeMs)) {
    while (ended < byEnd.length && endOf(byEnd, ended) <= call.freeMs + SAME_MOMENT_MS) ended++;
    if (call.freeMs - call.readyMs <= SAME_MOMENT_MS) continue;
    let at = ended - 1;
    // Only those that ended in the same moment can have started no earlier than this one.
    while (at >= 0 && (byEnd[at] as Ran).startedMs >= call.startedMs) at--;
    if (at >= 0 && endOf(byEnd, at) > call.readyMs) behind.set(call.place, (byEnd[at] as Ran).place);
  }
  return behind;
}

function endOf(calls: readonly Ran[], at: number): number {
  return (calls[at] as Ran).endedMs;
}

/** When all would have ended, started after the response and each still behind the one it waited for. */
function endAfterResponse(
  inOrder: readonly Ran[],
  behind: ReadonlyMap<number, number>,
  responseEndMs: number,
): number {
  const ends = new Map<number, number>();
  let latest = responseEndMs;
  for (const call of inOrder) {
    const before = ends.get(behind.get(call.place) ?? -1) ?? responseEndMs;
    const end = before + workMs(call);
    ends.set(call.place, end);
    latest = Math.max(latest, end);
  }
  return latest;
}

/** How much of the time until then at least one of them ran. */
function coveredMs(inOrder: readonly Ran[], untilMs: number): number {
  let covered = 0;
  let reached = Number.NEGATIVE_INFINITY;
  for (const { startedMs, endedMs } of inOrder) {
    const from = Math.max(startedMs, reached);
    const to = Math.min(endedMs, untilMs);
    if (to > from) covered += to - from;
    reached = Math.max(reached, to);
  }
  return covered;
}

function chain(place: number, behind: ReadonlyMap<number, number>): Set<number> {
  const found = new Set<number>();
  for (let at: number | undefined = place; at !== undefined; at = behind.get(at)) found.add(at);
  return found;
}

/**
 * Returns what running ahead saved in each turn, in the order of the turns.
 *
 * @example
 * ```ts
 * import { createAgent, scripted } from "@runahead/agent";
 * import { TimelineRecorder, allSavings } from "@runahead/agent/timeline";
 *
 * const recorder = new TimelineRecorder();
 * const agent = createAgent({ model: scripted([]), tools: [], onEvent: (event) => recorder.hear(event) });
 * await agent.send("Go.");
 * console.log(allSavings(recorder.timeline()).map(({ savedMs }) => savedMs));
 * ```
 */
export function allSavings({ turns, calls }: Timeline): TurnSavings[] {
  const ranByTurn: Ran[][] = turns.map(() => []);
  for (const [place, call] of calls.entries()) {
    const ran = ranOf(call, place);
    if (ran !== undefined) ranByTurn[call.turn]?.push(ran);
  }
  return turns.map((turn, place) => savingsOf(turn, ranByTurn[place] ?? []));
}

function ranOf(call: TimelineCall, place: number): Ran | undefined {
  const { startedMs, endedMs } = call;
  if (startedMs === undefined || endedMs === undefined) return undefined;
  const segments = callSegments(call, endedMs);
  const askingMs = segments.reduce((sum, [kind, from, to]) => (kind === "asking" ? sum + to - from : sum), 0);
  const waited = segments.findLast(([kind, from, to]) => kind === "waiting" && to - from > SAME_MOMENT_MS);
  const [, readyMs, freeMs] = waited ?? ["waiting", startedMs, startedMs];
  return { place, startedMs, endedMs, askingMs, readyMs, freeMs };
}

/**
 * Sums up a timeline: how long the model and the tools took, and what running ahead saved.
 *
 * @example
 * ```ts
 * import { createAgent, scripted } from "@runahead/agent";
 * import { TimelineRecorder, summarise } from "@runahead/agent/timeline";
 *
 * const recorder = new TimelineRecorder();
 * const agent = createAgent({ model: scripted([]), tools: [], onEvent: (event) => recorder.hear(event) });
 * await agent.send("Go.");
 * console.log(summarise(recorder.timeline()).savedMs);
 * ```
 */
export function summarise(
  timeline: Timeline,
  savings: readonly TurnSavings[] = allSavings(timeline),
): Summary {
  const { turns, calls, endMs } = timeline;
  const outcomes = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<CallOutcome, number>;
  for (const { outcome } of calls) outcomes[outcome]++;
  const isMain = (turn: number): boolean => turns[turn]?.agent === 0;
  const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);
  const ofMain = savings.filter((_, turn) => isMain(turn));
  return {
    totalMs: endMs,
    turns: turns.filter(({ agent }) => agent === 0).length,
    calls: calls.length,
    outcomes,
    modelMs: sum(
      turns.map((turn) => (turn.agent === 0 ? (turn.responseEndMs ?? endMs) - turn.requestMs : 0)),
    ),
    toolsMs: sum(
      calls.map(({ turn, startedMs, endedMs }) =>
        isMain(turn) && startedMs !== undefined ? (endedMs ?? endMs) - startedMs : 0,
      ),
    ),
    aheadMs: sum(ofMain.map(({ aheadMs }) => aheadMs)),
    savedMs: sum(ofMain.map(({ savedMs }) => savedMs)),
    savedSerialMs: sum(ofMain.map(({ savedSerialMs }) => savedSerialMs)),
  };
}
