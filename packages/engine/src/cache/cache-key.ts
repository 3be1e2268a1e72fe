/** What a result depends on besides the places that its call reads: the input and the shared context. */

import type { SharedContext } from "../runtime/tool.ts";
import { isObject } from "../wire/shape.ts";

/** Returns a text that is the same for equal inputs, or undefined if the input is not plain data. */
export function inputKey(input: unknown): string | undefined {
  try {
    return written(input, 0);
  } catch {
    return undefined;
  }
}

const MOST_DEPTH = 100;

function written(value: unknown, depth: number): string {
  if (depth > MOST_DEPTH) throw new TypeError("too deep");
  if (Array.isArray(value)) return `[${value.map((item) => written(item, depth + 1)).join(",")}]`;
  if (isObject(value)) return writtenObject(value, depth);
  if (typeof value === "bigint" || typeof value === "function" || typeof value === "symbol")
    throw new TypeError("not plain data");
  // JSON has no text for undefined, NaN and the infinities, and none for the sign of zero.
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  return JSON.stringify(value) ?? "undefined";
}

function writtenObject(value: object, depth: number): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw new TypeError("not plain data");
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${written(member, depth + 1)}`);
  return `{${members.join(",")}}`;
}

/** The members of a context that a program has added, which a result can depend on. */
export type OtherContext = readonly (readonly [name: string, value: unknown])[];

export function otherContext(context: SharedContext): OtherContext {
  return Object.entries(context).filter(([name]) => name !== "cwd" && name !== "agent");
}

export function isSameContext(one: OtherContext, other: OtherContext): boolean {
  return (
    one.length === other.length &&
    one.every(([name, value], at) => name === other[at]?.[0] && Object.is(value, other[at][1]))
  );
}
