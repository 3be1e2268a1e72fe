/** What a simulated world knows of its calls. */

import type { Claim } from "../../src/core/access.ts";
import type { Access } from "../../src/core/call.ts";
import type { Outcome } from "../../src/core/outcome.ts";
import type { CallPlan } from "./plan.ts";

/** What was seen of one call. */
export interface CallRecord {
  readonly plan: CallPlan;
  readonly index: number;
  /** As the core knows it now. */
  access: Access | undefined;
  /** Whether there was a verdict on it, after its schema. */
  wasJudged: boolean;
  /** How many events were recorded when its input changed last, and when it was decided that the call may run. */
  changedAt: number;
  decidedAt: number;
  state: string;
  hookAsked: boolean;
  /** It threw or took too long, so it gave no decision. */
  hookFailed: boolean;
  /** The input, and the folder, that a person has said yes to; whether one has said no. */
  approved: string | undefined;
  refused: boolean;
  /** The answer to its question comes later. */
  isDeferred: boolean;
  /** The inputs that the rules judged, each with its folder, since they changed last. */
  readonly judged: Set<string>;
  started: boolean;
  /** How often its tool was called, and whether such a call is under way. */
  attempts: number;
  isTrying: boolean;
  /** It was settled after an attempt that failed, though another one was possible. */
  endedBetween: boolean;
  /** How many events were recorded, and how many of them saved, when the tool was entered. */
  recordedAtStart: number;
  savedAtStart: number;
  startOrder: number;
  ranWith: readonly Claim[];
  ranReadOnly: boolean;
  /** The folder in which it ran. */
  ranIn: string;
  parts: ("begin" | "end")[];
  seen: number[];
  /** The tool's own code has come to its end. */
  returned: boolean;
  /** It ends twice, and has failed first. */
  failed: boolean;
  /** How many events were recorded when it was settled, and when it ended after it was abandoned. */
  settledAt: number;
  endedLateAt: number;
  outcome: Outcome | undefined;
  results: number;
  /** How many ends of it were recorded. */
  finishes: number;
}

export function newRecord(plan: CallPlan, index: number): CallRecord {
  return {
    plan,
    index,
    access: undefined,
    wasJudged: false,
    changedAt: 0,
    decidedAt: 0,
    state: "queued",
    hookAsked: false,
    hookFailed: false,
    approved: undefined,
    refused: false,
    isDeferred: false,
    judged: new Set(),
    started: false,
    attempts: 0,
    isTrying: false,
    endedBetween: false,
    recordedAtStart: 0,
    savedAtStart: 0,
    startOrder: 0,
    ranWith: [],
    ranReadOnly: false,
    ranIn: "",
    parts: [],
    seen: [],
    returned: false,
    failed: false,
    settledAt: 0,
    endedLateAt: Infinity,
    outcome: undefined,
    results: 0,
    finishes: 0,
  };
}

/** What a call is made with. */
export interface Input {
  readonly id: string;
  readonly claims: readonly Claim[];
  readonly readOnly: boolean;
  readonly invalid?: boolean;
}

/** Something that waits for the world to let it happen. */
export interface Pending {
  readonly kind: string;
  happen(): void;
}

/** An input in the folder in which it is judged or run. */
export function keyOf({ claims, readOnly }: Input, cwd: string): string {
  return JSON.stringify([claims, readOnly, cwd]);
}

/** What the call touches with this input in this folder. */
export function claimsIn(
  { to, relative }: CallPlan,
  { claims, readOnly }: Input,
  cwd: string,
): readonly Claim[] {
  if (to === undefined && !relative) return claims;
  const file: Claim[] = [
    { mode: readOnly ? "read" : "write", place: `fs:${cwd}/x` },
    { mode: "read", place: "context:/cwd" },
  ];
  return [...claims, ...(relative ? file : []), ...(to === undefined ? [] : [MOVES])];
}

const MOVES: Claim = { mode: "write", place: "context:/cwd" };

/** Whether an outcome says that the tool was called. */
export function saysThatItRan(outcome: Outcome): boolean {
  const isUnknown = outcome.type === "aborted" && outcome.effect === "unknown";
  return outcome.type === "succeeded" || isUnknown || isException(outcome);
}

export function isException(outcome: Outcome): boolean {
  return outcome.type === "failed" && outcome.fault === "exception";
}
