/** Calculates what running ahead saved: each turn compared with starting the same calls after the response. */

import type { CallOutcome, Timeline, TimelineCall, TimelineTurn } from "./model.ts";
import { OUTCOMES, checkTimeline } from "./model.ts";
import { callSegments } from "./row-parts.ts";

/** An end and a start within this time count as simultaneous. */
const SAME_MOMENT_MS = 2;

/** A call that ran. */
export interface Ran {
  /** The index of the call. */
  readonly place: number;
  readonly startedMs: number;
  readonly endedMs: number;
  readonly askingMs: number;
  /** When its last wait for its turn in the order began and ended. */
  readonly readyMs: number;
  readonly freeMs: number;
}

export interface TurnSavings {
  /** How long calls ran while the response was still streaming. */
  readonly aheadMs: number;
  /** How much later the turn would have ended if every call had waited for the end of the response. */
  readonly savedMs: number;
  /** The same if the calls had also run one at a time. */
  readonly savedSerialMs: number;
  /** For each call that waited: the index of the call that it waited for. */
  readonly waitedFor: ReadonlyMap<number, number>;
  /** The calls that determined when the turn ended; empty if the response did. */
  readonly critical: ReadonlySet<number>;
}

/** The figures of a timeline. */
export interface Summary {
  /** From the first event to the last. */
  readonly totalMs: number;
  /** Number of turns of the main agent. */
  readonly turns: number;
  /** Number of calls, those of sub-agents and scripts included. */
  readonly calls: number;
  /** Number of calls by outcome. */
  readonly outcomes: Readonly<Record<CallOutcome, number>>;
  /** Sum of the response times of the main agent. Time that sub-agents save is not added to the figures below. */
  readonly modelMs: number;
  /** Sum of the running times of the calls of the main agent; of a script, the time of the whole script. */
  readonly toolsMs: number;
  /** How long calls ran while the model was still answering. */
  readonly aheadMs: number;
  /** Time saved compared with starting all calls after the response. */
  readonly savedMs: number;
  /** Time saved compared with running all calls one after the other, after the response. */
  readonly savedSerialMs: number;
}

export function savingsOf(turn: TimelineTurn, calls: readonly Ran[]): TurnSavings {
  const inOrder = calls.toSorted((one, other) => one.startedMs - other.startedMs);
  const waitedFor = blockers(inOrder);
  const { responseEndMs } = turn;
  if (responseEndMs === undefined || inOrder.length === 0)
    return { aheadMs: 0, savedMs: 0, savedSerialMs: 0, waitedFor, critical: new Set() };
  const last = inOrder.reduce((one, other) => (other.endedMs > one.endedMs ? other : one));
  const endedMs = Math.max(last.endedMs, responseEndMs);
  const afterMs = endAfterResponse(inOrder, waitedFor, responseEndMs);
  const serialMs = inOrder.reduce((sum, call) => sum + workMs(call), responseEndMs);
  return {
    aheadMs: coveredMs(inOrder, responseEndMs),
    savedMs: Math.max(0, afterMs - endedMs),
    savedSerialMs: Math.max(0, serialMs - endedMs),
    waitedFor,
    critical: last.endedMs > responseEndMs ? chain(last.place, waitedFor) : new Set(),
  };
}

function workMs({ startedMs, endedMs, askingMs }: Ran): number {
  return endedMs - startedMs + askingMs;
}

/** A call that waited did so for the last call that ended before it was free to start. */
function blockers(calls: readonly Ran[]): Map<number, number> {
  const byEnd = calls.toSorted((one, other) => one.endedMs - other.endedMs);
  const waitedFor = new Map<number, number>();
  let ended = 0;
  for (const call of calls.toSorted((one, other) => one.freeMs - other.freeMs)) {
    while (ended < byEnd.length && endOf(byEnd, ended) <= call.freeMs + SAME_MOMENT_MS) ended++;
    if (call.freeMs - call.readyMs <= SAME_MOMENT_MS) continue;
    let at = ended - 1;
    // Skip simultaneous calls that started after this one.
    while (at >= 0 && (byEnd[at] as Ran).startedMs >= call.startedMs) at--;
    if (at >= 0 && endOf(byEnd, at) > call.readyMs) waitedFor.set(call.place, (byEnd[at] as Ran).place);
  }
  return waitedFor;
}

function endOf(calls: readonly Ran[], at: number): number {
  return (calls[at] as Ran).endedMs;
}

/** When the last call would have ended if all had started after the response, with the same waits. */
function endAfterResponse(
  inOrder: readonly Ran[],
  waitedFor: ReadonlyMap<number, number>,
  responseEndMs: number,
): number {
  const ends = new Map<number, number>();
  let latest = responseEndMs;
  for (const call of inOrder) {
    const before = ends.get(waitedFor.get(call.place) ?? -1) ?? responseEndMs;
    const end = before + workMs(call);
    ends.set(call.place, end);
    latest = Math.max(latest, end);
  }
  return latest;
}

/** How long at least one call was running before `untilMs`. */
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

function chain(place: number, waitedFor: ReadonlyMap<number, number>): Set<number> {
  const found = new Set<number>();
  for (let at: number | undefined = place; at !== undefined; at = waitedFor.get(at)) found.add(at);
  return found;
}

/**
 * Calculates what each turn saved by starting calls early. Returns one entry per turn, in order.
 *
 * @example
 * ```ts
 * const [first] = allSavings(timeline);
 * console.log(first?.savedMs);
 * ```
 */
export function allSavings(timeline: Timeline): TurnSavings[] {
  checkTimeline(timeline, "allSavings");
  const { turns, calls } = timeline;
  const ranByTurn: Ran[][] = turns.map(() => []);
  for (const [place, call] of calls.entries()) {
    // A call that another call made runs while that one runs.
    if (call.parent !== undefined) continue;
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
 * Adds up the figures of a timeline.
 *
 * @example
 * ```ts
 * const { calls, savedMs } = summarise(recorder.timeline());
 * ```
 */
export function summarise(timeline: Timeline, savings?: readonly TurnSavings[]): Summary {
  checkTimeline(timeline, "summarise");
  const { turns, calls, endMs } = timeline;
  const outcomes = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<CallOutcome, number>;
  for (const { outcome } of calls) outcomes[outcome]++;
  const isMain = (turn: number): boolean => turns[turn]?.agent === 0;
  const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);
  const ofMain = (savings ?? allSavings(timeline)).filter((_, turn) => isMain(turn));
  return {
    totalMs: endMs,
    turns: turns.filter(({ agent }) => agent === 0).length,
    calls: calls.length,
    outcomes,
    modelMs: sum(
      turns.map((turn) => (turn.agent === 0 ? (turn.responseEndMs ?? endMs) - turn.requestMs : 0)),
    ),
    toolsMs: sum(
      calls.map(({ turn, parent, startedMs, endedMs }) =>
        isMain(turn) && parent === undefined && startedMs !== undefined ? (endedMs ?? endMs) - startedMs : 0,
      ),
    ),
    aheadMs: sum(ofMain.map(({ aheadMs }) => aheadMs)),
    savedMs: sum(ofMain.map(({ savedMs }) => savedMs)),
    savedSerialMs: sum(ofMain.map(({ savedSerialMs }) => savedSerialMs)),
  };
}
