/** Wildcard matching without exponential time: it backtracks only to the last wildcard. */

/** `undefined` matches any number of items. */
export function matchItems<Part, Item>(
  parts: readonly (Part | undefined)[],
  items: ArrayLike<Item>,
  matches: (part: Part, item: Item) => boolean,
): boolean {
  let at = 0;
  let part = 0;
  let star = -1;
  let starAt = 0;
  while (at < items.length) {
    const wanted = parts[part];
    if (part < parts.length && wanted === undefined) {
      star = part++;
      starAt = at;
    } else if (part < parts.length && matches(wanted as Part, items[at] as Item)) {
      part++;
      at++;
    } else if (star >= 0) {
      part = star + 1;
      at = ++starAt;
    } else return false;
  }
  while (part < parts.length && parts[part] === undefined) part++;
  return part === parts.length;
}

/** A text in which only `*` is special. */
export type Wildcard = readonly (string | undefined)[];

export function wildcard(pattern: string): Wildcard {
  return [...pattern].map((letter) => (letter === "*" ? undefined : letter));
}

export function matchesWildcard(pattern: Wildcard, text: string): boolean {
  return matchItems(pattern, [...text], (part, letter) => part === letter);
}
