/** Finds files by parts of their names, in slices, so that a key never waits for a large project. */

import { setImmediate as nextTick } from "node:timers/promises";

/** File names, and the same in lower case, at the same places. */
export interface FileIndex {
  readonly names: readonly string[];
  readonly lower: readonly string[];
}

const SLICE = 10_000;

/** Makes an index in slices. */
export async function indexOf(names: readonly string[]): Promise<FileIndex> {
  const lower: string[] = [];
  for (let at = 0; at < names.length; at += SLICE) {
    for (const name of names.slice(at, at + SLICE)) lower.push(name.toLowerCase());
    await nextTick();
  }
  return { names, lower };
}

interface Match {
  readonly name: string;
  /** Smaller is better. */
  readonly score: number;
}

/** Each is worse than any score of the one before. */
const STARTS = 0;
const NAME_STARTS = 1e6;
const CONTAINS = 2e6;
const SCATTERED = 3e6;

/**
 * The best matches, the best one first: paths that start with the text, names that do, paths that contain it, and paths
 * that have its letters in this order. Shorter paths come first. Stops early if the signal is aborted.
 */
export async function matchFiles(
  { names, lower }: FileIndex,
  typed: string,
  {
    most,
    signal,
    isHidden,
  }: { most: number; signal: AbortSignal | undefined; isHidden: (name: string) => boolean },
): Promise<string[]> {
  const wanted = typed.toLowerCase();
  const found: Match[] = [];
  for (let at = 0; at < names.length; at += SLICE) {
    if (signal?.aborted === true) return [];
    for (let index = at; index < Math.min(names.length, at + SLICE); index++) {
      const score = scoreOf(lower[index] ?? "", wanted);
      if (score !== undefined) found.push({ name: names[index] ?? "", score });
    }
    keepBest(found, most);
    await nextTick();
  }
  return found
    .toSorted((one, other) => one.score - other.score)
    .map(({ name }) => name)
    .filter((name) => !isHidden(name))
    .slice(0, most);
}

/** Keeps more than are shown, because some of them can be hidden later. */
function keepBest(found: Match[], most: number): void {
  if (found.length <= 8 * most) return;
  found.sort((one, other) => one.score - other.score);
  found.length = 4 * most;
}

/** Undefined if the letters are not in the path in this order. */
export function scoreOf(path: string, wanted: string): number | undefined {
  const at = path.indexOf(wanted);
  if (at === 0) return STARTS + path.length;
  if (at > 0) {
    const name = path.lastIndexOf("/", path.length - 2) + 1;
    return (path.startsWith(wanted, name) ? NAME_STARTS : CONTAINS) + path.length;
  }
  return scattered(path, wanted);
}

/** Letters that are next to each other or start a word count more. */
function scattered(path: string, wanted: string): number | undefined {
  let from = 0;
  let gaps = 0;
  for (const letter of wanted) {
    const next = path.indexOf(letter, from);
    if (next < 0) return undefined;
    if (next > from) gaps += isWordStart(path, next) ? 1 : 3;
    from = next + letter.length;
  }
  return SCATTERED + gaps * 1000 + path.length;
}

function isWordStart(path: string, at: number): boolean {
  return at === 0 || "/-_. ".includes(path[at - 1] ?? "");
}
