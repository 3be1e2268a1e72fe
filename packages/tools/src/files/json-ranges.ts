/** Finds the positions of values in valid JSON text, so that one can be replaced without touching the rest. */

export interface JsonRange {
  readonly start: number;
  readonly end: number;
}

export interface Member {
  readonly key: string;
  readonly value: JsonRange;
}

/** Returns the members of the object that begins at or after a position. */
export function membersOf(text: string, from: number): Member[] {
  const members: Member[] = [];
  let at = skipSpace(text, skipSpace(text, from) + 1);
  while (text[at] !== "}") {
    const keyEnd = endOfValue(text, at);
    const key = JSON.parse(text.slice(at, keyEnd)) as string;
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = endOfValue(text, start);
    members.push({ key, value: { start, end } });
    at = afterComma(text, end);
  }
  return members;
}

/** Returns the items of the array that begins at a position. */
export function itemsOf(text: string, from: number): JsonRange[] {
  const items: JsonRange[] = [];
  let at = skipSpace(text, from + 1);
  while (text[at] !== "]") {
    const end = endOfValue(text, at);
    items.push({ start: at, end });
    at = afterComma(text, end);
  }
  return items;
}

/** Replaces several ranges, which must not overlap. */
export function replaceRanges(
  text: string,
  changes: readonly { readonly range: JsonRange; readonly by: string }[],
): string {
  const inOrder = [...changes].sort((one, other) => other.range.start - one.range.start);
  return inOrder.reduce(
    (changed, { range, by }) => changed.slice(0, range.start) + by + changed.slice(range.end),
    text,
  );
}

function afterComma(text: string, end: number): number {
  const at = skipSpace(text, end);
  return text[at] === "," ? skipSpace(text, at + 1) : at;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && " \t\r\n".includes(text[at] as string)) at++;
  return at;
}

function endOfValue(text: string, start: number): number {
  if (text[start] === '"') return endOfString(text, start);
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const letter = text[at] as string;
    if (letter === '"') at = endOfString(text, at) - 1;
    else if (letter === "{" || letter === "[") depth++;
    else if (letter === "}" || letter === "]") {
      if (depth === 0) return at;
      if (--depth === 0) return at + 1;
    } else if (depth === 0 && ", \t\r\n".includes(letter)) return at;
  }
  return text.length;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}
