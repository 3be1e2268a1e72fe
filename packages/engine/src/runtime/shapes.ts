/** Wrong options and tools are answered when an executor is made, in JavaScript too. */

import { nearestName } from "./names.ts";
import type { AnyTool } from "./tool.ts";

/**
 * Throws a `TypeError` that names the first member that is not known, and the known name that is nearest to it. A
 * member that is undefined counts as not given. A name is near if at most two letters differ.
 *
 * @param where - The function whose options these are, for the message.
 *
 * @example
 * ```ts
 * import { rejectUnknown } from "@runahead/engine/wire";
 *
 * export function connect(options: { url: string; retries?: number }) {
 *   rejectUnknown(options, ["url", "retries"], "connect");
 *   // connect({ url, retrys: 3 }) throws: connect: unknown option "retrys". Did you mean "retries"?
 * }
 * ```
 */
export function rejectUnknown(given: object, known: readonly string[], where: string): void {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || known.includes(name)) continue;
    const meant = nearestName(name, known);
    throw unknown(
      name,
      where,
      meant === undefined ? `Known: ${known.join(", ")}.` : `Did you mean "${meant}"?`,
    );
  }
}

function unknown(name: string, where: string, hint: string): TypeError {
  return new TypeError(`${where}: unknown option "${name}". ${hint}`);
}

/** Throws a `TypeError` if one of these members is there and is not a function. */
export function checkFunctions(given: object, names: readonly string[], where: string): void {
  for (const name of names) {
    const value = (given as Record<string, unknown>)[name];
    if (typeof value === "function" || (value === undefined && name !== "call")) continue;
    throw new TypeError(`${where}: ${name} must be a function, not ${shown(value)}. Write ${name}: () => …`);
  }
}

const TOOL_FUNCTIONS = [
  "call",
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
const TOOL_MEMBERS = [
  ...TOOL_FUNCTIONS,
  "inputSchema",
  "inputJsonSchema",
  "description",
  "aliases",
  "maxResultChars",
];

/** Executors are made for every response, so a tool is looked at once. */
const checked = new WeakSet<AnyTool>();

/** Programs can give a tool members of their own, so only a name that is almost a known one is refused. */
export function checkTool(tool: AnyTool): void {
  if (typeof tool?.name !== "string" || tool.name === "")
    throw new TypeError(`A tool needs a name: ${shown(tool)} has none.`);
  if (checked.has(tool)) return;
  const where = `Tool "${tool.name}"`;
  for (const name of Object.keys(tool)) {
    const meant = TOOL_MEMBERS.includes(name) ? undefined : nearestName(name, TOOL_MEMBERS);
    if (meant !== undefined && !(meant in tool)) throw unknown(name, where, `Did you mean "${meant}"?`);
  }
  checkFunctions(tool, TOOL_FUNCTIONS, where);
  checked.add(tool);
}

/** A value in a message: as it is written in code if it is short. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  const type = typeof value;
  return (type === "object" && value !== null) || type === "function"
    ? `this ${type}`
    : `${JSON.stringify(value)}`;
}
