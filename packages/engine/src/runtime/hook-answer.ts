/** The answer of a PreToolUse hook. Hooks are foreign code, so it is validated. */

import type { AskJudgement, Judgement } from "../core/event.ts";
import { words } from "./judgements.ts";
import { notAnObject, toText } from "./serialise.ts";
import { rejectUnknown } from "./shapes.ts";

/** What a PreToolUse hook decided about a call. It runs once. */
export interface HookAnswer {
  readonly decision: "allow" | "ask" | "defer" | "deny" | undefined;
  readonly reason: string;
  readonly endTurn: boolean;
  /** The number of the input that the hook changed, or what is wrong with it. */
  readonly input: number | Judgement | undefined;
}

export const NO_DECISION: HookAnswer = { decision: undefined, reason: "", endTurn: false, input: undefined };

/** The members of what a hook returns. One that is ignored could be its refusal. */
const ANSWERS = ["decision", "reason", "input", "endTurn"];

/** Throws if the answer is malformed. */
export function checkedAnswer(said: unknown): Omit<HookAnswer, "input"> & { readonly input: unknown } {
  if (said === undefined || said === null) return NO_DECISION;
  if (typeof said !== "object") throw notAnObject(said);
  rejectUnknown(said, ANSWERS, "its answer");
  const { decision, reason, input, endTurn } = said as Record<string, unknown>;
  if (
    decision !== undefined &&
    decision !== "allow" &&
    decision !== "ask" &&
    decision !== "defer" &&
    decision !== "deny"
  )
    throw new TypeError(`its decision must be "allow", "ask", "defer" or "deny", got ${toText(decision)}`);
  return { decision, reason: words(reason), endTurn: endTurn === true, input };
}

export function wantsQuestion(said: HookAnswer | undefined): boolean {
  return said?.decision === "ask" || said?.decision === "defer";
}

export function deferredBy(said: HookAnswer | undefined): Pick<AskJudgement, "isDeferred"> {
  return said?.decision === "defer" ? { isDeferred: true } : {};
}

export function reasonOf(said: HookAnswer | undefined): string {
  return wantsQuestion(said) ? (said?.reason ?? "") : "";
}
