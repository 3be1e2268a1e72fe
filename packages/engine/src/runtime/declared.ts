/** Reads what tools declare about a call. An invalid declaration counts as none, and is reported once. */

import type { Claim } from "../core/access.ts";
import { warn } from "./platform.ts";
import { toText } from "./serialise.ts";
import { isThenable } from "./thenable.ts";
import type { AnyTool, SharedContext } from "./tool.ts";

export interface Asked {
  readonly tool: AnyTool;
  readonly input: Record<string, unknown>;
  readonly context: SharedContext;
}

type Declaration = "isReadOnly" | "isConcurrencySafe" | "access" | "interruptBehavior" | "onError";

/** Returns undefined if the tool does not declare it, if the declaration throws, or if its result is invalid. */
export function declared({ tool, input, context }: Asked, declaration: Declaration): unknown {
  if (tool[declaration] === undefined) return undefined;
  try {
    const value: unknown =
      declaration === "access" ? tool.access?.(input, context) : tool[declaration]?.(input);
    if (isUsable(declaration, value)) return value;
    report(tool, declaration, value);
    if (isThenable(value)) Promise.resolve(value).catch(() => {});
    return undefined;
  } catch {
    return undefined;
  }
}

/** What is falsy counts as not declared. Anything else that is not understood would be ignored in silence. */
function isUsable(declaration: Declaration, value: unknown): boolean {
  switch (declaration) {
    case "access":
      return Array.isArray(value) && value.every(isClaim);
    case "isReadOnly":
    case "isConcurrencySafe":
      return value === true || !value;
    case "interruptBehavior":
      return value === "cancel" || value === "block" || !value;
    case "onError":
      return value === "cancel-later" || value === "isolate" || !value;
  }
}

const HINTS: Readonly<Record<Declaration, string>> = {
  access: 'places with a scheme: [{ mode: "read", place: "fs:/a.ts" }]',
  isReadOnly: "true or false",
  isConcurrencySafe: "true or false",
  interruptBehavior: '"cancel" or "block"',
  onError: '"isolate" or "cancel-later"',
};

/** A quick check of the format. The tree of places treats an invalid place as everything. */
function isClaim(claim: unknown): boolean {
  const { mode, place } = (claim ?? {}) as Partial<Claim>;
  return (
    (mode === "read" || mode === "write") && typeof place === "string" && (place === "*" || hasScheme(place))
  );
}

/** Whether it begins like `fs:/`: a lower-case letter, then anything but `/` and `:` up to a `:/`. */
function hasScheme(place: string): boolean {
  const first = place.charCodeAt(0);
  const colon = place.indexOf(":");
  return first >= 0x61 && first <= 0x7a && colon > 0 && place.indexOf("/") === colon + 1;
}

/** Tools that were already reported. */
const reported = new WeakSet<AnyTool>();

/** Such a tool still works, only more slowly, so nothing else would show the mistake. */
function report(tool: AnyTool, declaration: Declaration, value: unknown): void {
  if (reported.has(tool)) return;
  reported.add(tool);
  const isText = typeof value === "string" || value === undefined;
  const given = isThenable(value) ? "a promise" : isText ? JSON.stringify(value) : toText(value);
  const hint = HINTS[declaration];
  warn(`Tool "${tool.name}": ${declaration}() returned ${given}, which is ignored. Return ${hint}.`);
}
