/**
 * The shortest time in which a trace can be done, from its wire times and durations alone: each call starts when
 * it has arrived and every earlier call that it conflicts with has ended. With no limit on how many run at once,
 * that schedule is the best there is. The interval is the one that is measured: from sending the first request to
 * the end of the last response.
 */

import { callsOf, timeline } from "./traces.mjs";

const writes = (call) => call.tool !== "read";

/** (a) A call that writes runs alone. */
export const exclusive = (one, other) => writes(one) || writes(other);

/** (b) Only calls on the same path are in conflict, and bash with everything. */
export const perPath = (one, other) =>
  one.tool === "bash" ||
  other.tool === "bash" ||
  (one.input.path === other.input.path && (writes(one) || writes(other)));

function turnMs(turn, conflict) {
  const calls = callsOf(turn);
  const ends = [];
  for (const call of calls) {
    const blockers = calls.slice(0, call.index).filter((earlier) => conflict(earlier, call));
    const startMs = Math.max(call.arrivesMs, ...blockers.map((blocker) => ends[blocker.index]));
    ends.push(startMs + call.durationMs);
  }
  return Math.max(timeline(turn).endMs, ...ends);
}

export function bounds(trace) {
  const sum = (conflict) => trace.turns.reduce((total, turn) => total + turnMs(turn, conflict), 0);
  return { exclusiveMs: sum(exclusive), perPathMs: sum(perPath) };
}
