/** The change of a file in a permission dialog: numbered, with the lines around it, and with nothing left out. */

import { readFileSync, statSync } from "node:fs";
import { extname, resolve } from "node:path";
import { reveal } from "../../shared/safe-text.ts";
import { plural } from "../../shared/words.ts";
import { languageOf, paintLine } from "../screen/highlight.ts";
import { dim, green, red } from "../screen/style.ts";

/** A larger file is not read for its line numbers. */
const MOST_BYTES = 2_000_000;
const CONTEXT_LINES = 3;
const NUMBER_COLUMNS = 4;

export interface Change {
  readonly path: string;
  readonly folder: string;
  /** Undefined for a new content of the whole file. */
  readonly oldText: string | undefined;
  readonly newText: string;
  readonly isEverywhere: boolean;
}

/** The path, then the lines: unchanged ones are dim. */
export function changeLines(change: Change): string[] {
  const { path, oldText, newText } = change;
  const file = contentOf(resolve(change.folder, path));
  const paint = painter(path);
  const head = [reveal(path), ...noteOf(change, file)];
  if (oldText === undefined)
    return [
      ...head,
      ...comparison(linesOf(file ?? ""), linesOf(newText), { first: 1, paint }),
      ...(newText.endsWith("\n") || newText === "" ? [] : [dim("(no line break at the end)")]),
    ];
  const at = file?.indexOf(oldText) ?? -1;
  const isWithinLines = oldText.endsWith("\n") === newText.endsWith("\n");
  // Without its place in the file, and if lines are joined or split, both texts are shown as they are.
  if (file === undefined || oldText === "" || at < 0 || !isWithinLines)
    return [...head, ...comparison(oldText.split("\n"), newText.split("\n"), { first: undefined, paint })];
  return [...head, ...inPlace(file, { at, oldText, newText }, paint)];
}

type PaintCode = (code: string) => string;

function painter(path: string): PaintCode {
  const language = languageOf(extname(path).slice(1));
  return (code) => paintLine(reveal(code), language);
}

function noteOf({ oldText, isEverywhere }: Change, file: string | undefined): string[] {
  if (oldText === undefined)
    return file === undefined ? [dim("new file")] : [dim(`replaces ${plural(linesOf(file).length, "line")}`)];
  const places = file === undefined || oldText === "" ? 0 : file.split(oldText).length - 1;
  return isEverywhere && places > 1 ? [dim(`in ${places} places; the first one:`)] : [];
}

interface Found {
  readonly at: number;
  readonly oldText: string;
  readonly newText: string;
}

/** Extends the change to whole lines, with the lines before and after it. */
function inPlace(file: string, { at, oldText, newText }: Found, paint: PaintCode): string[] {
  const from = file.lastIndexOf("\n", at - 1) + 1;
  const next = file.indexOf("\n", at + oldText.length);
  const to = oldText.endsWith("\n") ? at + oldText.length - 1 : next < 0 ? file.length : next;
  const [start, end] = [
    file.slice(from, at),
    file.slice(at + oldText.length, Math.max(to, at + oldText.length)),
  ];
  const number = file.slice(0, from).split("\n").length;
  const before = file
    .slice(0, Math.max(0, from - 1))
    .split("\n")
    .slice(-CONTEXT_LINES);
  const shownBefore = from === 0 ? [] : before;
  const rest =
    to + 1 < file.length
      ? file
          .slice(to + 1)
          .replace(/\n$/, "")
          .split("\n")
      : [];
  const old = linesOf(`${start}${oldText}${end}`);
  return [
    ...shownBefore.map((line, index) => same(number - shownBefore.length + index, line)),
    ...comparison(old, linesOf(`${start}${newText}${end}`), { first: number, paint }),
    ...rest
      .slice(0, CONTEXT_LINES)
      .map((line, index) => same(number + linesOf(`${start}${newText}${end}`).length + index, line)),
  ];
}

interface Numbering {
  /** The number of the first line; undefined if it is not known. */
  readonly first: number | undefined;
  readonly paint: PaintCode;
}

/** Lines that begin or end both texts are unchanged. */
function comparison(old: readonly string[], now: readonly string[], { first, paint }: Numbering): string[] {
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old[start] === now[start]) start++;
  let end = 0;
  while (end < most - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  const number = (at: number): number | undefined => (first === undefined ? undefined : first + at);
  return [
    ...now.slice(0, start).map((line, at) => same(number(at), line)),
    ...old
      .slice(start, old.length - end)
      .map((line, at) => `${red(`${numbered(number(start + at))}- `)}${red(reveal(line))}`),
    ...now
      .slice(start, now.length - end)
      .map((line, at) => `${green(`${numbered(number(start + at))}+ `)}${paint(line)}`),
    ...now.slice(now.length - end).map((line, at) => same(number(now.length - end + at), line)),
  ];
}

function same(number: number | undefined, line: string): string {
  return dim(`${numbered(number)}  ${reveal(line)}`);
}

function numbered(number: number | undefined): string {
  return number === undefined ? "" : `${String(number).padStart(NUMBER_COLUMNS)} `;
}

/** The lines of a text; a line break at its end does not begin another line. */
function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

/** Undefined if it is not a regular file of ordinary size. */
function contentOf(path: string): string | undefined {
  try {
    const stats = statSync(path);
    return stats.isFile() && stats.size <= MOST_BYTES ? readFileSync(path, "utf8") : undefined;
  } catch {
    return undefined;
  }
}
