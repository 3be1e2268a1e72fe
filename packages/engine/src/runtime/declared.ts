/** What tools declare of a call, read with care: an answer that cannot be used counts as none, and is reported once. */

import type { Claim } from "../core/access.ts";
import { shown } from "./check-tool.ts";
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

function isExpected(declaration: Declaration, value: unknown): boolean {
  switch (declaration) {
    case "access":
      return Array.isArray(value) && value.every(isClaim);
    case "interruptBehavior":
      return value === "cancel" || value === "block";
    case "onError":
      return value === "isolate" || value === "cancel-later";
    case "isReadOnly":
    case "isConcurrencySafe":
      return typeof value === "boolean";
  }
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

const EXPECTED: Readonly<Record<Declaration, string>> = {
  isReadOnly: "true or false",
  isConcurrencySafe: "true or false",
  access: 'an array of { mode: "read" | "write", place: "scheme:/path" }',
  interruptBehavior: '"cancel" or "block"',
  onError: '"isolate" or "cancel-later"',
};

/** What was reported of each tool. */
const reported = new WeakMap<AnyTool, Set<Declaration>>();

/** Such a tool still works, only slower than it could, so nothing else would show the mistake. */
function report(tool: AnyTool, declaration: Declaration, value: unknown): void {
  const known = reported.get(tool) ?? new Set();
  if (known.has(declaration)) return;
  reported.set(tool, known.add(declaration));
  const given = isThenable(value) ? "a promise" : (wrongPlace(value) ?? shown(value));
  warn(
    `Tool "${tool.name}": ${declaration}() returned ${given}; it must return ${EXPECTED[declaration]}. ` +
      "Until it does, the safe default is used, which can be slower.",
  );
}

/** The first place without a scheme, and how it is written for a file. */
function wrongPlace(value: unknown): string | undefined {
  const places = Array.isArray(value) ? value.map((claim) => (claim as Partial<Claim> | null)?.place) : [];
  const wrong = places.find((place) => typeof place === "string" && place !== "*" && !hasScheme(place));
  if (wrong === undefined) return undefined;
  const path = wrong.replaceAll("\\", "/").replace(/^\/*/, "/");
  return `the place ${JSON.stringify(wrong)}, which has no scheme (for a file, write ${JSON.stringify(`fs:${path}`)})`;
}
