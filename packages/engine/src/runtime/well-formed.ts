/** Values whose every string is well-formed Unicode: half a character makes a request unacceptable. */

import { isShape } from "../wire/shape.ts";

/** Every string in it, names of members too. Not recursive: inputs may be nested deeply. */
export function isWellFormed(value: unknown): boolean {
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next === "string" && !next.isWellFormed()) return false;
    if (!isShape(next)) continue;
    for (const name of Object.keys(next)) {
      if (!name.isWellFormed()) return false;
      rest.push(next[name]);
    }
  }
  return true;
}

/** The same value where nothing is wrong with it, else a copy. */
export function toWellFormed(value: unknown): unknown {
  if (isWellFormed(value)) return value;
  const top: { copy?: unknown } = {};
  const jobs = [{ value, target: top as object, name: "copy" }];
  // The list grows while it is gone through: first come, first copied, so members keep their order.
  for (const job of jobs) {
    const copy = shallowCopy(job.value);
    Object.defineProperty(job.target, job.name, {
      value: copy,
      enumerable: true,
      writable: true,
      configurable: true,
    });
    if (!isShape(job.value) || !isShape(copy)) continue;
    for (const [name, member] of Object.entries(job.value)) {
      jobs.push({ value: member, target: copy, name: name.toWellFormed() });
    }
  }
  return top.copy;
}

/** Objects and lists without their members. */
function shallowCopy(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return [];
  return isShape(value) ? {} : value;
}
