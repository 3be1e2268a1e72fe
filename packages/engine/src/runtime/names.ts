/** Names that were probably meant: for options and tools that are misspelt. */

/** The nearest name that is at most two letters away, and not a wholly different short word. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const letters = (candidate: string): number => distance(name.toLowerCase(), candidate.toLowerCase());
  return known
    .filter((candidate) => letters(candidate) <= Math.min(2, (candidate.length - 1) / 2))
    .sort((one, other) => letters(one) - letters(other))[0];
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
