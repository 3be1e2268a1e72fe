/** Asks the user about a call: hooks can answer first, and an answer for good is bound to the tool's definition. */

import type { HookRunner, PermissionGate, PersonAnswer, PersonQuestion } from "@runahead/agent";
import type { McpConnections } from "@runahead/mcp";
import type { Around } from "../around.ts";
import type { Plans } from "./plans.ts";
import { ignoredUpdates, permissionSuggestions, personAnswer } from "./permission-answer.ts";

interface AskingParts extends Pick<Around, "listeners"> {
  readonly mcp: Pick<McpConnections, "approveForGood">;
  readonly hooks: () => HookRunner | undefined;
  readonly gate: () => PermissionGate | undefined;
  readonly plans: Plans;
}

export function askingPerson(parts: AskingParts): (question: PersonQuestion) => Promise<PersonAnswer> {
  return async (question) => {
    parts.plans.noteQuestion(question);
    return keepApproved(question, await ask(question, parts), parts);
  };
}

/** PermissionRequest hooks answer first. Notification hooks run so that a user who is away notices the question. */
async function ask(question: PersonQuestion, { listeners, hooks, gate }: AskingParts): Promise<PersonAnswer> {
  const { toolName, input, signal } = question;
  const call = { toolName, input, suggestions: permissionSuggestions(question) };
  const decision = await hooks()?.permissionRequest(call, signal);
  const deciding = gate();
  if (decision !== undefined && deciding !== undefined) {
    for (const words of ignoredUpdates(decision, deciding))
      listeners.onNotice(`PermissionRequest hook: ${words}`);
    const answer = personAnswer(decision, question, deciding);
    return answer.type === "no" ? { ...answer, by: "a hook" } : answer;
  }
  if (listeners.askPerson === undefined) return { type: "unanswered" };
  const facts = {
    message: `Runahead needs your approval: ${question.description}`,
    type: "permission_prompt",
  };
  void hooks()
    ?.notification(facts, signal)
    .catch(() => {});
  return listeners.askPerson(question);
}

/** An "always allow" for a tool of a server is bound to its current definition, which is saved before the rule (H05). */
async function keepApproved(
  { toolName }: PersonQuestion,
  answer: PersonAnswer,
  { mcp, listeners }: AskingParts,
): Promise<PersonAnswer> {
  if (answer.type !== "always") return answer;
  await mcp.approveForGood(toolName, answer.rules).catch((error: unknown) => {
    listeners.onNotice(
      `The approval of ${toolName} could not be saved and is valid for this session only: ${String(error)}`,
    );
  });
  return answer;
}
