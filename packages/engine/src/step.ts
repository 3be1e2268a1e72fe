/**
 * The core: the whole life of a turn's calls as one function from an event to effects. It does no IO, reads no
 * clock and makes no promise; the same events give the same effects. An event that does not fit the state of its
 * call (late, doubled, unasked) changes nothing.
 *
 * What it keeps, by the numbers of docs/promises.md:
 *   1  every call that arrives is settled once, and delivered once, in the order of arrival;
 *   2  of two calls that conflict, the later starts after the earlier has settled;
 *   3  a call starts only after a verdict that allows it and that still holds;
 *   4  a call that has started is never settled with effect `none`;
 *   6  at most `limit` calls run, and at most `limit` are judged with hooks, at a time.
 */

import type { Claim } from "./access.ts";
import { type Access, type Call, JUDGING, RUNNING } from "./call.ts";
import type { JournalEvent, Judgement } from "./event.ts";
import { cancel, hasStarted, move, pump, queue, settle, wait } from "./move.ts";
import { type Ending, contentText, notRun, stopped } from "./outcome.ts";
import { abandon, discard, endResponse, interrupt } from "./stopping.ts";
import type { Effect, Turn } from "./turn.ts";

export function step(turn: Turn, event: JournalEvent): Effect[] {
  turn.effects = [];
  apply(turn, event);
  pump(turn);
  return turn.effects;
}

function apply(turn: Turn, event: JournalEvent): void {
  switch (event.type) {
    case "call-arrived":
      return arrive(turn, event);
    case "call-rejected":
      return reject(turn, event);
    case "call-finished":
      finish(turn, event.id, event.ending);
      return endTurn(turn, event.endTurn);
    case "turn-interrupted":
      return interrupt(turn, event.kind, event.reason);
    case "turn-discarded":
      return discard(turn);
    case "response-ended":
      return endResponse(turn, event.ok, event.reason);
    case "permissions-changed":
      for (const call of turn.unfinished) judgeAgain(turn, call);
      return;
    default: {
      const call = turn.live.get(event.id);
      if (call !== undefined) applyTo(turn, call, event);
    }
  }
}

type CallEvent = Exclude<
  Extract<JournalEvent, { id: string }>,
  { type: "call-arrived" | "call-rejected" | "call-finished" }
>;

function applyTo(turn: Turn, call: Call, event: CallEvent): void {
  const { phase, round } = call;
  const { state } = phase;
  switch (event.type) {
    case "call-judged":
      if ((state === "judging" || state === "asking") && event.round === round)
        judged(turn, call, event.judgement);
      return;
    case "call-answered":
      if (state === "asking" && event.round === phase.question) answered(turn, call, event.judgement);
      return;
    case "call-reconsidered":
      if (state !== "settled" && state !== "stopping" && state !== "running")
        reconsider(turn, call, event.access);
      return;
    case "call-delayed":
      if (state === "running") move(turn, call, { state, launched: false });
      return;
    case "call-launched":
      if (state === "running" && !phase.launched && event.round === round) launch(turn, call);
      return;
    case "call-timed-out":
      if (hasStarted(phase)) cancel(turn, call, { kind: "timeout", limitMs: event.limitMs });
      return;
    case "call-ignored-stop":
      if (state === "stopping") abandon(turn, call, { ...event, cause: phase.cause });
  }
}

function reconsider(turn: Turn, call: Call, access: Access): void {
  changeAccess(turn, call, access);
  judgeAgain(turn, call);
}

function launch(turn: Turn, call: Call): void {
  move(turn, call, RUNNING);
  turn.effects.push({ type: "launch", call });
}

function arrive(turn: Turn, event: Extract<JournalEvent, { type: "call-arrived" }>): void {
  const call = enter(turn, event, event.access);
  if (call === undefined) return;
  if (turn.closed !== undefined) return settle(turn, call, notRun(turn.closed));
  turn.claims.request(call);
  if (event.permitted || call.hooked) wait(turn, call, event.permitted);
  else turn.effects.push({ type: "judge", call });
}

/** What can never run touches nothing. */
const TOUCHES_NOTHING: Access = { claims: [], readOnly: true, interrupt: "block", onError: "isolate" };

function reject(turn: Turn, event: Extract<JournalEvent, { type: "call-rejected" }>): void {
  const call = enter(turn, { ...event, hooked: false }, TOUCHES_NOTHING);
  if (call !== undefined) settle(turn, call, event.outcome);
}

type Arrival = { readonly id: string; readonly toolName: string; readonly hooked: boolean };

function enter(turn: Turn, { id, toolName, hooked }: Arrival, access: Access): Call | undefined {
  if (turn.known.has(id)) return undefined;
  const index = turn.arrived++;
  const phase = JUDGING;
  const call: Call = {
    index,
    id,
    toolName,
    access,
    hooked,
    phase,
    round: 0,
    approved: false,
    requests: [],
    blocked: 0,
  };
  turn.known.add(id);
  turn.live.set(id, call);
  turn.unfinished.add(call);
  turn.undelivered.push(call);
  return call;
}

function judged(turn: Turn, call: Call, judgement: Judgement): void {
  if (judgement.behavior === "deny") return deny(turn, call, judgement);
  const { phase, round } = call;
  changeAccess(turn, call, judgement.access);
  const { interrupted } = turn;
  if (interrupted !== undefined && call.access.interrupt === "cancel") return cancel(turn, call, interrupted);
  if (judgement.behavior === "ask" && !call.approved) {
    // A question that is open stays open.
    const question = phase.state === "asking" ? phase.question : round;
    move(turn, call, { state: "asking", question, judged: round });
    if (phase.state !== "asking") turn.effects.push({ type: "ask", call });
    return;
  }
  if (phase.state === "asking") turn.effects.push({ type: "withdraw", call });
  wait(turn, call, true);
}

function answered(turn: Turn, call: Call, judgement: Judgement): void {
  if (judgement.behavior === "deny") return deny(turn, call, judgement);
  const { phase } = call;
  call.approved = true;
  changeAccess(turn, call, judgement.access);
  // Rules that changed while the question was open are still being applied, and their verdict must hold (promise 3).
  const isCurrent = phase.state === "asking" && phase.judged === call.round;
  if (isCurrent) return wait(turn, call, true);
  move(turn, call, JUDGING);
  turn.effects.push({ type: "changed", call });
}

function deny(turn: Turn, call: Call, judgement: Extract<Judgement, { behavior: "deny" }>): void {
  if (call.phase.state === "asking") turn.effects.push({ type: "withdraw", call });
  settle(turn, call, judgement.outcome);
  endTurn(turn, judgement.endTurn);
}

function endTurn(turn: Turn, reason: string | undefined): void {
  if (reason === undefined) return;
  turn.effects.push({ type: "end-turn", reason });
  interrupt(turn, "stop", reason);
}

/** What is being judged just now is judged by the new rules anyway: the shell sees to that. */
function judgeAgain(turn: Turn, call: Call): void {
  const { phase } = call;
  const isPermitted =
    phase.state === "running" ? !phase.launched : phase.state === "waiting" && phase.permitted;
  if (!isPermitted && phase.state !== "asking") return;
  call.round++;
  if (isPermitted) move(turn, call, JUDGING);
  // It does not run any more, so earlier calls that have claimed anew meanwhile come first again.
  if (phase.state === "running") for (const freed of turn.claims.reclaim(call)) queue(turn, freed);
  turn.effects.push({ type: "judge", call });
}

function changeAccess(turn: Turn, call: Call, access: Access | undefined): void {
  if (access === undefined) return;
  const before = call.access.claims;
  call.access = access;
  if (sameClaims(before, access.claims)) return;
  for (const freed of turn.claims.reclaim(call)) queue(turn, freed);
}

function sameClaims(some: readonly Claim[], others: readonly Claim[]): boolean {
  if (some.length !== others.length) return false;
  return some.every(({ mode, place }, at) => mode === others[at]?.mode && place === others[at]?.place);
}

function finish(turn: Turn, id: string, ending: Ending): void {
  const call = turn.live.get(id);
  if (call?.phase.state === "stopping") {
    settle(turn, call, stopped(call.phase.cause, ending));
  } else if (call?.phase.state === "running" && call.phase.launched) {
    const { type, content } = ending;
    if (type === "succeeded") settle(turn, call, { type, content });
    else settle(turn, call, { type, fault: "exception", message: contentText(content) });
  } else {
    turn.abandoned = turn.abandoned.filter((other) => other.id !== id);
  }
}
