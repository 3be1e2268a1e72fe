/** Names that were probably meant: for options and tools that are misspelt. */

/** Throws a `TypeError` that names the first member that is not known, and the known one that is nearest to it. */
export function rejectUnknown(given: object, known: readonly string[], where: string): void {
  const names = Object.keys(given).filter((name) => (given as Record<string, unknown>)[name] !== undefined);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const nearest = nearestName(unknown, known);
  const hint = nearest === undefined ? ` Known options: ${known.join(", ")}.` : ` Did you mean "${nearest}"?`;
  throw new TypeError(`${where}: unknown option "${unknown}".${hint}`);
}

/** The known name that is at most two letters away, and not a wholly different short word. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const near = known
    .map((candidate) => ({ candidate, letters: distance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, letters }) => letters <= 2 && letters * 2 < candidate.length)
    .toSorted((one, other) => one.letters - other.letters);
  return near[0]?.candidate;
}

/** How many letters must be changed, added or removed to make one name the other. */
export function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const replaced = (row[j - 1] as number) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[other.length] as number;
}
