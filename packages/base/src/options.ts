/** Answers wrong use in JavaScript, where no compiler does: names that do not exist, with the one that was meant. */

/** Throws a TypeError for the first member of `given` that is not in `known`; `where` is the function or object. */
export function rejectUnknown(given: object, known: readonly string[], where: string): void {
  for (const name of Object.keys(given))
    if (!known.includes(name))
      throw new TypeError(unknownName({ what: "option", name, where, known, list: "Options" }));
}

interface Unknown {
  /** What the name stands for: `option`. */
  readonly what: string;
  readonly name: string;
  readonly where?: string;
  readonly known: readonly string[];
  /** What the known names are called: `Options`. */
  readonly list: string;
}

/** `Unknown option "alow" of createX. Did you mean "allow"? Options: mode, allow.` */
export function unknownName({ what, name, where, known, list }: Unknown): string {
  const near = nearestName(name, known);
  const place = where === undefined ? "" : ` of ${where}`;
  const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
  return `Unknown ${what} "${name}"${place}.${hint} ${list}: ${known.join(", ")}.`;
}

/** The name that differs least from what was given; undefined if none is close. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const given = name.toLowerCase();
  const limit = Math.max(1, Math.floor(given.length / 3));
  const longer = given.length < 3 ? undefined : known.find((one) => one.toLowerCase().startsWith(given));
  if (longer !== undefined) return longer;
  const byDistance = known
    .map((one) => ({ one, distance: distanceOf(given, one.toLowerCase()) }))
    .toSorted((one, other) => one.distance - other.distance);
  const [best] = byDistance;
  return best !== undefined && best.distance <= limit ? best.one : undefined;
}

/** How many letters have to be inserted, removed, replaced or exchanged with the next one. */
function distanceOf(one: string, other: string): number {
  let earlier: number[] = [];
  let before = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 1; at <= one.length; at++) {
    const row = [at];
    for (let to = 1; to <= other.length; to++) {
      const replaced = (before[to - 1] as number) + (one[at - 1] === other[to - 1] ? 0 : 1);
      const isExchanged = at > 1 && to > 1 && one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1];
      const exchanged = isExchanged ? (earlier[to - 2] as number) + 1 : replaced;
      row.push(Math.min(replaced, exchanged, (before[to] as number) + 1, (row[to - 1] as number) + 1));
    }
    [earlier, before] = [before, row];
  }
  return before[other.length] as number;
}
