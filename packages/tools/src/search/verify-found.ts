/**
 * Verifies search results before they are shown. ripgrep opens files by path, so another process could redirect it by
 * replacing a folder with a link. Each name is looked up again without following links, and each line is compared with
 * the file (C18).
 */

import { lstatSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { withFile } from "../files/open-file.ts";
import { type Pin, withPin } from "../files/pin.ts";
import { Refusal, codeOf } from "../shared/refusal.ts";
import type { SearchEnd } from "./ripgrep.ts";
import type { ShownFiles } from "./shown-files.ts";
import type { Entry } from "./sorted-head.ts";
import { type PrintedLines, matchingIn, matchingLines } from "./verify-lines.ts";

export interface FoundEntry {
  readonly path: string;
  readonly entry: Entry;
}

/** Yields to the event loop after this many files. */
const AT_ONCE = 64;
const SMALL_BYTES = 1024 * 1024;
const SHOWN_COMPLAINTS = 3;

/** Returns the names that are regular files in the folder, reached without a link. */
export async function filesIn(folder: string, names: readonly string[]): Promise<string[]> {
  const verified = new Set<string>();
  await each(groups(names, dirname), async ([below, inIt]) => {
    const isFile = ({ fixed }: Pin, name: string): boolean =>
      lstatSync(join(fixed, basename(name)), { throwIfNoEntry: false })?.isFile() === true;
    const found = await unlessGone(
      withPin(join(folder, below), "searched", (pinned) => inIt.filter((name) => isFile(pinned, name))),
    );
    for (const name of found ?? []) verified.add(name);
  });
  return names.filter((name) => verified.has(name));
}

/** Returns the entries that are lines of regular files in the folder, exactly as printed. */
export async function entriesIn(
  folder: string,
  entries: readonly FoundEntry[],
  signal: AbortSignal,
): Promise<FoundEntry[]> {
  const verified = new Set<FoundEntry>();
  const byFile = groups(entries, ({ path }) => path);
  await each(byFile, async ([path, inIt]) => {
    const printed = new Map(inIt.map(({ entry }) => [entry.line, textOf(entry)]));
    const lines = await unlessGone(linesIn(join(folder, path), printed, signal));
    // An entry without a line only says that the file matches.
    const holds = ({ entry }: FoundEntry): boolean =>
      entry.line === 0 || (lines?.has(entry.line) === true && printed.get(entry.line) === textOf(entry));
    if (lines !== undefined) for (const found of inIt.filter(holds)) verified.add(found);
  });
  return entries.filter((found) => verified.has(found));
}

async function linesIn(
  path: string,
  printed: PrintedLines,
  signal: AbortSignal,
): Promise<ReadonlySet<number> | undefined> {
  const small = await withPin(path, "searched", ({ fixed, isFixed, stats }) =>
    // Much faster than promises when a page has lines from many files.
    isFixed && stats.isFile() && stats.size <= SMALL_BYTES
      ? matchingIn(readFileSync(fixed), printed)
      : undefined,
  );
  return small ?? withFile(path, (file) => matchingLines(file, printed, signal));
}

/** The line without its number and the sign after it. */
function textOf({ line, text }: Entry): string {
  return line === 0 ? "" : text.slice(String(line).length + 1);
}

/** The note if results were left out. */
export function leftOut(count: number): string[] {
  if (count === 0) return [];
  const what = count === 1 ? "1 result is" : `${count} results are`;
  return [
    `${what} left out: the files changed or moved during the search, or their names are not UTF-8. Search again.`,
  ];
}

/** Unreadable files become a note, since the other results are valid. Any other complaint fails the search. */
export async function searchNotes(
  { complaints, invalid }: SearchEnd,
  folder: string,
  shown: Pick<ShownFiles, "has">,
): Promise<string[]> {
  if (invalid !== undefined) throw new Refusal(invalid);
  const named: string[] = [];
  for (const { type, path, words } of complaints) {
    if (named.length === SHOWN_COMPLAINTS) break;
    // Names of files outside the folder, or of denied files, must not be shown either.
    const isThere = await unlessGone(withPin(join(folder, path), "searched", () => shown.has(path)));
    if (isThere !== true) continue;
    if (type === "other") throw new Refusal(words);
    named.push(words);
  }
  const count = complaints.filter(({ type }) => type === "unreadable").length;
  if (count === 0) return [];
  const among = named.length === 0 ? "" : `: ${named.join("; ")}`;
  return [`${count === 1 ? "1 file or folder" : `${count} files or folders`} could not be read${among}`];
}

/** Resolves with undefined if the file is missing, moved or unreadable. */
async function unlessGone<Value>(looked: Promise<Value>): Promise<Value | undefined> {
  try {
    return await looked;
  } catch (error) {
    if (error instanceof Refusal || codeOf(error) !== undefined) return undefined;
    throw error;
  }
}

function groups<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const grouped = new Map<string, Item[]>();
  for (const item of items) {
    const known = grouped.get(keyOf(item));
    if (known === undefined) grouped.set(keyOf(item), [item]);
    else known.push(item);
  }
  return grouped;
}

async function each<Item>(items: Iterable<Item>, job: (item: Item) => Promise<void>): Promise<void> {
  let count = 0;
  for (const item of items) {
    if (++count % AT_ONCE === 0) await setImmediate();
    await job(item);
  }
}
