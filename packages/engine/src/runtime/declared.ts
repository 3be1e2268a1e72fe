/** What tools declare of a call, read with care: an answer that cannot be used counts as none, and is reported once. */

import type { Claim } from "../core/access.ts";
import { shown } from "./shapes.ts";
import { warn } from "./platform.ts";
import { isThenable } from "./thenable.ts";
import type { AnyTool, SharedContext } from "./tool.ts";

export interface Asked {
  readonly tool: AnyTool;
  readonly input: Record<string, unknown>;
  readonly context: SharedContext;
}

type Declaration = "isReadOnly" | "isConcurrencySafe" | "access" | "interruptBehavior" | "onError";

/** Undefined if the tool does not declare it, if the declaration throws, or if its answer cannot be used. */
export function declared({ tool, input, context }: Asked, declaration: Declaration): unknown {
  if (tool[declaration] === undefined) return undefined;
  try {
    const value: unknown =
      declaration === "access" ? tool.access?.(input, context) : tool[declaration]?.(input);
    if (isExpected(declaration, value)) return value;
    report(tool, declaration, value);
    if (isThenable(value)) Promise.resolve(value).catch(() => {});
    return undefined;
  } catch {
    return undefined;
  }
}

/** The answers that can be used. */
const ANSWERS: Readonly<Record<Exclude<Declaration, "access">, readonly unknown[]>> = {
  isReadOnly: [true, false],
  isConcurrencySafe: [true, false],
  interruptBehavior: ["cancel", "block"],
  onError: ["isolate", "cancel-later"],
};

function isExpected(declaration: Declaration, value: unknown): boolean {
  if (declaration !== "access") return ANSWERS[declaration].includes(value);
  return Array.isArray(value) && value.every(isClaim);
}

const LETTER_A = 97;
const LETTER_Z = 122;

/** A quick look at the form; the tree of places takes what it cannot read for everything. */
function isClaim(claim: unknown): boolean {
  const { mode, place } = (claim ?? {}) as Partial<Claim>;
  return (
    (mode === "read" || mode === "write") && typeof place === "string" && (place === "*" || hasScheme(place))
  );
}

function hasScheme(place: string): boolean {
  const first = place.charCodeAt(0);
  return first >= LETTER_A && first <= LETTER_Z && place.indexOf(":/") > 0;
}

/** What was reported of each tool. */
const reported = new WeakMap<AnyTool, Set<Declaration>>();

/** Such a tool still works, only slower than it could, so nothing else would show the mistake. */
function report(tool: AnyTool, declaration: Declaration, value: unknown): void {
  const known = reported.get(tool) ?? new Set();
  if (known.has(declaration)) return;
  reported.set(tool, known.add(declaration));
  const expected =
    declaration === "access"
      ? 'places with a scheme: [{ mode: "read", place: "fs:/repo/a.ts" }]'
      : ANSWERS[declaration].map(shown).join(" or ");
  const given = isThenable(value) ? "a promise" : JSON.stringify(value);
  warn(`Tool "${tool.name}": ${declaration}() returned ${given}, which is ignored. Return ${expected}.`);
}
