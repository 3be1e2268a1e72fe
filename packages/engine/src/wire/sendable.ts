/** What a request can contain: well-formed strings, in values that are not nested too deeply to be serialised. */

/** Far below the depth at which serialising JSON fails, far above what tools need. */
const MAX_DEPTH = 500;

/**
 * Says whether a value is nested too deeply (more than 500 levels) to be written as JSON safely.
 *
 * It looks at one level after the other, because a value can be nested more deeply than functions can.
 *
 * @example
 * ```ts
 * import { isTooDeep } from "@runahead/engine/wire";
 *
 * console.log(isTooDeep({ a: [1, 2] })); // false
 * ```
 */
export function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    const next: unknown[] = [];
    for (const each of level)
      if (typeof each === "object" && each !== null)
        for (const member of Object.values(each)) next.push(member);
    level = next;
  }
  return false;
}

/**
 * Copies a value with every unpaired surrogate replaced by U+FFFD, also in the names of members. APIs refuse text
 * with unpaired surrogates. The value must not be too deep: see {@link isTooDeep}.
 *
 * @example
 * ```ts
 * import { wellFormed } from "@runahead/engine/wire";
 *
 * console.log(wellFormed({ text: "half \uD83D" })); // { text: "half \uFFFD" }
 * ```
 */
export function wellFormed<Value>(value: Value): Value {
  return clean(value) as Value;
}

function clean(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(clean);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name.toWellFormed(), clean(member)]),
  );
}
