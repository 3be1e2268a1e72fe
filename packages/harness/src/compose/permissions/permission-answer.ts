/** Answers to permission questions in the form that hooks and host programs use. */

import type { PermissionDecision, PermissionGate, PersonAnswer, PersonQuestion } from "@runahead/agent";
import {
  isShape,
  stringOf,
  type Shape,
  anArray,
  anObject,
  checkMembers,
  oneOf,
  required,
} from "@runahead/base";
import { permissionMode } from "@runahead/permissions";
import { isDeepStrictEqual } from "node:util";

/**
 * Returns what would allow a call in future, in the form of `permission_suggestions`.
 *
 * @example
 * ```ts
 * const choices = [{ label: "git log", rules: ["Bash(git log:*)"], scopes: ["session" as const] }];
 * console.log(permissionSuggestions({ choices })); // [{ type: "addRules", rules: [{ toolName: "Bash", … }], … }]
 * ```
 */
export function permissionSuggestions(question: Pick<PersonQuestion, "choices">): Shape[] {
  checkMembers(question, { choices: required(anArray) }, "permissionSuggestions");
  return question.choices.map(({ rules, scopes }) => ({
    type: "addRules",
    rules: rules.map(ruleValue),
    behavior: "allow",
    destination: scopes.includes("always") ? "localSettings" : "session",
  }));
}

/**
 * Turns a decision into the answer to a question, and applies the changes of modes and rules that it asks for.
 * `ignoredUpdates` returns those that are not applied, such as a change to `bypassPermissions`.
 *
 * @example
 * ```ts
 * const { gate } = await codingAgent();
 * console.log(personAnswer({ behavior: "allow" }, { input: {} }, gate)); // { type: "once" }
 * ```
 */
export function personAnswer(
  decision: PermissionDecision,
  question: Pick<PersonQuestion, "input">,
  gate: Pick<PermissionGate, "setMode" | "modeObjection" | "addRules">,
): PersonAnswer {
  checkMembers(decision, { behavior: required(oneOf("allow", "deny")) }, "personAnswer");
  required(anObject)(question, 'personAnswer: "question"');
  required(anObject)(gate, 'personAnswer: "gate"');
  if (decision.behavior === "deny")
    return { type: "no", message: decision.message, ...(decision.interrupt ? { endTurn: true } : {}) };
  const { updatedInput, updatedPermissions = [] } = decision;
  const input =
    updatedInput === undefined || isDeepStrictEqual(updatedInput, question.input)
      ? {}
      : { input: updatedInput };
  const granted: string[] = [];
  let isKept = false;
  for (const update of updatedPermissions) {
    const rules = rulesOf(update);
    const { type, behavior, destination, mode } = update;
    if (whyIgnored(update, gate) !== undefined) continue;
    if (type === "setMode" && typeof mode === "string") gate.setMode(mode);
    if (type !== "addRules") continue;
    if (behavior === "deny" || behavior === "ask") gate.addRules({ [behavior]: rules });
    if (behavior !== "allow") continue;
    granted.push(...rules);
    isKept ||= typeof destination === "string" && destination.endsWith("Settings");
  }
  if (granted.length === 0) return { type: "once", ...input };
  return { type: isKept ? "always" : "session", rules: granted, ...input };
}

/**
 * Returns which changes of a decision are not applied, in words for the user.
 *
 * @example
 * ```ts
 * const { gate } = await codingAgent();
 * const update = { type: "addDirectories", directories: ["/tmp"] };
 * console.log(ignoredUpdates({ behavior: "allow", updatedPermissions: [update] }, gate));
 * ```
 */
export function ignoredUpdates(
  decision: PermissionDecision,
  gate: Pick<PermissionGate, "modeObjection">,
): string[] {
  checkMembers(decision, { behavior: required(oneOf("allow", "deny")) }, "ignoredUpdates");
  required(anObject)(gate, 'ignoredUpdates: "gate"');
  if (decision.behavior === "deny") return [];
  return (decision.updatedPermissions ?? []).flatMap((update) => {
    const { type, mode, behavior } = update;
    const why = whyIgnored(update, gate);
    if (why === undefined) return [];
    const detail = type === "setMode" ? mode : type === "addRules" ? behavior : undefined;
    const what = [type, detail].filter((word) => typeof word === "string").join(" ");
    return [`updatedPermissions: ${what} has no effect: ${why}.`];
  });
}

function whyIgnored(
  { type, mode, behavior }: Shape,
  gate: Pick<PermissionGate, "modeObjection">,
): string | undefined {
  if (type === "setMode") {
    const named = typeof mode === "string" ? permissionMode(mode) : undefined;
    if (named === undefined) return "there is no such mode";
    return named === "bypassPermissions" ? "start Runahead in this mode" : gate.modeObjection(named);
  }
  if (type === "addRules")
    return ["allow", "ask", "deny"].includes(String(behavior)) ? undefined : "use allow, ask or deny";
  const instead = typeof type === "string" && Object.hasOwn(INSTEAD, type) ? INSTEAD[type] : undefined;
  return instead ?? "it is not known";
}

const INSTEAD: Readonly<Record<string, string>> = {
  replaceRules: "use addRules, or change the settings file",
  removeRules: "change the settings file",
  addDirectories: "name the folder in permissions.additionalDirectories",
  removeDirectories: "change the settings file",
};

function rulesOf({ rules }: Shape): string[] {
  if (!Array.isArray(rules)) return [];
  return rules.filter(isShape).flatMap((rule) => {
    const toolName = stringOf(rule["toolName"], "");
    const content = stringOf(rule["ruleContent"], "");
    if (toolName === "") return [];
    return [content === "" ? toolName : `${toolName}(${content})`];
  });
}

function ruleValue(rule: string): Shape {
  const [, toolName = rule, ruleContent] = /^([^()]+)\(([\s\S]*)\)$/.exec(rule) ?? [];
  return ruleContent === undefined ? { toolName } : { toolName, ruleContent };
}
