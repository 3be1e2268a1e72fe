/** How one call moves from state to state: the part of the core that every event's reaction is made of. */

import { claimsConflict } from "./access.ts";
import { type Call, type Phase, RUNNING, WAITING, WAITING_UNJUDGED } from "./call.ts";
import { type Cause, type Outcome, notRun, strongerCause } from "./outcome.ts";
import type { Turn } from "./turn.ts";

function isExecuting(phase: Phase): boolean {
  return phase.state === "running" || phase.state === "stopping";
}

/** Its tool has been entered, so it may have had effects. */
export function hasStarted(phase: Phase): boolean {
  return phase.state === "stopping" || (phase.state === "running" && phase.launched);
}

/** The only place where a state changes, so that the counts of the limits are always true (promise 6). */
export function move(turn: Turn, call: Call, phase: Phase): void {
  turn.running += Number(isExecuting(phase)) - Number(isExecuting(call.phase));
  turn.judging += Number(usesHooks(phase)) - Number(usesHooks(call.phase));
  call.phase = phase;
}

function usesHooks(phase: Phase): boolean {
  return phase.state === "judging" && phase.withHooks;
}

export function wait(turn: Turn, call: Call, permitted: boolean): void {
  move(turn, call, permitted ? WAITING : WAITING_UNJUDGED);
  if (turn.tells) turn.effects.push({ type: "changed", call });
  queue(turn, call);
}

/** Puts a call that has become free into the line it waits for. */
export function queue(turn: Turn, call: Call): void {
  if (mayMoveOn(turn, call, true)) turn.ready.push(call);
  else if (mayMoveOn(turn, call, false)) turn.unjudged.push(call);
}

/** The one rule of when a call may start, apart from the limit: permitted, and nothing earlier in its way. */
function mayMoveOn(turn: Turn, call: Call, permitted: boolean): boolean {
  const { phase } = call;
  return (
    phase.state === "waiting" && phase.permitted === permitted && call.blocked === 0 && !isHeld(turn, call)
  );
}

/** Whether the start policy keeps the call back until the response has ended. */
export function isHeld(turn: Turn, call: Call): boolean {
  if (turn.responseEnded || turn.start === "eager") return false;
  return turn.start === "after" || !call.access.readOnly;
}

/** Lets on whoever may: a line can hold calls that were stopped or blocked again since they entered it. */
export function pump(turn: Turn): void {
  while (turn.judging < turn.limit && turn.unjudged.size > 0) {
    const call = turn.unjudged.pop() as Call;
    if (!mayMoveOn(turn, call, false)) continue;
    move(turn, call, { state: "judging", withHooks: true });
    turn.effects.push({ type: "judge", call });
  }
  while (turn.running < turn.limit && turn.ready.size > 0) {
    const call = turn.ready.pop() as Call;
    if (!mayMoveOn(turn, call, true)) continue;
    move(turn, call, RUNNING);
    turn.claims.start(call);
    turn.writerStarted ||= !call.access.readOnly;
    turn.effects.push({ type: "start", call });
  }
}

/** Stops a call if it runs, keeps it from starting if it does not. */
export function cancel(turn: Turn, call: Call, cause: Cause): void {
  const { phase } = call;
  if (phase.state === "settled") return;
  if (phase.state === "stopping")
    return move(turn, call, { state: "stopping", cause: strongerCause(phase.cause, cause) });
  if (hasStarted(phase)) {
    move(turn, call, { state: "stopping", cause });
    turn.effects.push({ type: "stop", call, cause });
    return;
  }
  if (phase.state === "judging" || phase.state === "asking") turn.effects.push({ type: "withdraw", call });
  settle(turn, call, notRun(cause));
}

/** From now on nothing that arrives is run. */
export function close(turn: Turn, cause: Cause): void {
  turn.closed = turn.closed === undefined ? cause : strongerCause(turn.closed, cause);
}

const NOBODY: readonly string[] = [];

/** The one end of every call (promise 1). */
export function settle(turn: Turn, call: Call, outcome: Outcome): void {
  const ran = hasStarted(call.phase);
  move(turn, call, { state: "settled", outcome, stillRunning: ran ? stillRunning(turn, call) : NOBODY });
  turn.unfinished.delete(call);
  const freed = turn.claims.release(call);
  turn.effects.push({ type: "settle", call, outcome });
  if (ran && call.access.onError === "cancel-later" && isFailure(outcome)) cancelLater(turn, call);
  for (const other of freed) queue(turn, other);
  deliver(turn);
}

/** Abandoned calls that may still be at work on the same places. */
function stillRunning(turn: Turn, call: Call): readonly string[] {
  if (turn.abandoned.length === 0) return NOBODY;
  return turn.abandoned
    .filter((other) => other.index < call.index && claimsConflict(other.access.claims, call.access.claims))
    .map((other) => other.id);
}

function isFailure(outcome: Outcome): boolean {
  return outcome.type === "failed" || (outcome.type === "aborted" && outcome.cause.kind === "timeout");
}

function cancelLater(turn: Turn, failed: Call): void {
  const cause: Cause = { kind: "sibling-error", callId: failed.id, toolName: failed.toolName };
  close(turn, cause);
  for (const call of turn.unfinished) if (call.index > failed.index) cancel(turn, call, cause);
}

/** In the model's order, each once; nothing of a discarded turn. */
function deliver(turn: Turn): void {
  for (;;) {
    const call = turn.undelivered.peek();
    if (call === undefined || call.phase.state !== "settled") return;
    turn.undelivered.shift();
    turn.live.delete(call.id);
    if (!turn.discarded) turn.effects.push({ type: "deliver", call });
  }
}
