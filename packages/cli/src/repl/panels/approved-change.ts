/** The change of a file in a permission dialog: numbered, with the lines around it, and with nothing left out. */

import { readFileSync, statSync } from "node:fs";
import { extname, resolve } from "node:path";
import { reveal, strip } from "../../shared/safe-text.ts";
import { membersOf, plural } from "../../shared/words.ts";
import { languageOf, paintLine } from "../screen/highlight.ts";
import { dim, green, red } from "../screen/style.ts";

/** A larger file is not read for its line numbers. */
const MOST_BYTES = 2_000_000;
const CONTEXT_LINES = 3;
const NUMBER_COLUMNS = 4;
/** Stands between two places of a file. */
const GAP = `${" ".repeat(NUMBER_COLUMNS - 1)}⋮`;
/** More places of a text that is replaced everywhere are only counted. */
const MOST_PLACES = 100;

export interface Change {
  readonly path: string;
  readonly folder: string;
  /** Undefined for a new content of the whole file. */
  readonly oldText: string | undefined;
  readonly newText: string;
  readonly isEverywhere: boolean;
  /** The sign is before the number. Default: after it. */
  readonly isSignFirst?: boolean;
}

/** The path, then the lines: unchanged ones are dim. */
export function changeLines(change: Change): string[] {
  const { path, oldText, newText, isSignFirst = false } = change;
  const file = contentOf(resolve(change.folder, path));
  const paint = painter(path);
  const head = [reveal(within(path, change.folder)), ...noteOf(change, file)];
  if (oldText === undefined)
    return [
      ...head,
      ...comparison(linesOf(file ?? ""), linesOf(newText), { first: 1, paint, isSignFirst }),
      ...(newText.endsWith("\n") || newText === "" ? [] : [dim("No newline at end of file")]),
    ];
  const places = file === undefined ? [] : placesOf(file, change);
  const isWithinLines = oldText.endsWith("\n") === newText.endsWith("\n");
  // Without its place in the file, and if lines are joined or split, both texts are shown as they are.
  if (file === undefined || places.length === 0 || !isWithinLines)
    return [...head, ...comparison(oldText.split("\n"), newText.split("\n"), { paint, isSignFirst })];
  const shown = places.slice(0, MOST_PLACES);
  const more = places.length - shown.length;
  return [
    ...head,
    ...inPlaces({ file, regions: regionsOf(file, shown, oldText), change, paint }),
    ...(more > 0 ? [dim(`… and in ${plural(more, "more place")}`)] : []),
  ];
}

/** The change that a call makes, without colours and with the sign of each line first; undefined for any other call. */
export function changeText(toolName: string, input: unknown, folder: string): string | undefined {
  const { file_path: path, old_string: oldText, new_string: newText, content, ...rest } = membersOf(input);
  const isEdit = toolName === "Edit";
  if ((!isEdit && toolName !== "Write") || typeof path !== "string") return undefined;
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  const lines = changeLines({
    path,
    folder,
    oldText: isEdit ? text(oldText) : undefined,
    newText: text(isEdit ? newText : content),
    isEverywhere: rest["replace_all"] === true,
    isSignFirst: true,
  });
  return lines.map(strip).join("\n");
}

/** The path, relative to the folder if it begins with it. */
function within(path: string, folder: string): string {
  return folder !== "" && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
}

type PaintCode = (code: string) => string;

function painter(path: string): PaintCode {
  const language = languageOf(extname(path).slice(1));
  return (code) => paintLine(reveal(code), language);
}

function noteOf(change: Change, file: string | undefined): string[] {
  if (change.oldText === undefined)
    return file === undefined ? [dim("new file")] : [dim(`replaces ${plural(linesOf(file).length, "line")}`)];
  const places = file === undefined ? 0 : placesOf(file, change).length;
  return places > 1 ? [dim(`in ${places} places:`)] : [];
}

/** Where the file has the text that is replaced. */
function placesOf(file: string, { oldText = "", isEverywhere }: Change): number[] {
  const places: number[] = [];
  if (oldText === "") return places;
  for (let at = file.indexOf(oldText); at >= 0; at = file.indexOf(oldText, at + oldText.length)) {
    places.push(at);
    if (!isEverywhere) break;
  }
  return places;
}

/** Lines of the file that change, counted from 0. */
interface Region {
  readonly from: number;
  /** The first line after them. */
  readonly to: number;
}

/** The lines of these places. Places on the same or on neighbouring lines are one region. */
function regionsOf(file: string, places: readonly number[], oldText: string): Region[] {
  const regions: Region[] = [];
  const height = linesOf(oldText).length;
  let line = 0;
  let counted = 0;
  for (const at of places) {
    line += file.slice(counted, at).split("\n").length - 1;
    counted = at;
    const last = regions.at(-1);
    if (last !== undefined && line <= last.to)
      regions[regions.length - 1] = { from: last.from, to: line + height };
    else regions.push({ from: line, to: line + height });
  }
  return regions;
}

interface Placed {
  readonly file: string;
  readonly regions: readonly Region[];
  readonly change: Change;
  readonly paint: PaintCode;
}

/** Whole lines, with the lines before and after them, and a mark between regions that are further apart. */
function inPlaces({ file, regions, change, paint }: Placed): string[] {
  const { isSignFirst = false } = change;
  const lines = linesOf(file);
  const shown: string[] = [];
  let shownTo = 0;
  let moved = 0;
  const context = (from: number, to: number): void => {
    for (let at = from; at < to; at++)
      shown.push(same(prefix(at + 1 + moved, " ", isSignFirst), lines[at] ?? ""));
  };
  regions.forEach(({ from, to }, index) => {
    const start = Math.max(shownTo, from - CONTEXT_LINES);
    if (index > 0 && start > shownTo) shown.push(dim(GAP));
    context(start, from);
    const isEnded = to < lines.length || file.endsWith("\n");
    const old = lines.slice(from, to);
    const now = linesOf(replaced(`${old.join("\n")}${isEnded ? "\n" : ""}`, change));
    shown.push(...comparison(old, now, { first: from + 1, moved, paint, isSignFirst }));
    moved += now.length - old.length;
    shownTo = Math.min(to + CONTEXT_LINES, regions[index + 1]?.from ?? lines.length, lines.length);
    context(to, shownTo);
  });
  return shown;
}

function replaced(text: string, { oldText = "", newText, isEverywhere }: Change): string {
  return isEverywhere ? text.replaceAll(oldText, () => newText) : text.replace(oldText, () => newText);
}

interface Numbering {
  /** The number of the first line in the old text. Default: lines have no numbers. */
  readonly first?: number;
  /** How much larger the numbers in the new text are. Default: 0. */
  readonly moved?: number;
  readonly paint: PaintCode;
  readonly isSignFirst: boolean;
}

/** Lines that begin or end both texts are unchanged. */
function comparison(old: readonly string[], now: readonly string[], numbering: Numbering): string[] {
  const { first, moved = 0, paint, isSignFirst } = numbering;
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old[start] === now[start]) start++;
  let end = 0;
  while (end < most - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  const before = (at: number, sign: string): string =>
    prefix(first === undefined ? undefined : first + at, sign, isSignFirst);
  const after = (at: number, sign: string): string => before(at + moved, sign);
  return [
    ...now.slice(0, start).map((line, at) => same(after(at, " "), line)),
    ...old
      .slice(start, old.length - end)
      .map((line, at) => `${red(before(start + at, "-"))}${red(reveal(line))}`),
    ...now.slice(start, now.length - end).map((line, at) => `${green(after(start + at, "+"))}${paint(line)}`),
    ...now.slice(now.length - end).map((line, at) => same(after(now.length - end + at, " "), line)),
  ];
}

function same(start: string, line: string): string {
  return dim(`${start}${reveal(line)}`);
}

/** What is before the text of a line: its number, if it is known, and its sign. */
function prefix(number: number | undefined, sign: string, isSignFirst: boolean): string {
  const numbered = number === undefined ? "" : `${String(number).padStart(NUMBER_COLUMNS)} `;
  return isSignFirst ? `${sign} ${numbered}` : `${numbered}${sign} `;
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
