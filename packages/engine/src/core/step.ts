/**
 * The core: handles the whole life of a turn's calls, as one function from an event to effects. It does no IO, reads no
 * clock and creates no promises; the same events always lead to the same effects. An event that does not fit the state
 * of its call (late, repeated, unexpected) changes nothing.
 *
 * Invariants, with the numbers of docs/promises.md:
 *   1  every call that arrives is settled once, and delivered once, in the order of arrival;
 *   2  of two calls that conflict, the later starts after the earlier has settled;
 *   3  a call starts only after a verdict that allows it and that still holds;
 *   4  a call that has started is never settled with effect `none`;
 *   6  at most `limit` calls run, and at most `limit` are judged with hooks, at a time.
 */

import { type Access, type Call, JUDGING, PERMITTED, RUNNING, hasStarted, isExecuting } from "./call.ts";
import { NO_REQUESTS } from "./claims.ts";
import type { JournalEvent } from "./event.ts";
import {
  cancel,
  forbidden,
  granted,
  judge,
  judgeAgain,
  look,
  move,
  pump,
  queue,
  settle,
  waitForHooks,
} from "./move.ts";
import { type Ending, endedBy, notRun, stopped } from "./outcome.ts";
import { abandon, discard, endResponse, endTurn, interrupt } from "./stopping.ts";
import { type Effect, NO_EFFECTS, type Turn, reportChange, unfinished } from "./turn.ts";
import { answered, changeAccess, deferred, judgeStale, judged, questionClosed } from "./verdict.ts";

export function step(turn: Turn, event: JournalEvent): readonly Effect[] {
  if (event.type === "call-launched") return launch(turn, event.id);
  turn.effects = NO_EFFECTS;
  apply(turn, event);
  pump(turn);
  return turn.effects;
}

/** Its tool is called now. This frees no slot, so there is nothing else to do. */
function launch(turn: Turn, id: string): readonly Effect[] {
  const call = turn.live.get(id);
  if (call?.phase.state !== "starting") return NO_EFFECTS;
  move(turn, call, RUNNING);
  if (call.ticket?.isMetered === true) call.ticket.use();
  turn.writerStarted ||= !call.access.readOnly;
  return NO_EFFECTS;
}

type SteppedEvent = Exclude<JournalEvent, { type: "call-launched" }>;

function apply(turn: Turn, event: SteppedEvent): void {
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
      turn.epochs.rulesChanged();
      for (const call of unfinished(turn)) judgeAgain(turn, call);
      return;
    case "context-changed":
      return changeContext(turn, event.index);
    case "call-retried":
    case "records-lost":
      return;
    default: {
      // All others are about one call that has arrived: `applyTo` names them.
      const call = turn.live.get(event.id);
      if (call !== undefined) applyTo(turn, call, event);
    }
  }
}

type CallEvent = Exclude<
  Extract<SteppedEvent, { id: string }>,
  { type: "call-arrived" | "call-rejected" | "call-finished" | "call-retried" }
>;

function applyTo(turn: Turn, call: Call, event: CallEvent): void {
  const { phase } = call;
  switch (event.type) {
    case "call-judged":
      return judged(turn, call, event);
    case "call-answered":
      return answered(turn, call, event);
    case "call-deferred":
      return deferred(turn, call, event.question);
    case "question-closed":
      return questionClosed(turn, call, event.question);
    case "call-located":
      return located(turn, call, event.access);
    case "call-queued":
      if (phase.state === "starting") queue(turn, call);
      return;
    case "call-granted":
      if (phase.state === "queued") granted(turn, call);
      return;
    case "call-timed-out":
      if (hasStarted(phase)) cancel(turn, call, { kind: "timeout", limitMs: event.limitMs });
      return;
    case "call-ignored-stop":
      if (phase.state === "stopping") abandon(turn, call, { ...event, cause: phase.cause });
  }
}

/** Waiting calls are found to be stale when their turn comes; calls that are about to start are stopped here. */
function changeContext(turn: Turn, index: number): void {
  turn.epochs.contextChanged(index);
  for (const call of turn.starting.list()) if (call.index > index) judgeStale(turn, call);
}

function arrive(turn: Turn, event: Extract<JournalEvent, { type: "call-arrived" }>): void {
  const call = enter(turn, event, event.access);
  if (call === undefined) return;
  const cause = forbidden(turn, call);
  if (cause !== undefined) return settle(turn, call, notRun(cause));
  turn.claims.enter(call);
  if (event.permitted) {
    call.phase = PERMITTED;
    reportChange(turn, call);
    return look(turn, call);
  }
  if (call.hooked) return waitForHooks(turn, call);
  judge(turn, call);
  look(turn, call);
}

/** A call that can never run touches nothing. */
const TOUCHES_NOTHING: Access = { claims: [], readOnly: true, interrupt: "block", onError: "isolate" };

function reject(turn: Turn, event: Extract<JournalEvent, { type: "call-rejected" }>): void {
  const call = enter(turn, { ...event, hooked: false }, TOUCHES_NOTHING);
  if (call !== undefined) settle(turn, call, event.outcome);
}

type Arrival = { readonly id: string; readonly toolName: string; readonly hooked: boolean };

function enter(turn: Turn, { id, toolName, hooked }: Arrival, access: Access): Call | undefined {
  if (turn.known.has(id)) return undefined;
  const call: Call = {
    index: turn.arrived++,
    id,
    toolName,
    access,
    delegates: access.delegates === true,
    hooked,
    phase: JUDGING,
    epoch: turn.epochs.next(),
    wasStale: false,
    approved: undefined,
    input: 0,
    requests: NO_REQUESTS,
    gate: undefined,
    isRunning: false,
    isUnlocated: false,
    ticket: undefined,
    before: undefined,
    after: undefined,
  };
  turn.known.add(id);
  turn.live.set(id, call);
  turn.undelivered.push(call);
  return call;
}

function located(turn: Turn, call: Call, access: Access): void {
  if (isExecuting(call.phase) || call.phase.state === "settled") return;
  if (!changeAccess(turn, call, access)) return;
  if (call.phase.state === "locating") waitForHooks(turn, call);
  else look(turn, call);
}

function finish(turn: Turn, id: string, ending: Ending): void {
  const call = turn.live.get(id);
  if (call?.phase.state === "stopping") {
    settle(turn, call, stopped(call.phase.cause, ending));
  } else if (call?.phase.state === "running") {
    settle(turn, call, endedBy(ending));
  } else {
    turn.abandoned.remove(id);
  }
}
