/** What a simulated tree knows of its calls and turns. */

import { type Claim, claimsConflict } from "../../src/core/access.ts";
import type { Access } from "../../src/core/call.ts";
import type { JournalEvent } from "../../src/core/event.ts";
import type { Outcome } from "../../src/core/outcome.ts";
import type { Engine } from "../support/engine-under-test.ts";
import type { AgentPlan, CallPlan, TurnPlan } from "./plan.ts";

/** What a call is made with. */
export interface Input {
  readonly id: string;
  readonly claims: readonly Claim[];
}

export interface CallRecord {
  readonly plan: CallPlan;
  readonly turn: TurnRecord;
  readonly index: number;
  readonly delegates: boolean;
  /** As the core knows it now. */
  access: Access | undefined;
  /** How many events of the turn were recorded when it changed last, and when it was decided that the call may run. */
  changedAt: number;
  decidedAt: number;
  /** When it asked for the shared locks. */
  askedAt: number;
  started: boolean;
  recordedAtStart: number;
  ranWith: readonly Claim[];
  /** The rules that it was judged by last. */
  judgedBy: number;
  /** The folder in which the rules judged it last, and the one in which it ran. */
  judgedIn: string;
  ranIn: string;
  /** As the core has settled it, and as the listener heard. */
  outcome: Outcome | undefined;
  settlements: number;
}

/** A message to an agent: of another one, of the person, or about the end of what it started in the background. */
export interface Message {
  readonly number: number;
  /** The turns that have read it. */
  readonly readBy: string[];
}

/** What is known of an agent whatever process it works in. */
export interface AgentRecord {
  readonly plan: AgentPlan;
  /** The agent that started it. */
  readonly parent: AgentRecord | undefined;
  readonly inbox: Message[];
  /** The number of the message that it read last. */
  lastRead: number;
  /** How many of its planned turns, and of those that messages made, have begun. */
  begun: number;
  answered: number;
  hasEnded: boolean;
  isStopped: boolean;
  /** How often its end is, or was, to be reported to its parent, and how often it was. */
  owedReports: number;
  reports: number;
}

export function newAgent(plan: AgentPlan, parent: AgentRecord | undefined): AgentRecord {
  return {
    plan,
    parent,
    inbox: [],
    lastRead: 0,
    begun: 0,
    answered: 0,
    hasEnded: false,
    isStopped: false,
    owedReports: 0,
    reports: 0,
  };
}

export interface TurnRecord {
  readonly name: string;
  readonly agent: AgentRecord;
  /** Which of the processes it runs in. */
  readonly life: number;
  readonly plan: TurnPlan;
  readonly limit: number;
  /** The core again, in step: it says what the executor's own knows. */
  readonly shadow: ReturnType<Engine["newTurn"]>;
  readonly calls: CallRecord[];
  readonly journal: JournalEvent[];
  /** How many of those are safe. */
  saved: number;
  readonly results: string[];
  /** How many calls had arrived when a message interrupted it, and which of them ran. */
  messageAt: number | undefined;
  ranAtMessage: ReadonlySet<string>;
  isStopped: boolean;
  isDiscarded: boolean;
  isRead: boolean;
}

export function newCall(plan: CallPlan, turn: TurnRecord, index: number): CallRecord {
  return {
    plan,
    turn,
    index,
    delegates: plan.tool !== "Touch" && plan.tool !== "Fetch",
    access: undefined,
    changedAt: 0,
    decidedAt: 0,
    askedAt: 0,
    started: false,
    recordedAtStart: 0,
    ranWith: [],
    judgedBy: 0,
    judgedIn: "",
    ranIn: "",
    outcome: undefined,
    settlements: 0,
  };
}

/** The state of the call in the core. */
export function stateOf({ plan, turn }: CallRecord): string {
  return turn.shadow.live.get(plan.id)?.phase.state ?? "settled";
}

/** It holds its locks. */
export function isHolding(call: CallRecord): boolean {
  return !call.delegates && ["starting", "running", "stopping"].includes(stateOf(call));
}

export function claimsOf({ access }: CallRecord): readonly Claim[] {
  return access?.claims ?? [];
}

/** In one turn: calls that delegate exclude all that do not. */
export function conflictInTurn(one: CallRecord, other: CallRecord): boolean {
  if (one.delegates || other.delegates) return one.delegates !== other.delegates;
  return claimsConflict(claimsOf(one), claimsOf(other));
}

/** Between turns: the context is each turn's own, and a call that delegates touches nothing. */
export function conflictBetween(one: CallRecord, other: CallRecord): boolean {
  return one.turn !== other.turn && conflictInLocks(one, other);
}

export function conflictInLocks(one: CallRecord, other: CallRecord): boolean {
  if (one.delegates || other.delegates) return false;
  return claimsConflict(shared(claimsOf(one)), shared(claimsOf(other)));
}

function shared(claims: readonly Claim[]): readonly Claim[] {
  return claims.filter(({ place }) => !place.startsWith("context:/"));
}
