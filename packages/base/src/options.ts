/** Checks the options that a caller gives, for callers without types. */

/**
 * Throws a `TypeError` if an option has a name that is not known, and names the nearest one that is.
 *
 * @param where The function that was called, for the message.
 */
export function rejectUnknown(given: object, known: readonly string[], where: string): void {
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const nearest = nearestTo(name, known);
    const hint = nearest === undefined ? `Known options: ${known.join(", ")}.` : `Did you mean "${nearest}"?`;
    throw new TypeError(`${where}: unknown option "${name}". ${hint}`);
  }
}

/** The one that takes the fewest changed characters, if those are few. */
function nearestTo(name: string, known: readonly string[]): string | undefined {
  const rated = known.map((one) => ({ one, distance: distance(name.toLowerCase(), one.toLowerCase()) }));
  const [best] = rated.toSorted((a, b) => a.distance - b.distance);
  return best !== undefined && best.distance <= Math.max(1, Math.floor(name.length / 3))
    ? best.one
    : undefined;
}

/** How many characters have to be inserted, removed or changed. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [at, character] of [...from].entries()) {
    const next = [at + 1];
    for (let column = 0; column < to.length; column++)
      next.push(
        Math.min(
          (row[column] as number) + Number(character !== to[column]),
          (row[column + 1] as number) + 1,
          (next[column] as number) + 1,
        ),
      );
    row = next;
  }
  return row.at(-1) as number;
}
