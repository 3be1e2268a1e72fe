/**
 * Everything that ends several calls: interrupts, the end of the response, a change of models. Also calls that do not
 * end.
 */

import { type Call, hasStarted, isExecuting } from "./call.ts";
import { cancel, forbidden, look, settle } from "./move.ts";
import { type Cause, strongerCause } from "./outcome.ts";
import { type Turn, emit, hasEnded, unfinished } from "./turn.ts";

export function abandon(
  turn: Turn,
  call: Call,
  { cause, ranMs, output }: { cause: Cause; ranMs: number; output: string },
): void {
  turn.abandoned.add(call);
  settle(turn, call, { type: "aborted", cause, effect: "unknown", ranMs, output, abandoned: true });
}

export function interrupt(turn: Turn, kind: "stop" | "message", reason: string): void {
  const cause: Cause = { kind: "user-interrupted", reason };
  if (kind === "stop") turn.stopped = turn.stopped === undefined ? cause : strongerCause(turn.stopped, cause);
  else turn.message ??= { cause, arrived: turn.arrived };
  for (const call of unfinished(turn)) {
    if (kind === "stop" || call.access.interrupt === "cancel") cancel(turn, call, cause);
  }
}

/** Ends the turn after a refusal or at the request of a hook. */
export function endTurn(turn: Turn, reason: string | undefined): void {
  if (reason === undefined) return;
  emit(turn, { type: "end-turn", reason });
  interrupt(turn, "stop", reason);
}

/**
 * Another model takes over. Effects must be reported, so nothing is discarded once a writer has started (promise 4).
 */
export function discard(turn: Turn): void {
  if (turn.writerStarted) return;
  turn.discarded = true;
  for (const call of unfinished(turn)) cancel(turn, call, { kind: "streaming-fallback" });
}

export function endResponse(turn: Turn, ok: boolean, reason: string): void {
  if (hasEnded(turn)) return;
  turn.response = ok ? "ended" : { cut: reason };
  if (ok && turn.start === "eager") return;
  for (const call of unfinished(turn)) {
    if (hasStarted(call.phase)) continue;
    const cause = forbidden(turn, call);
    if (cause !== undefined) cancel(turn, call, cause);
    else if (!isExecuting(call.phase)) look(turn, call);
  }
}
