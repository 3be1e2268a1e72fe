/** Answers wrong use in JavaScript, where no compiler does: names that do not exist, with the one that was meant. */

/** Throws a TypeError for the first member of `given` that is not in `known`; `where` is the function or option. */
export function rejectUnknown(given: object, known: readonly string[], where: string): void {
  for (const name of Object.keys(given))
    if (!known.includes(name)) throw new TypeError(unknownName(name, known, `option of ${where}`));
}

/** `Unknown mode "acceptEdit". Did you mean "acceptEdits"? Known: …` */
export function unknownName(name: string, known: readonly string[], what: string): string {
  const near = nearestName(name, known);
  const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
  return `Unknown ${what}: "${name}".${hint} Known: ${known.join(", ")}.`;
}

/** The name that differs least from what was given; undefined if none is close. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const given = name.toLowerCase();
  const limit = Math.max(1, Math.floor(given.length / 3));
  const byDistance = known
    .map((one) => ({ one, distance: distanceOf(given, one.toLowerCase()) }))
    .toSorted((one, other) => one.distance - other.distance);
  const [best] = byDistance;
  return best !== undefined && best.distance <= limit ? best.one : undefined;
}

/** How many letters have to be inserted, removed or replaced. */
function distanceOf(one: string, other: string): number {
  let before = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 1; at <= one.length; at++) {
    const row = [at];
    for (let to = 1; to <= other.length; to++) {
      const replaced = (before[to - 1] as number) + (one[at - 1] === other[to - 1] ? 0 : 1);
      row.push(Math.min(replaced, (before[to] as number) + 1, (row[to - 1] as number) + 1));
    }
    before = row;
  }
  return before[other.length] as number;
}
