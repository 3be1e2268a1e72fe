/**
 * Computes the shortest possible time of a trace from its wire times and durations: each call starts when it has arrived
 * and every earlier conflicting call has ended. Without a limit on concurrency, no schedule is better. The interval is the
 * measured one: from the first request to the end of the last response.
 */

import { callsOf, timeline } from "./traces.mjs";

const writes = (call) => call.tool !== "read";

/** (a) A call that writes runs alone. */
export const exclusive = (one, other) => writes(one) || writes(other);

/** (b) Only calls on the same path conflict, and bash with everything. */
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
