/** Wrong tools are answered when they are defined or given to an executor, in JavaScript too. */

import { nearestName } from "./names.ts";

const FUNCTIONS = [
  "isReadOnly",
  "isConcurrencySafe",
  "access",
  "interruptBehavior",
  "timeoutMs",
  "onError",
  "describe",
  "check",
  "toResult",
];
const MEMBERS = [
  ...FUNCTIONS,
  "name",
  "description",
  "inputSchema",
  "inputJsonSchema",
  "aliases",
  "maxResultChars",
  "call",
];

/** Executors are made for every response, so a tool is looked at once. */
const checked = new WeakSet<object>();

/** Throws a `TypeError` that names the tool, the member, and what to write instead. */
export function checkTool(given: unknown): void {
  if (typeof given !== "object" || given === null)
    throw new TypeError(`A tool is missing: ${shown(given)} was given.`);
  if (checked.has(given)) return;
  const tool = given as Readonly<Record<string, unknown>>;
  const { name, call, execute, aliases } = tool;
  if (typeof name !== "string" || name === "")
    throw new TypeError(`A tool needs a name, which must be a string, not ${shown(name)}.`);
  const where = `Tool "${name}"`;
  for (const member of Object.keys(tool)) {
    const meant = MEMBERS.includes(member) ? undefined : nearestName(member, MEMBERS);
    if (meant !== undefined && tool[meant] === undefined)
      throw new TypeError(`${where}: unknown member "${member}". Did you mean "${meant}"?`);
  }
  if (typeof call !== "function")
    throw new TypeError(
      `${where} has no call function.${execute === undefined ? "" : ' Rename "execute" to "call".'}`,
    );
  for (const member of FUNCTIONS) {
    const value = tool[member];
    if (value !== undefined && typeof value !== "function")
      throw new TypeError(
        `${where}: ${member} must be a function, not ${shown(value)}. Write ${member}: () => ${shown(value)}.`,
      );
  }
  if (aliases !== undefined && !Array.isArray(aliases))
    throw new TypeError(`${where}: aliases must be an array of names, not ${shown(aliases)}.`);
  checked.add(given);
}

/** A value as it is written in code, and short. */
export function shown(value: unknown): string {
  if (typeof value === "function") return "a function";
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "[…]" : "{…}";
  return (JSON.stringify(value) ?? String(value)).slice(0, 50);
}
