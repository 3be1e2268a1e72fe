/** After a crash: determines from the journal what happened to each call of a turn. */

import { type Call, type Start, hasStarted } from "../core/call.ts";
import type { JournalEvent, Judgement } from "../core/event.ts";
import {
  type Ending,
  type Outcome,
  type ToolResult,
  endedBy,
  notRun,
  toToolResult,
} from "../core/outcome.ts";
import { step } from "../core/step.ts";
import { idempotencyKey } from "./idempotency.ts";
import { rejectUnknown, shown } from "./shapes.ts";
import { DEFAULT_LIMIT, type Effect, type Turn, newTurn } from "../core/turn.ts";

/** Says what happened to one call of a turn that ended in a crash. */
export interface Fate {
  /** The id of the call. */
  readonly callId: string;
  /** The name of its tool. */
  readonly toolName: string;
  /** `finished`: its result is kept. `unknown`: it was running. `never-started`: it did not run. */
  readonly fate: "finished" | "unknown" | "never-started";
  /** How it ended, if that is known. */
  readonly outcome: Outcome;
  /** What goes back to the model. */
  readonly result: ToolResult;
  /** The key that the call had. Left out without a `scope`. */
  readonly idempotencyKey?: string;
  /** The input that the call ran with, if a hook, a rule or the user changed it and its tool has `reconcile`. */
  readonly changedInput?: unknown;
}

/** Holds the options of the executor that wrote the journal. They must be the same for the replay. */
export interface TurnOptions {
  /** How many calls ran at a time: with `locks` and without a `limit`, their `maxConcurrency`. Default: 10. */
  readonly limit?: number;
  /** When calls started. Default: `eager`. */
  readonly start?: Start;
  /** What identified the turn. Default: none, so that the fates have no idempotency keys. */
  readonly scope?: string;
}

export const NOT_STARTED: Outcome = notRun({ kind: "crashed" });
const UNKNOWN: Outcome = { ...notRun({ kind: "crashed" }), effect: "unknown" } as Outcome;

/**
 * Determines the fate of every call of a turn from its journal, after a crash.
 *
 * Returns one result per call that arrived, in the model's order, and nothing for a discarded turn. An event is
 * recorded before its effects: a call that was running according to the journal may have run (promise 4), and any other
 * call has not. Runs no tool.
 *
 * Records can be missing if the journal failed for a moment. The remaining records of a call count more than the
 * replay: a call whose end was recorded has ended, and a call with a record that only running calls have has run. If
 * records are known to be missing, a call that existed then and is not known to have ended may have run. So may one
 * that was allowed later, because the replay does not lead to its start. A loss at the very end, which no later record
 * reports, cannot be detected.
 *
 * @throws TypeError if `events` is text, or a list of lines that were not parsed.
 *
 * @example
 * ```ts
 * import { readFileSync } from "node:fs";
 * import { type JournalEvent, recoverTurn } from "@runahead/engine";
 *
 * const lines = readFileSync("turn.jsonl", "utf8").trim().split("\n");
 * const fates = recoverTurn(lines.map((line) => JSON.parse(line) as JournalEvent));
 * const results = fates.map(({ result }) => result); // send these back to the model
 * ```
 */
export function recoverTurn(events: Iterable<JournalEvent>, made: TurnOptions = {}): Fate[] {
  if (typeof events === "string" || typeof events?.[Symbol.iterator] !== "function")
    throw new TypeError(
      `recoverTurn needs an array of events, not ${typeof events === "string" ? "text" : shown(events)}.`,
    );
  rejectUnknown(made, ["limit", "start", "scope"], "recoverTurn");
  const record = replay(events, newTurn(made.limit ?? DEFAULT_LIMIT, made.start ?? "eager"));
  if (record.discarded) return [];
  // A call without a recorded arrival counts only if records were lost.
  const calls = [...record.calls.values()].filter(({ call }) => call !== undefined || record.hasLost);
  return calls.map((call) => fateOf(call, outcomeOf(call, record), made.scope));
}

/** What is known about a call. */
interface Known {
  readonly id: string;
  toolName: string;
  /** The core's own record, if its arrival was recorded. */
  call: Call | undefined;
  /** How it ended, by the replay. */
  outcome: Outcome | undefined;
  /** A verdict or an answer allowed it, or none was needed. */
  allowed: boolean;
  /** Whether there is a record that only running calls have. */
  ran: boolean;
  ending: Ending | undefined;
  /** The changed inputs that were recorded, by number. */
  inputs: Map<number, unknown> | undefined;
  /** Records were lost while the call existed, and it is not certain how it had settled by then. */
  hasGap: boolean;
}

interface TurnRecord {
  readonly calls: Map<string, Known>;
  discarded: boolean;
  hasLost: boolean;
}

function replay(events: Iterable<JournalEvent>, turn: Turn): TurnRecord {
  const record: TurnRecord = { calls: new Map(), discarded: false, hasLost: false };
  for (const event of events) {
    if (typeof event === "string")
      throw new TypeError("recoverTurn needs events, not lines of text. Parse each line with JSON.parse.");
    if (typeof event?.type !== "string")
      throw new TypeError(`recoverTurn needs the events that a journal recorded, not ${shown(event)}.`);
    const effects = [...launchFirst(turn, event), ...step(turn, event)];
    note(record, event, turn);
    for (const effect of effects) {
      if (effect.type !== "settle") continue;
      const known = knownOf(record, effect.call.id);
      known.outcome = effect.outcome;
      known.call = effect.call;
      known.toolName = effect.call.toolName;
    }
  }
  return record;
}

/** A call that has ended was launched, even if that record is missing. */
function launchFirst(turn: Turn, event: JournalEvent): readonly Effect[] {
  if (event.type !== "call-finished") return [];
  const isStarting = turn.live.get(event.id)?.phase.state === "starting";
  return isStarting ? step(turn, { type: "call-launched", id: event.id }) : [];
}

/** What a single event says. */
function note(record: TurnRecord, event: JournalEvent, turn: Turn): void {
  switch (event.type) {
    case "call-arrived":
    case "call-rejected": {
      const known = knownOf(record, event.id);
      known.call = turn.live.get(event.id);
      known.toolName = event.toolName;
      known.allowed = event.type === "call-arrived" && event.permitted;
      return;
    }
    case "call-judged":
    case "call-answered":
      if (event.judgement.behavior === "allow") knownOf(record, event.id).allowed = true;
      noteInput(record, event.id, event.judgement);
      return;
    case "call-finished": {
      const known = knownOf(record, event.id);
      known.ran = true;
      known.ending ??= event.ending;
      return;
    }
    case "call-launched":
    case "call-retried":
    case "call-timed-out":
    case "call-ignored-stop":
      knownOf(record, event.id).ran = true;
      return;
    case "turn-discarded":
      record.discarded = true;
      return;
    case "records-lost":
      record.hasLost = true;
      // A cancelled call may have been launched before: the loss is recorded some events later.
      for (const known of record.calls.values())
        known.hasGap ||= known.outcome === undefined || isDoubtful(known.outcome);
      return;
    case "call-deferred":
    case "question-closed":
    case "call-located":
    case "call-queued":
    case "call-granted":
    case "context-changed":
    case "turn-interrupted":
    case "response-ended":
    case "permissions-changed":
      return;
  }
}

function noteInput(record: TurnRecord, id: string, judgement: Judgement): void {
  const change = judgement.behavior === "deny" ? undefined : judgement.change;
  if (change === undefined || change.value === undefined) return;
  const known = knownOf(record, id);
  known.inputs = (known.inputs ?? new Map<number, unknown>()).set(change.input, change.value);
}

function knownOf({ calls }: TurnRecord, id: string): Known {
  let known = calls.get(id);
  if (known === undefined) {
    known = {
      id,
      toolName: "",
      call: undefined,
      outcome: undefined,
      allowed: false,
      ran: false,
      ending: undefined,
      inputs: undefined,
      hasGap: false,
    };
    calls.set(id, known);
  }
  return known;
}

function outcomeOf({ outcome, call, allowed, ran, ending, hasGap }: Known, turn: TurnRecord): Outcome {
  if (outcome !== undefined && (ran ? saysThatItRan(outcome) : !hasGap || !isDoubtful(outcome)))
    return outcome;
  if (ending !== undefined) return endedBy(ending);
  const isUntraced = allowed && turn.hasLost;
  const mayHaveRun = ran || hasGap || isUntraced || (call !== undefined && isUnderWay(call));
  return mayHaveRun ? UNKNOWN : NOT_STARTED;
}

/** Includes calls that are about to start: the record of the launch may not have been safe yet. */
function isUnderWay({ phase }: Call): boolean {
  return phase.state === "starting" || hasStarted(phase);
}

function saysThatItRan(outcome: Outcome): boolean {
  if (outcome.type === "failed") return outcome.fault === "exception";
  return outcome.type === "succeeded" || (outcome.type === "aborted" && outcome.effect === "unknown");
}

/** A denied or cancelled call may have run after all: the lost record could say that the verdict was stale or late. */
function isDoubtful(outcome: Outcome): boolean {
  return outcome.type === "denied" || (outcome.type === "aborted" && outcome.effect === "none");
}

/** The abandoned calls that its result names, if it has the outcome that the replay leads to. */
function stillRunningAt(call: Call | undefined, outcome: Outcome): readonly string[] {
  return call?.phase.state === "settled" && call.phase.outcome === outcome ? call.phase.stillRunning : [];
}

function fateOf({ id, toolName, call, inputs }: Known, outcome: Outcome, scope: string | undefined): Fate {
  const crashed = outcome.type === "aborted" && outcome.cause.kind === "crashed";
  const fate = !crashed ? "finished" : outcome.effect === "unknown" ? "unknown" : "never-started";
  const changedInput = inputs?.get(call?.input ?? 0);
  return {
    callId: id,
    toolName,
    fate,
    outcome,
    result: toToolResult(id, outcome, stillRunningAt(call, outcome)),
    ...(scope === undefined ? {} : { idempotencyKey: idempotencyKey(scope, id) }),
    ...(changedInput === undefined ? {} : { changedInput }),
  };
}
