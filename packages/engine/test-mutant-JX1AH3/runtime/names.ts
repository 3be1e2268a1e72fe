/** Names that were probably meant: for options and tools that are misspelt. */

/**
 * Returns the near names, nearest first: at most two letters away, and no completely different short words. Models add
 * or drop whole words, so for them (`isLoose`) a name that contains the other is nearest.
 */
export function nearNames(name: string, known: readonly string[], isLoose = false): string[] {
  const one = name.toLowerCase();
  return known
    .map((candidate) => {
      const other = candidate.toLowerCase();
      const isPart = isLoose && one !== "" && (other.includes(one) || one.includes(other));
      const limit = Math.min(2, other.length / 2);
      if (!isPart && Math.abs(one.length - other.length) > limit)
        return { candidate, letters: Infinity, isNear: false };
      const letters = isPart ? 0 : distance(one, other);
      return { candidate, letters, isNear: letters <= limit };
    })
    .filter(({ isNear }) => isNear)
    .sort((first, second) => first.letters - second.letters)
    .map(({ candidate }) => candidate);
}

/** How many letters must be changed, added or removed to make one name the other. */
function distance(one: string, other: string): number {
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
