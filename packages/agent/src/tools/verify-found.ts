/**
 * Checks what a search found before it is shown. ripgrep opens files by their paths, so a folder that another process
 * exchanges for a link makes it read elsewhere. Each name is looked up again without following links, and each line is
 * compared with the file that has this name (C18).
 */

import { lstatSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { withFile } from "./open-file.ts";
import { withPin } from "./pin.ts";
import { Refusal, codeOf } from "./refusal.ts";
import { type SearchEnd, complaintsOf } from "./ripgrep.ts";
import type { Entry } from "./sorted-head.ts";
import { matchingLines } from "./verify-lines.ts";

export interface FoundEntry {
  readonly path: string;
  readonly entry: Entry;
}

/** So many files are looked at at a time. */
const AT_ONCE = 8;
const SHOWN_COMPLAINTS = 3;

/** Those of the names that are regular files in the folder, reached without a link. */
export async function filesIn(folder: string, names: readonly string[]): Promise<string[]> {
  const verified = new Set<string>();
  await each(groups(names, dirname), async ([below, inIt]) => {
    await unlessGone(
      withPin(join(folder, below), "searched", async ({ fixed }) => {
        // Much faster than a promise for each of what may be thousands.
        for (const name of inIt)
          if (lstatSync(join(fixed, basename(name)), { throwIfNoEntry: false })?.isFile() === true)
            verified.add(name);
      }),
    );
  });
  return names.filter((name) => verified.has(name));
}

/** Those of the entries that are lines of regular files in the folder, as they were printed. */
export async function entriesIn(
  folder: string,
  entries: readonly FoundEntry[],
  signal: AbortSignal,
): Promise<FoundEntry[]> {
  const verified = new Set<FoundEntry>();
  await each(
    groups(entries, ({ path }) => path),
    async ([path, inIt]) => {
      const printed = new Map(inIt.map(({ entry }) => [entry.line, textOf(entry)]));
      const lines = await unlessGone(
        withFile(join(folder, path), (file) => matchingLines(file, printed, signal)),
      );
      for (const found of inIt) {
        const { line } = found.entry;
        // An entry without a line only says that the file matches.
        if (
          lines !== undefined &&
          (line === 0 || (lines.has(line) && printed.get(line) === textOf(found.entry)))
        )
          verified.add(found);
      }
    },
  );
  return entries.filter((found) => verified.has(found));
}

/** Without the number and the sign after it. */
function textOf({ line, text }: Entry): string {
  return line === 0 ? "" : text.slice(String(line).length + 1);
}

/** What to say if results are left out. */
export function leftOut(count: number): string[] {
  if (count === 0) return [];
  const what = count === 1 ? "1 result is" : `${count} results are`;
  return [
    `${what} left out: the files changed or moved during the search, or their names are not UTF-8. Search again.`,
  ];
}

/** What could not be read does not make the rest wrong: it is noted. Any other complaint fails the search. */
export async function searchNotes(end: SearchEnd, folder: string): Promise<string[]> {
  const unreadable: string[] = [];
  let count = 0;
  for (const complaint of complaintsOf(end)) {
    if (complaint.type === "search") throw new Refusal(complaint.words);
    if (complaint.type === "unreadable") count++;
    if (unreadable.length === SHOWN_COMPLAINTS) continue;
    // The name of a file elsewhere is not to be shown either.
    const isThere = await unlessGone(withPin(join(folder, complaint.path), "searched", async () => true));
    if (isThere !== true) continue;
    if (complaint.type === "other-file") throw new Refusal(complaint.words);
    unreadable.push(complaint.words);
  }
  if (count === 0) return [];
  const among = unreadable.length === 0 ? "" : `, among them: ${unreadable.join("; ")}`;
  return [`${count} places could not be read${among}`];
}

/** Undefined if it is not there, has moved or cannot be read. */
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
  const rest = items[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (let next = rest.next(); next.done !== true; next = rest.next()) await job(next.value);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}
