/** Where vim's motions lead, and what its text objects cover. */

/** A part of a text, from `start` to before `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
  /** It consists of whole lines. Default: false. */
  readonly isLines?: boolean;
}

/** The place that a key moves to; undefined if the key is not a motion. */
export function motion(text: string, at: number, key: string, count: number): number | undefined {
  const start = text.lastIndexOf("\n", at - 1) + 1;
  const next = text.indexOf("\n", at);
  const end = next < 0 ? text.length : next;
  switch (key) {
    case "h":
    case "\u007f":
      return Math.max(start, at - count);
    case "l":
    case " ":
      return Math.min(end, at + count);
    case "j":
      return vertical(text, at, count);
    case "k":
      return vertical(text, at, -count);
    case "0":
      return start;
    case "^":
    case "_":
      return start + (/^[ \t]*/.exec(text.slice(start, end))?.[0].length ?? 0);
    case "$":
      return Math.max(start, end - 1);
    case "gg":
      return firstOfLine(text, count - 1);
    case "G":
      return count > 1 ? firstOfLine(text, count - 1) : text.lastIndexOf("\n") + 1;
    case "w":
    case "W":
      return repeat(count, at, (from) => nextWord(text, from, key === "W"));
    case "b":
    case "B":
      return repeat(count, at, (from) => wordStart(text, from, key === "B"));
    case "e":
    case "E":
      return repeat(count, at, (from) => wordEnd(text, from, key === "E"));
    default:
      return undefined;
  }
}

function repeat(count: number, from: number, step: (at: number) => number): number {
  let at = from;
  for (let left = count; left > 0; left--) at = step(at);
  return at;
}

function vertical(text: string, at: number, lines: number): number {
  const all = text.split("\n");
  const before = text.slice(0, at).split("\n");
  const column = (before.at(-1) ?? "").length;
  const line = Math.max(0, Math.min(all.length - 1, before.length - 1 + lines));
  const start = all.slice(0, line).reduce((sum, one) => sum + one.length + 1, 0);
  return start + Math.min(column, Math.max(0, (all[line] ?? "").length - 1));
}

function firstOfLine(text: string, line: number): number {
  const all = text.split("\n");
  const most = Math.min(line, all.length - 1);
  return all.slice(0, most).reduce((sum, one) => sum + one.length + 1, 0);
}

/** Letters and digits, other signs, and white space are three kinds; for big words the first two are one. */
function kindAt(text: string, at: number, isBig: boolean): number {
  const letter = text[at] ?? " ";
  if (/\s/.test(letter)) return 0;
  return isBig || /[\p{L}\p{N}_]/u.test(letter) ? 1 : 2;
}

function nextWord(text: string, from: number, isBig: boolean): number {
  const kind = kindAt(text, from, isBig);
  let at = from;
  if (kind !== 0) while (at < text.length && kindAt(text, at, isBig) === kind) at++;
  while (at < text.length && kindAt(text, at, isBig) === 0) at++;
  return at;
}

function wordStart(text: string, from: number, isBig: boolean): number {
  let at = from - 1;
  while (at > 0 && kindAt(text, at, isBig) === 0) at--;
  const kind = kindAt(text, at, isBig);
  while (at > 0 && kindAt(text, at - 1, isBig) === kind) at--;
  return Math.max(0, at);
}

function wordEnd(text: string, from: number, isBig: boolean): number {
  let at = from + 1;
  while (at < text.length && kindAt(text, at, isBig) === 0) at++;
  const kind = kindAt(text, at, isBig);
  while (at + 1 < text.length && kindAt(text, at + 1, isBig) === kind) at++;
  return Math.min(at, Math.max(0, text.length - 1));
}

/** `fx`, `Fx`, `tx` and `Tx`, within the line. `isAgain`: a `t` that is already before the letter goes on to the next. */
export function findChar(text: string, at: number, key: string, isAgain = false): number | undefined {
  const kind = key[0] ?? "";
  const letter = key.slice(1);
  const start = text.lastIndexOf("\n", at - 1) + 1;
  const next = text.indexOf("\n", at);
  const end = next < 0 ? text.length : next;
  const isTill = kind.toLowerCase() === "t";
  const skip = isAgain && isTill ? 2 : 1;
  if (kind === "f" || kind === "t") {
    const found = text.indexOf(letter, at + skip);
    return found < 0 || found >= end ? undefined : found - (isTill ? 1 : 0);
  }
  const found = at - skip < 0 ? -1 : text.lastIndexOf(letter, at - skip);
  return found < start ? undefined : found + (isTill ? 1 : 0);
}

const PAIRS: Readonly<Record<string, string>> = {
  "(": "()",
  ")": "()",
  b: "()",
  "[": "[]",
  "]": "[]",
  "{": "{}",
  "}": "{}",
  B: "{}",
  "<": "<>",
  ">": "<>",
};

/** `iw`, `aw`, `i"`, `a(` and so on; undefined if the cursor is not in such an object. */
export function textObject(text: string, at: number, key: string): Range | undefined {
  const [kind = "", what = ""] = key;
  const isAround = kind === "a";
  if (what === "w" || what === "W") return word(text, at, { isBig: what === "W", isAround });
  if (what === "p") return paragraph(text, at, isAround);
  const pair = PAIRS[what];
  const found = pair === undefined ? quoted(text, at, what) : bracketed(text, at, pair);
  if (found === undefined) return undefined;
  return isAround ? found : { start: found.start + 1, end: found.end - 1 };
}

function word(
  text: string,
  at: number,
  { isBig, isAround }: { readonly isBig: boolean; readonly isAround: boolean },
): Range {
  const kind = kindAt(text, at, isBig);
  const isSame = (index: number): boolean => text[index] !== "\n" && kindAt(text, index, isBig) === kind;
  let [start, end] = [at, Math.min(text.length, at + 1)];
  while (start > 0 && isSame(start - 1)) start--;
  while (end < text.length && isSame(end)) end++;
  if (!isAround) return { start, end };
  const from = end;
  while (end < text.length && text[end] !== "\n" && kindAt(text, end, isBig) === 0) end++;
  if (end === from)
    while (start > 0 && text[start - 1] !== "\n" && kindAt(text, start - 1, isBig) === 0) start--;
  return { start, end };
}

function paragraph(text: string, at: number, isAround: boolean): Range {
  const before = text.lastIndexOf("\n\n", at - 1);
  const after = text.indexOf("\n\n", at);
  const end = after < 0 ? text.length : after + (isAround ? 1 : 0);
  return { start: before < 0 ? 0 : before + 2, end, isLines: true };
}

/** The quotes around the cursor, or the next ones in the line. */
function quoted(text: string, at: number, quote: string): Range | undefined {
  const start = text.lastIndexOf("\n", at - 1) + 1;
  const next = text.indexOf("\n", at);
  const line = text.slice(start, next < 0 ? text.length : next);
  const places = [...line].flatMap((letter, index) => (letter === quote ? [start + index] : []));
  for (let index = 0; index + 1 < places.length; index += 2) {
    const [open = 0, close = 0] = [places[index], places[index + 1]];
    if (close >= at) return { start: open, end: close + 1 };
  }
  return undefined;
}

function bracketed(text: string, at: number, [open = "", close = ""]: string): Range | undefined {
  let depth = 0;
  let start = at;
  for (; start >= 0; start--) {
    if (text[start] === close && start !== at) depth++;
    if (text[start] === open && depth-- === 0) break;
  }
  if (start < 0) return undefined;
  depth = 0;
  for (let end = start; end < text.length; end++) {
    if (text[end] === open) depth++;
    if (text[end] === close && --depth === 0) return end >= at ? { start, end: end + 1 } : undefined;
  }
  return undefined;
}
