/** What an answer of the user means for the call, and for the rules. */

import type { Answer } from "@runahead/engine";
import type { RuleChoice } from "@runahead/permissions";
import type { PersonAnswer } from "./gate-options.ts";

/**
 * A signal of its own for one question. Once the user has answered, it is not aborted any more: an answer that adds a
 * rule can withdraw the question that it belongs to.
 */
export function ownSignal(signal: AbortSignal): {
  readonly signal: AbortSignal;
  readonly release: () => void;
} {
  const own = new AbortController();
  const follow = (): void => own.abort(signal.reason);
  if (signal.aborted) follow();
  else signal.addEventListener("abort", follow, { once: true });
  return { signal: own.signal, release: () => signal.removeEventListener("abort", follow) };
}

export function toAnswer(said: PersonAnswer, reason: string): Answer {
  switch (said.type) {
    case "once":
    case "session":
    case "always":
      return { behavior: "allow", ...(said.input === undefined ? {} : { input: said.input }) };
    case "no": {
      const { message, endTurn, by } = said;
      const who = by === undefined ? {} : { by };
      if (message === undefined) return { behavior: "deny", ...who };
      return { behavior: "deny", message, ...who, ...(endTurn === undefined ? {} : { endTurn }) };
    }
    case "defer":
      return { behavior: "defer" };
    case "unanswered":
      return { behavior: "deny", message: reason, isUnanswered: true };
    case "withdrawn":
      throw new Error("The question was withdrawn.");
    default:
      throw new TypeError(
        `askPerson returned ${JSON.stringify(said)}. Return { type: "once" }, "session", "always", "no", "defer", "unanswered" or "withdrawn".`,
      );
  }
}

/** A choice for the session only is never saved. */
export function scopeOf(
  { type, rules }: Extract<PersonAnswer, { type: "session" | "always" }>,
  choices: readonly RuleChoice[],
): "session" | "always" {
  const isSame = (choice: RuleChoice): boolean => choice.rules.join("\n") === rules?.join("\n");
  const choice = rules === undefined ? choices[0] : choices.find(isSame);
  return choice?.scopes.includes(type) === false ? "session" : type;
}
