/** Makes every string in a value well-formed Unicode: APIs reject unpaired surrogates. */

import { type Shape, isObject } from "../wire/shape.ts";

/** Includes property names. Not recursive, because inputs can be nested deeply. */
export function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (!isObject(value)) return true;
  // Most inputs are flat.
  let rest: Shape[] | undefined;
  for (let next: Shape | undefined = value; next !== undefined; next = rest?.pop()) {
    for (const name in next) {
      if (!name.isWellFormed()) return false;
      const member = next[name];
      if (typeof member === "string" && !member.isWellFormed()) return false;
      if (isObject(member)) (rest ??= []).push(member);
    }
  }
  return true;
}

/** Returns the same value if it is well-formed, otherwise a copy. */
export function toWellFormed(value: unknown): unknown {
  if (isWellFormed(value)) return value;
  const top: Record<string, unknown> = { value };
  const copies = [top];
  // The list grows during the loop: one level after the other.
  for (const copy of copies)
    for (const name of Object.keys(copy)) {
      const member = shallowCopy(copy[name]);
      copy[name] = member;
      if (isObject(member)) copies.push(member);
    }
  return top["value"];
}

/** Has the members of the original, which are copied later. */
function shallowCopy(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return [...value];
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name.toWellFormed(), member]));
}
