/** Outputs that are kept: how large they are, and copies of them, because a reader can change the output that it gets. */

import { isObject, isPlainObject } from "../wire/shape.ts";

/** Larger outputs are not kept. */
export const MOST_ENTRY_CHARS = 5_000_000;
const MOST_DEPTH = 50;

/** About how many characters an output has. What is too deep counts as too large. */
export function sizeOf(value: unknown, depth = 0): number {
  if (typeof value === "string") return value.length;
  if (!isObject(value)) return 8;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (depth > MOST_DEPTH) return MOST_ENTRY_CHARS + 1;
  let size = 16;
  for (const member of Object.values(value)) {
    size += sizeOf(member, depth + 1);
    if (size > MOST_ENTRY_CHARS) break;
  }
  return size;
}

/** A copy of plain data. Everything else in it, such as an object of a class, is the same object. */
export function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return (value as unknown[]).map(copyOf);
  if (!isPlainObject(value)) return value;
  const copy = { ...value };
  for (const [name, member] of Object.entries(copy)) if (isObject(member)) copy[name] = copyOf(member);
  return copy;
}

/** Whether a copy of it can stand for another result. */
export function isCopied(value: unknown): value is object {
  return Array.isArray(value) || isPlainObject(value);
}
