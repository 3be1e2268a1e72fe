/** Moves one call from state to state. All reactions to events are made of these functions. */

import {
  type Call,
  CONSULTING,
  JUDGING,
  LOCATING,
  PERMITTED,
  type Phase,
  QUEUED,
  REJUDGING,
  STARTING,
  WAITING,
  hasStarted,
  isExecuting,
  keepsTicket,
} from "./call.ts";
import type { Purpose, Request } from "./claim-queue.ts";
import { type Cause, type Outcome, notRun, strongerCause } from "./outcome.ts";
import { type Turn, emit, hasEnded, reportChange, unfinished } from "./turn.ts";

/**
 * The only place where a state changes, so that the counts of the limits are always true (promise 6), and so that
 * nothing is held in the shared locks by a call that neither waits for them nor runs.
 */
export function move(turn: Turn, call: Call, phase: Phase): void {
  // A call that delegates its work leaves its slot to the calls that do the work.
  if (!call.delegates) turn.executing += Number(takesPlace(phase)) - Number(takesPlace(call.phase));
  turn.consulting += Number(takesHookSlot(phase)) - Number(takesHookSlot(call.phase));
  if (phase.state === "deferred") turn.deferred++;
  if (call.phase.state === "deferred") turn.deferred--;
  if (call.phase.state === "starting") turn.starting.remove(call);
  if (phase.state === "starting") turn.starting.append(call);
  call.phase = phase;
  if (call.ticket !== undefined && !keepsTicket(phase)) leaveLocks(call);
}

function leaveLocks(call: Call): void {
  call.ticket?.leave();
  call.ticket = undefined;
}

/**
 * A call that is judged again before it starts already occupies its slot. Otherwise a change of the context would cause
 * all waiting calls to be judged again, and not only the next ones.
 */
function takesPlace(phase: Phase): boolean {
  return isExecuting(phase) || phase.state === "rejudging";
}

function takesHookSlot({ state }: Phase): boolean {
  return state === "consulting" || state === "locating";
}

/** Requests a verdict. The answer to an earlier request is ignored. */
export function judge(turn: Turn, call: Call, phase: Phase = JUDGING): void {
  // In the new epoch, the change of the context is in the past, so it must be noticed now.
  if (isLost(turn, call)) emit(turn, { type: "locate", call });
  move(turn, call, phase);
  call.epoch = turn.epochs.next();
  emit(turn, { type: "judge", call, epoch: call.epoch });
}

export function permit(turn: Turn, call: Call): void {
  move(turn, call, PERMITTED);
  reportChange(turn, call);
  look(turn, call);
}

/** Its hooks run when it is free to start. */
export function waitForHooks(turn: Turn, call: Call): void {
  move(turn, call, WAITING);
  reportChange(turn, call);
  look(turn, call);
}

/** Lets a call that has not started wait for what it needs next. */
export function look(turn: Turn, call: Call, canRelocate = true): void {
  const obstacle = obstacleOf(turn, call);
  if (obstacle?.ofContext === true) return turn.claims.waitAt(obstacle, "locate");
  if (canRelocate && isLost(turn, call) && relocate(turn, call)) return;
  const purpose = purposeOf(call);
  if (purpose === undefined || isHeld(turn, call)) return;
  if (obstacle === undefined) turn.claims.candidates[purpose].add(call);
  else turn.claims.waitAt(obstacle, purpose);
}

/**
 * Lets a call wait as if it had a verdict. It is judged again before it starts, because the context has changed since
 * its latest verdict was requested.
 */
export function waitStale(turn: Turn, call: Call): void {
  move(turn, call, PERMITTED);
  reportChange(turn, call);
  look(turn, call, false);
}

/** If no earlier call can change the context any more, and none has, the call claims what it was said to. */
function obstacleOf(turn: Turn, call: Call): Request | undefined {
  const obstacle = turn.claims.obstacle(call);
  if (!call.isUnlocated || obstacle?.ofContext === true || isLost(turn, call)) return obstacle;
  turn.claims.reenter(call);
  return turn.claims.obstacle(call);
}

function purposeOf({ phase: { state }, delegates }: Call): Purpose | undefined {
  if (state === "permitted") return delegates ? "delegate" : "start";
  return state === "waiting" ? "consult" : undefined;
}

/** Whether an earlier call changed the context since this call's claims were determined. */
export function isLost(turn: Turn, call: Call): boolean {
  return turn.epochs.hasContextChangedSince(call.epoch, call.index);
}

/** A verdict holds until the rules or the context change. */
export function isStale(turn: Turn, call: Call): boolean {
  return turn.epochs.haveRulesChangedSince(call.epoch) || isLost(turn, call);
}

/** Returns whether the call has to wait for it. A pending verdict is found to be stale when it arrives. */
function relocate(turn: Turn, call: Call): boolean {
  if (judgeAgain(turn, call)) return true;
  emit(turn, { type: "locate", call });
  if (call.phase.state !== "waiting") return false;
  move(turn, call, LOCATING);
  call.epoch = turn.epochs.next();
  return true;
}

/** Requests the verdict again if there is one. Returns whether the call has to wait for it. */
export function judgeAgain(turn: Turn, call: Call): boolean {
  const { phase } = call;
  switch (phase.state) {
    case "permitted":
    case "queued":
      judge(turn, call);
      return true;
    case "starting":
      // It does not start now, so earlier calls whose claims changed come first again.
      judge(turn, call);
      turn.claims.reenter(call);
      return true;
    case "asking":
      judge(turn, call, phase);
      return true;
    case "judging":
    case "waiting":
    case "locating":
    case "consulting":
    case "rejudging":
    case "deferred":
    case "closing":
    case "running":
    case "stopping":
    case "settled":
      return false;
  }
}

/** Whether the start policy holds the call until the response has ended. */
function isHeld(turn: Turn, call: Call): boolean {
  return !hasEnded(turn) && isHeldByPolicy(turn, call);
}

function isHeldByPolicy({ start }: Turn, { access }: Call): boolean {
  return start === "after" || (start === "reads" && !access.readOnly);
}

/** Returns why a call that has not started must not start, if so. This depends on its claims. */
export function forbidden(turn: Turn, call: Call): Cause | undefined {
  const { discarded, stopped, message, failed, response } = turn;
  const isOpen = !discarded && stopped === undefined && message === undefined && failed === undefined;
  if (isOpen && typeof response === "string") return undefined;
  const causes: Cause[] = [];
  if (discarded) causes.push({ kind: "streaming-fallback" });
  if (stopped !== undefined) causes.push(stopped);
  if (message !== undefined && (call.index >= message.arrived || call.access.interrupt === "cancel"))
    causes.push(message.cause);
  if (failed !== undefined && failed.index < call.index && !call.access.readOnly) causes.push(failed.cause);
  if (typeof response === "object" && (response.cut === "refusal" || isHeldByPolicy(turn, call)))
    causes.push({ kind: "response-ended", reason: response.cut });
  return causes.length === 0 ? undefined : causes.reduce(strongerCause);
}

/** Lets calls continue that can. A queue can contain calls that were stopped or blocked again. */
export function pump(turn: Turn): void {
  const { locate, consult, start, delegate } = turn.claims.candidates;
  for (let call = locate.pop(); call !== undefined; call = locate.pop()) {
    if (!isExecuting(call.phase) && call.phase.state !== "settled") look(turn, call);
  }
  while (turn.consulting < turn.limit) {
    const call = consult.pop();
    if (call === undefined) break;
    if (canMoveOn(turn, call, "waiting")) judge(turn, call, CONSULTING);
  }
  for (let call = delegate.pop(); call !== undefined; call = delegate.pop()) {
    if (canMoveOn(turn, call, "permitted")) startCall(turn, call);
  }
  while (turn.executing < turn.limit) {
    const call = start.pop();
    if (call === undefined) break;
    if (canMoveOn(turn, call, "permitted")) startCall(turn, call);
  }
}

/** The rule for starting a call, apart from the limit: it is permitted, and no earlier call blocks it. */
function canMoveOn(turn: Turn, call: Call, state: "waiting" | "permitted"): boolean {
  if (call.phase.state !== state || isHeld(turn, call)) return false;
  if (turn.claims.obstacle(call) !== undefined) look(turn, call);
  else if (!isLost(turn, call)) return true;
  else if (state === "waiting") relocate(turn, call);
  else judge(turn, call, REJUDGING);
  return false;
}

function startCall(turn: Turn, call: Call): void {
  move(turn, call, STARTING);
  turn.claims.start(call);
  emit(turn, { type: "start", call });
}

/** The shared locks let others come first. In its own turn it holds nothing meanwhile, as if it had not been let on. */
export function queue(turn: Turn, call: Call): void {
  move(turn, call, QUEUED);
  turn.claims.reenter(call);
  reportChange(turn, call);
}

/** The shared locks let it start. If its own turn does not any more, it gives them back and waits for that first. */
export function granted(turn: Turn, call: Call): void {
  const hasRoom = turn.executing < turn.limit && !isHeld(turn, call);
  if (hasRoom && turn.claims.obstacle(call) === undefined && !isLost(turn, call))
    return startCall(turn, call);
  move(turn, call, PERMITTED);
  look(turn, call);
}

/** Stops a call if it runs, keeps it from starting if it does not. */
export function cancel(turn: Turn, call: Call, cause: Cause): void {
  const { phase } = call;
  switch (phase.state) {
    case "settled":
      return;
    case "stopping":
      return move(turn, call, { state: "stopping", cause: strongerCause(phase.cause, cause) });
    case "running":
      move(turn, call, { state: "stopping", cause });
      emit(turn, { type: "stop", call, cause });
      return;
    case "judging":
    case "consulting":
    case "rejudging":
    case "asking":
      emit(turn, { type: "withdraw", call });
      return settle(turn, call, notRun(cause));
    case "waiting":
    case "locating":
    case "deferred":
    case "closing":
    case "permitted":
    case "queued":
    case "starting":
      return settle(turn, call, notRun(cause));
  }
}

const NOBODY: readonly string[] = [];

/** The only function that ends a call (promise 1). */
export function settle(turn: Turn, call: Call, outcome: Outcome): void {
  const ran = hasStarted(call.phase);
  const stillRunning = ran ? turn.abandoned.inTheWayOf(call) : NOBODY;
  move(turn, call, { state: "settled", outcome, stillRunning });
  turn.claims.leave(call);
  emit(turn, { type: "settle", call, outcome });
  if (ran && call.access.onError === "cancel-later" && isFailure(outcome)) cancelLater(turn, call);
  deliver(turn);
}

function isFailure(outcome: Outcome): boolean {
  return outcome.type === "failed" || (outcome.type === "aborted" && outcome.cause.kind === "timeout");
}

/** Cancels every later call that writes. Read-only calls do no harm after a failure. */
function cancelLater(turn: Turn, failed: Call): void {
  // An earlier failure has already cancelled these calls.
  if (turn.failed !== undefined && turn.failed.index < failed.index) return;
  const cause: Cause = { kind: "sibling-error", callId: failed.id, toolName: failed.toolName };
  turn.failed = { cause, index: failed.index };
  for (const call of unfinished(turn))
    if (call.index > failed.index && !call.access.readOnly) cancel(turn, call, cause);
}

/** Delivers calls in the model's order, each once, and none of a discarded turn. */
function deliver(turn: Turn): void {
  for (;;) {
    const call = turn.undelivered.peek();
    if (call === undefined || call.phase.state !== "settled") return;
    turn.undelivered.shift();
    turn.live.delete(call.id);
    if (!turn.discarded) emit(turn, { type: "deliver", call });
  }
}
