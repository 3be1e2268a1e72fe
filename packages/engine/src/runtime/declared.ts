/** Reads what tools declare about a call. An invalid declaration counts as none, and is reported once. */

import type { Claim } from "../core/access.ts";
import { warn } from "./platform.ts";
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
    const isUsable =
      declaration === "access" ? Array.isArray(value) && value.every(isClaim) : !isThenable(value);
    if (isUsable) return value;
    report(tool, declaration, value);
    if (isThenable(value)) Promise.resolve(value).catch(() => {});
    return undefined;
  } catch {
    return undefined;
  }
}

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
  const given = isThenable(value) ? "a promise" : JSON.stringify(value);
  const hint =
    declaration === "access" ? ' Return places with a scheme: [{ mode: "read", place: "fs:/a.ts" }].' : "";
  warn(`Tool "${tool.name}": ${declaration}() returned ${given}, which is ignored.${hint}`);
}
