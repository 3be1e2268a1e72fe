/** What may stand in a request: strings of whole characters, in values that are not too deep to be written. */

/** Far below the depth at which writing JSON fails, far above what a tool asks for. */
const MAX_DEPTH = 500;

/** Looks at one level after the other, since a value may be nested more deeply than functions can. */
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

/** The same with every half of a character replaced, names of members too. Not for what is too deep. */
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
