/** Wrong use of the executor's options is answered when the executor is made, in JavaScript too. */

import { shown } from "./check-tool.ts";
import { rejectUnknown } from "./names.ts";

const FUNCTIONS = ["canUseTool", "ask", "onEvent", "validateJsonSchema", "resolvePlace"];
const HOOKS = ["matches", "preToolUse", "postToolUse", "postToolUseFailure"];

/** The functions that an option must have, if it is given. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  hooks: [],
  journal: ["record"],
  results: ["store"],
  clock: ["now", "after", "cancel"],
  signal: ["addEventListener", "removeEventListener"],
};

const OPTIONS = ["tools", ...FUNCTIONS, ...Object.keys(MEMBERS), "context", "limit", "start"];
const WHERE = "StreamingToolExecutor";

type Members = Readonly<Record<string, unknown>>;

/** Throws a `TypeError` that names the option and says what to write instead. */
export function checkOptions(given: object): void {
  if (typeof given !== "object" || given === null) throw wrong("options", "an object with tools", given);
  rejectUnknown(given, OPTIONS, WHERE);
  const options = given as Members;
  const { tools, hooks, context } = options;
  if (!Array.isArray(tools)) {
    const hint = typeof tools === "object" && tools !== null ? " Write Object.values(tools)." : "";
    throw wrong("tools", "an array of tools", tools, hint);
  }
  for (const name of FUNCTIONS) checkFunction(options[name], name);
  for (const [name, members] of Object.entries(MEMBERS)) checkMembers(options[name], name, members);
  if (hooks !== undefined) checkHooks(hooks as Members);
  if (context !== undefined && typeof context !== "object")
    throw wrong("context", "an object with cwd", context);
}

function checkHooks(hooks: Members): void {
  rejectUnknown(hooks, HOOKS, `${WHERE}: hooks`);
  for (const name of HOOKS) checkFunction(hooks[name], `hooks.${name}`);
}

function checkFunction(value: unknown, name: string): void {
  if (value !== undefined && typeof value !== "function") throw wrong(name, "a function", value);
}

function checkMembers(value: unknown, name: string, members: readonly string[]): void {
  if (value === undefined) return;
  const isWhole =
    typeof value === "object" &&
    value !== null &&
    members.every((member) => typeof (value as Members)[member] === "function");
  const what =
    name === "signal" ? "an AbortSignal" : ["an object", ...members.map((one) => `${one}()`)].join(" with ");
  if (!isWhole) throw wrong(name, what.replaceAll(") with ", "), "), value);
}

function wrong(
  name: string,
  expected: string,
  ...[value, hint = ""]: [value: unknown, hint?: string]
): TypeError {
  return new TypeError(`${WHERE}: ${name} must be ${expected}, not ${shown(value)}.${hint}`);
}
