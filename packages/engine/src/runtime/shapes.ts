/** Reports invalid options and tools when an executor is created, also in JavaScript. */

import { nearNames } from "./names.ts";
import type { AnyTool } from "./tool.ts";
import { TOOL_FUNCTIONS, TOOL_VALUES } from "./tool-members.ts";
import { isObject, isRecord } from "../wire/shape.ts";

/**
 * Throws a `TypeError` that names the first member that is not known, and the known name that is nearest to it, or
 * all known names. A member that is undefined counts as not given. A name is near if at most two letters differ.
 *
 * @param where - The function whose options these are, for the message.
 */
export function rejectUnknown(given: object, known: readonly string[], where: string): void {
  if (!isRecord(given)) throw wrongType(`${where}: the options`, "an object", given);
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || known.includes(name)) continue;
    const meant = meantBy(name, known, given);
    const hint = meant === undefined ? `Known options: ${known.join(", ")}.` : `Did you mean "${meant}"?`;
    throw new TypeError(`${where}: unknown option "${name}". ${hint}`);
  }
}

/** The known name that is almost this one, and is not given itself. */
function meantBy(name: string, known: readonly string[], given: object): string | undefined {
  return nearNames(name, known).find((near) => !(near in given));
}

/** Throws a `TypeError` if one of these members is there and is not a function. */
export function checkFunctions(given: object, names: readonly string[], where: string): void {
  for (const name of names) {
    const value = (given as Record<string, unknown>)[name];
    if (typeof value === "function" || (value === undefined && name !== "call")) continue;
    throw new TypeError(
      `${where}: ${name} must be a function, not ${shown(value)}. Write ${name}: () => ...`,
    );
  }
}

/** Every other name is compared with those of the functions, which takes time: a sub-agent can have tools of its own. */
const TOOL_MEMBERS: ReadonlySet<string> = new Set([...TOOL_FUNCTIONS, ...TOOL_VALUES, "afterHooks"]);

/** An executor is created for every response, so each tool is checked only once. */
const checked = new WeakSet<AnyTool>();

/** Throws a `TypeError` that names the tool and the member that is wrong. */
export function checkTool(tool: AnyTool): void {
  checkName(tool);
  if (checked.has(tool)) return;
  const where = `Tool "${tool.name}"`;
  // Programs can add their own members to a tool, so only a name that is almost a known one is refused.
  for (const name of Object.keys(tool))
    if (!TOOL_MEMBERS.has(name) && meantBy(name, TOOL_FUNCTIONS, tool))
      rejectUnknown({ [name]: 1 }, TOOL_FUNCTIONS, where);
  rejectOtherNames(tool, where);
  checkFunctions(tool, TOOL_FUNCTIONS, where);
  for (const name of ["delegates", "cache", "checkWaits"] as const)
    if (tool[name] !== undefined && typeof tool[name] !== "boolean")
      throw wrongType(`${where}: ${name}`, "true or false", tool[name]);
  checkValues(tool, where);
  checked.add(tool);
}

/** What other libraries call the members that a tool must have. */
const OTHER_NAMES = {
  call: ["execute", "run", "handler", "invoke", "func"],
  inputSchema: ["parameters", "input_schema", "schema"],
} as const;

function rejectOtherNames(tool: object, where: string): void {
  const given = tool as Readonly<Record<string, unknown>>;
  for (const [name, others] of Object.entries(OTHER_NAMES)) {
    const other = given[name] === undefined ? others.find((one) => given[one] !== undefined) : undefined;
    if (other !== undefined) throw new TypeError(`${where} has no ${name}. Rename "${other}" to "${name}".`);
  }
}

function checkValues({ description, aliases, maxResultChars }: AnyTool, where: string): void {
  if (description !== undefined && typeof description !== "string")
    throw wrongType(`${where}: description`, "a string", description);
  if (aliases !== undefined && !(Array.isArray(aliases) && aliases.every((one) => typeof one === "string")))
    throw wrongType(`${where}: aliases`, "an array of strings", aliases);
  // NaN would make every comparison with the limit false.
  if (maxResultChars !== undefined && !(typeof maxResultChars === "number" && maxResultChars >= 0))
    throw wrongType(`${where}: maxResultChars`, "a number of 0 or more", maxResultChars);
}

export function checkName(tool: AnyTool): void {
  if (typeof tool?.name !== "string" || tool.name === "")
    throw new TypeError(`A tool needs a name: ${shown(tool)} has none.`);
}

/** Throws a `TypeError` if an argument is not an array. `what` names it, and `of` its elements. */
export function checkArray(value: unknown, what: string, of: string): void {
  if (!Array.isArray(value)) throw wrongType(what, `an array of ${of}`, value);
}

/** The error for a value of a wrong type. `what` names where it was given. */
export function wrongType(what: string, wanted: string, given: unknown): TypeError {
  return new TypeError(wrong(what, wanted, given));
}

/** The error for a number that is not in its range. */
export function wrongRange(what: string, wanted: string, given: unknown): RangeError {
  return new RangeError(wrong(what, wanted, given));
}

function wrong(what: string, wanted: string, given: unknown): string {
  return `${what} must be ${wanted}, not ${shown(given)}.`;
}

/** Whether it can be a limit: a whole number of at least 1, or `Infinity`. */
export function isCount(value: unknown): boolean {
  return (Number.isInteger(value) || value === Infinity) && (value as number) >= 1;
}

export const COUNT = "a whole number of at least 1";

/** Shows a value in a message. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return "this array";
  return isObject(value) || typeof value === "function" ? `this ${typeof value}` : String(value);
}
