/** The members of a tool: which are checked, and which a tool with another `call` keeps. */

import type { AnyTool } from "./tool.ts";

/** The functions that a program writes. */
export const TOOL_FUNCTIONS = [
  "call",
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
] as const satisfies readonly (keyof AnyTool)[];

export const TOOL_VALUES = [
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
] as const satisfies readonly (keyof AnyTool)[];

const METHODS = [...TOOL_FUNCTIONS, "afterHooks"] as const;

/** Returns a copy with other members. A tool can be an instance of a class with private members, so methods keep their `this`. */
export function toolWith(tool: AnyTool, own: Partial<AnyTool>): AnyTool {
  const made: Record<string, unknown> = { ...tool };
  for (const name of TOOL_VALUES) if (tool[name] !== undefined) made[name] = tool[name];
  for (const name of METHODS) if (tool[name] !== undefined) made[name] = tool[name].bind(tool as never);
  return Object.assign(made, own) as unknown as AnyTool;
}
