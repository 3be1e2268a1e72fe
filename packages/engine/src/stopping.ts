/** What ends more than one call: interrupts, the response's own end, a change of models; and calls that do not end. */

import type { Call } from "./call.ts";
import { cancel, close, hasStarted, isHeld, queue, settle } from "./move.ts";
import type { Cause } from "./outcome.ts";
import type { Turn } from "./turn.ts";

export function abandon(
  turn: Turn,
  call: Call,
  { cause, ranMs, output }: { cause: Cause; ranMs: number; output: string },
): void {
  turn.abandoned.push(call);
  settle(turn, call, { type: "aborted", cause, effect: "unknown", ranMs, output, abandoned: true });
}

export function interrupt(turn: Turn, kind: "stop" | "message", reason: string): void {
  const cause: Cause = { kind: "user-interrupted", reason };
  close(turn, cause);
  turn.interrupted ??= cause;
  for (const call of turn.unfinished) {
    if (kind === "stop" || call.access.interrupt === "cancel") cancel(turn, call, cause);
  }
}

/** Another model takes over. What a writer has done must be told, so then nothing is discarded (promise 4). */
export function discard(turn: Turn): void {
  if (turn.writerStarted) return;
  turn.discarded = true;
  const cause: Cause = { kind: "streaming-fallback" };
  close(turn, cause);
  for (const call of turn.unfinished) cancel(turn, call, cause);
}

export function endResponse(turn: Turn, ok: boolean, reason: string): void {
  if (turn.responseEnded) return;
  const held = [...turn.unfinished].filter(
    (call) => !hasStarted(call.phase) && (isHeld(turn, call) || reason === "refusal"),
  );
  turn.responseEnded = true;
  for (const call of held) {
    if (ok) queue(turn, call);
    else cancel(turn, call, { kind: "response-ended", reason });
  }
}
