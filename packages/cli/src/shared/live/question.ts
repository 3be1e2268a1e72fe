/** A question as viewers see it, and what their answer means. */

import type { Mode, PersonAnswer, PersonQuestion } from "@runahead/harness";
import { reveal } from "../safe-text.ts";
import { PLAN_TOOL, membersOf } from "../words.ts";
import { inputWords } from "./item.ts";
import type { LiveAnswer, LiveQuestion } from "./protocol.ts";

/**
 * Characters that change how text looks are made visible, so that they cannot hide what is approved. `change` is the change
 * of a file in its place; default: what the input says.
 */
export function liveQuestion(question: PersonQuestion, change?: string): LiveQuestion {
  const { callId, toolName, description, reason, input, choices } = question;
  return {
    callId,
    toolName,
    description: reveal(description),
    reason: reveal(reason),
    input: reveal(JSON.stringify(input, null, 2) ?? ""),
    shown: reveal(change ?? inputWords(input)),
    plan: planOf(question),
    choices: choices.map(({ label, rules, scopes }) => ({
      label: reveal(label),
      rules: rules.map(reveal).join(", "),
      scopes,
    })),
  };
}

function planOf({ toolName, input }: Pick<PersonQuestion, "toolName" | "input">): string | undefined {
  const { plan } = membersOf(input);
  return toolName === PLAN_TOOL && typeof plan === "string" ? reveal(plan) : undefined;
}

interface Meant {
  readonly answer: PersonAnswer;
  /** The mode to continue in. Default: the mode stays. */
  readonly mode?: Mode;
}

/** Undefined if the answer does not fit the question. */
export function meaningOf(given: LiveAnswer, question: PersonQuestion): Meant | undefined {
  switch (given.type) {
    case "once":
      return { answer: { type: "once" } };
    case "no": {
      const message = given.comment.trim();
      return {
        answer: message === "" ? { type: "no" } : { type: "no", message: noWords(message, question) },
      };
    }
    case "plan": {
      const shown = planOf(question);
      if (shown === undefined || given.plan.trim() === "") return undefined;
      const isEdited = given.plan.trim() !== shown.trim();
      const input = isEdited ? { input: { plan: given.plan } } : {};
      return { answer: { type: "once", ...input }, mode: given.mode };
    }
    case "answers":
      return undefined;
    default: {
      const choice = question.choices[given.choice];
      if (choice?.scopes.includes(given.type) !== true) return undefined;
      return { answer: { type: given.type, rules: choice.rules } };
    }
  }
}

function noWords(comment: string, { toolName }: PersonQuestion): string {
  return toolName === PLAN_TOOL ? revisionWords(comment) : comment;
}

const REVISE =
  "The user does not approve the plan yet. Plan mode stays on. Revise the plan and present it again. Their comment: ";

/** What the model reads if the user wants another plan. */
export function revisionWords(comment: string): string {
  return `${REVISE}${comment}`;
}

/** The comment of the user in what the model reads; undefined if it is something else. */
export function revisionComment(words: string): string | undefined {
  return words.startsWith(REVISE) ? words.slice(REVISE.length) : undefined;
}
