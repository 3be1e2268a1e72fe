/** What verdicts and answers do to a call. A verdict is valid until the rules or the context change (promise 3). */

import { sameClaims } from "./access.ts";
import { type Access, type Call, DEFERRED, JUDGING, PERMITTED, type Phase, hasStarted } from "./call.ts";
import type { Change, Judgement } from "./event.ts";
import {
  cancel,
  forbidden,
  isLost,
  isStale,
  judge,
  judgeAgain,
  look,
  move,
  permit,
  settle,
  waitStale,
} from "./move.ts";
import { endTurn } from "./stopping.ts";
import { type Turn, emit, reportChange } from "./turn.ts";

export function judged(
  turn: Turn,
  call: Call,
  { epoch, judgement }: { epoch: number; judgement: Judgement },
): void {
  const { phase } = call;
  if (!isJudged(phase) || epoch !== call.epoch) return;
  if (isStale(turn, call)) return judgeStale(turn, call);
  if (judgement.behavior === "deny") return deny(turn, call, judgement);
  if (!change(turn, call, judgement.change)) return;
  if (judgement.behavior === "ask" && !isApproved(turn, call)) return ask(turn, call);
  if (phase.state !== "asking") return permit(turn, call);
  move(turn, call, { state: "closing", question: phase.question });
  emit(turn, { type: "withdraw", call });
}

/** Whether a verdict is awaited. */
function isJudged({ state }: Phase): boolean {
  return state === "judging" || state === "consulting" || state === "rejudging" || state === "asking";
}

/**
 * Requests the verdict again: at once the first time, so that questions come early, and then not before the call could
 * start. If every change of the context led to a new verdict on every call, the work would grow quadratically.
 */
export function judgeStale(turn: Turn, call: Call): void {
  const { phase } = call;
  if (phase.state === "starting") return void judgeAgain(turn, call);
  const isForContext =
    phase.state === "judging" && isLost(turn, call) && !turn.epochs.haveRulesChangedSince(call.epoch);
  if (isForContext && call.wasStale) return waitStale(turn, call);
  call.wasStale ||= isForContext;
  judge(turn, call, phase.state === "asking" || phase.state === "rejudging" ? phase : JUDGING);
}

/** A yes is valid only for the input and the context that the user was shown. */
function isApproved(turn: Turn, { approved, input, index }: Call): boolean {
  if (approved === undefined || approved.input !== input) return false;
  return !turn.epochs.hasContextChangedSince(approved.at, index);
}

/** A question that is open stays open, unless it is about another input or another context. */
function ask(turn: Turn, call: Call): void {
  const { phase, epoch, input, index } = call;
  if (phase.state === "asking") {
    const isSame = phase.input === input && !turn.epochs.hasContextChangedSince(phase.question, index);
    if (isSame) return move(turn, call, { ...phase, judged: epoch });
    emit(turn, { type: "withdraw", call });
  }
  move(turn, call, { state: "asking", question: epoch, input, judged: epoch });
  emit(turn, { type: "ask", call, question: epoch });
}

export function answered(
  turn: Turn,
  call: Call,
  { question, judgement }: { question: number; judgement: Judgement },
): void {
  const { phase } = call;
  // The user's no counts until the call runs, even if the question was closed.
  if (judgement.behavior === "deny") return hasStarted(phase) ? undefined : deny(turn, call, judgement);
  if ((phase.state !== "asking" && phase.state !== "closing") || phase.question !== question) return;
  if (turn.epochs.hasContextChangedSince(question, call.index)) {
    move(turn, call, JUDGING);
    return judgeStale(turn, call);
  }
  // An answer from a dialog that is being closed does not count as a yes to a later question.
  if (phase.state === "asking")
    call.approved = { at: turn.epochs.next(), input: judgement.change?.input ?? call.input };
  if (judgement.change !== undefined) {
    // The rules have not seen this input (promise 3).
    if (change(turn, call, judgement.change)) judge(turn, call);
    return;
  }
  // Rules changed while the question was open, and their verdict is still pending (promise 3).
  if (phase.state === "asking" && phase.judged !== call.epoch) {
    move(turn, call, JUDGING);
    return reportChange(turn, call);
  }
  permitIfCurrent(turn, call);
}

/** The answer comes later. The rules judge the call again then, so changes of rules and context do not matter now. */
export function deferred(turn: Turn, call: Call, question: number): void {
  const { phase } = call;
  // The rules no longer ask.
  if (phase.state === "closing") return questionClosed(turn, call, question);
  if (phase.state !== "asking" || phase.question !== question) return;
  if (isOutdated(turn, call)) {
    move(turn, call, JUDGING);
    return judgeStale(turn, call);
  }
  // Rules changed while the question was open, and their verdict is still pending.
  move(turn, call, phase.judged === call.epoch ? DEFERRED : JUDGING);
  reportChange(turn, call);
}

export function questionClosed(turn: Turn, call: Call, question: number): void {
  const { phase } = call;
  if (phase.state === "closing" && phase.question === question) permitIfCurrent(turn, call);
  // The question was not asked, because the context changed while it waited.
  if (phase.state === "asking" && phase.question === question && isOutdated(turn, call)) {
    move(turn, call, JUDGING);
    judgeStale(turn, call);
  }
}

/** Whether the context changed since the question was requested, so that an answer would not count. */
export function isOutdated(turn: Turn, { phase, index }: Call): boolean {
  return phase.state === "asking" && turn.epochs.hasContextChangedSince(phase.question, index);
}

function permitIfCurrent(turn: Turn, call: Call): void {
  if (isStale(turn, call)) judgeStale(turn, call);
  else permit(turn, call);
}

function deny(turn: Turn, call: Call, judgement: Extract<Judgement, { behavior: "deny" }>): void {
  if (call.phase.state === "settled") return;
  if (call.phase.state === "asking") emit(turn, { type: "withdraw", call });
  settle(turn, call, judgement.outcome);
  endTurn(turn, judgement.endTurn);
}

/** Applies a changed input. Returns whether the call continues. */
function change(turn: Turn, call: Call, changed: Change | undefined): boolean {
  if (changed === undefined) return true;
  call.input = changed.input;
  return changeAccess(turn, call, changed.access);
}

/** Returns whether the call continues. With its new claims, it can be a call that must not start. */
export function changeAccess(turn: Turn, call: Call, access: Access): boolean {
  const before = call.access.claims;
  call.access = access;
  if (call.isUnlocated || !sameClaims(before, access.claims)) {
    // In the shared locks it waits with the old ones.
    if (call.phase.state === "queued") move(turn, call, PERMITTED);
    turn.claims.reenter(call);
  }
  const cause = forbidden(turn, call);
  if (cause === undefined) look(turn, call);
  else cancel(turn, call, cause);
  return cause === undefined;
}
