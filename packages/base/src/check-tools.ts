/** Checks the tools that a caller passes. The errors say what to write instead. */

import { rejectMisspelt, wrong } from "./options.ts";

/** The engine has the same lists; a test compares them, because this package imports nothing. */
const FUNCTIONS = [
  "isReadOnly",
  "isConcurrencySafe",
  "access",
  "interruptBehavior",
  "timeoutMs",
  "onError",
  "describe",
  "check",
  "reconcile",
  "stamp",
  "toResult",
];
const MEMBERS = [
  "name",
  "description",
  "inputSchema",
  "jsonSchema",
  "aliases",
  "maxResultChars",
  "checkWaits",
  "delegates",
  "retry",
  "cache",
  "call",
  ...FUNCTIONS,
];

/** What other libraries call the members that a tool must have. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  call: ["execute", "run", "handler", "invoke", "func"],
  inputSchema: ["parameters", "input_schema", "schema"],
};

/** Throws a TypeError if one of them is not a valid tool, or two have the same name. */
export function checkTools(tools: unknown, where: string): void {
  if (!Array.isArray(tools)) throw wrong(`${where}: "tools"`, "an array of tools", tools);
  const names = new Set<string>();
  for (const [at, tool] of tools.entries()) {
    checkTool(tool, `${where}: tools[${at}]`);
    const { name } = tool as { name: string };
    if (names.has(name)) throw new TypeError(`${where}: two tools are called "${name}".`);
    names.add(name);
  }
}

/** Tools are checked before each turn, so those that passed are remembered. */
const checked = new WeakSet<object>();

function checkTool(tool: unknown, where: string): void {
  if (typeof tool !== "object" || tool === null) throw wrong(where, "a tool", tool);
  if (checked.has(tool)) return;
  const members = tool as Readonly<Record<string, unknown>>;
  const { name, call, inputSchema } = members;
  if (typeof name !== "string" || name === "")
    throw wrong(`${where}: "name"`, "a string that is not empty", name);
  const named = `${where} ("${name}")`;
  rejectMisspelt(tool, MEMBERS, named);
  if (typeof call !== "function") throw missing(members, "call", `${named} has no function "call"`);
  if ((typeof inputSchema !== "object" && typeof inputSchema !== "function") || inputSchema === null)
    throw missing(members, "inputSchema", `${named} has no "inputSchema"`);
  for (const member of FUNCTIONS)
    if (members[member] !== undefined && typeof members[member] !== "function")
      throw new TypeError(
        `${named}: "${member}" must be a function, such as () => ${example(members[member])}.`,
      );
  checked.add(tool);
}

function missing(members: Readonly<Record<string, unknown>>, wanted: string, problem: string): TypeError {
  const given = OTHER_NAMES[wanted]?.find((name) => members[name] !== undefined);
  return new TypeError(given === undefined ? `${problem}.` : `${problem}. Rename "${given}" to "${wanted}".`);
}

function example(value: unknown): string {
  const text = JSON.stringify(value) ?? "…";
  return text.length > 40 ? "…" : text;
}
