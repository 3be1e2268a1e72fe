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
  if (isFlat(value)) return false;
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

/** Most inputs are flat, so that nothing has to be remembered for them. */
function isFlat(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  for (const name in value) if (typeof (value as Record<string, unknown>)[name] === "object") return false;
  return true;
}

/**
 * Replaces every unpaired surrogate in a value by U+FFFD, also in the names of members. APIs refuse text with unpaired
 * surrogates. Returns a copy, or the value itself if it has none. It must not be too deep: see {@link isTooDeep}.
 *
 * @example
 * ```ts
 * import { wellFormed } from "@runahead/engine/wire";
 *
 * console.log(wellFormed({ text: "half \uD83D" })); // { text: "half \uFFFD" }
 * ```
 */
export function wellFormed<Value>(value: Value): Value {
  return isClean(value) ? value : (clean(value) as Value);
}

function isClean(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isClean);
  for (const name in value)
    if (!name.isWellFormed() || !isClean((value as Record<string, unknown>)[name])) return false;
  return true;
}

function clean(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(clean);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name.toWellFormed(), clean(member)]),
  );
}
