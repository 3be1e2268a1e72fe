/**
 * Commands whose places are known run beside calls that touch other places, so a failure cannot cancel all later calls:
 * some of them have run already. It cancels those that touch the same places, which have waited for it.
 */

import { Refusal } from "./refusal.ts";

/** Resolved paths, each with everything below it. */
export interface Touched {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

/** What a command touches whose places are not known. */
export const ANYTHING: Touched = { reads: ["/"], writes: ["/"] };

/** By the turn: an object that all calls of a response share, and no others. */
const failures = new WeakMap<object, Touched[]>();

export function noteFailure(turn: object | undefined, touched: Touched): void {
  if (turn === undefined) return;
  failures.set(turn, [...(failures.get(turn) ?? []), touched]);
}

/** Throws if an earlier command of the same response failed that touches the same places. */
export function refuseAfterFailure(turn: object | undefined, touched: Touched): void {
  const known = turn === undefined ? undefined : failures.get(turn);
  if (known?.some((one) => conflict(one, touched)) !== true) return;
  throw new Refusal(
    "Not run: an earlier command of the same response failed that touches the same files. Call again if you still want this.",
  );
}

function conflict(one: Touched, other: Touched): boolean {
  return (
    overlap(one.writes, [...other.reads, ...other.writes]) ||
    overlap(other.writes, [...one.reads, ...one.writes])
  );
}

function overlap(some: readonly string[], others: readonly string[]): boolean {
  return some.some((one) => others.some((other) => isBelow(one, other) || isBelow(other, one)));
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}
