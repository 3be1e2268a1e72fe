/** Finds the part of a file that is most similar to the text of a failed edit. */

import { likeness } from "./likeness.ts";

const SHOWN_LINES = 12;
const SHOWN_CHARS = 2_000;
/** Only this many lines of a longer file are compared. */
const MOST_LINES = 50_000;
const LEAST_LIKENESS = 0.6;

export interface ClosestText {
  /** For example `lines 3–5`. */
  readonly lines: string;
  readonly text: string;
}

/** Returns undefined if no line of the file is similar. */
export function closestText(text: string, wanted: string): ClosestText | undefined {
  const lines = text.split("\n", MOST_LINES).map((line) => line.replace(/\r$/, ""));
  const needle = wanted.split("\n").map((line) => line.trim());
  const start = startBySameLines(lines, needle) ?? startByLikeLine(lines, needle);
  if (start === undefined) return undefined;
  const first = Math.max(0, start);
  const shown = lines.slice(first, first + Math.min(needle.length, SHOWN_LINES));
  const last = first + shown.length;
  return {
    lines: shown.length === 1 ? `line ${last}` : `lines ${first + 1}–${last}`,
    text: shown.join("\n").slice(0, SHOWN_CHARS).toWellFormed(),
  };
}

/** Finds the position at which the most lines match. Blank and very short lines do not count: they match anywhere. */
function startBySameLines(lines: readonly string[], needle: readonly string[]): number | undefined {
  const places = new Map<string, number[]>();
  for (const [at, line] of needle.entries())
    if (line.length > 3) places.set(line, [...(places.get(line) ?? []), at]);
  const votes = new Map<number, number>();
  for (const [at, line] of lines.entries())
    for (const place of places.get(line.trim()) ?? []) {
      const start = at - place;
      votes.set(start, (votes.get(start) ?? 0) + 1);
    }
  return best(votes)?.[0];
}

function startByLikeLine(lines: readonly string[], needle: readonly string[]): number | undefined {
  const longest = needle.reduce((found, line) => (line.length > found.length ? line : found), "");
  if (longest.length < 4) return undefined;
  const place = needle.indexOf(longest);
  const scores = new Map(lines.map((line, at) => [at - place, likeness(line.trim(), longest)]));
  const found = best(scores);
  return found !== undefined && found[1] >= LEAST_LIKENESS ? found[0] : undefined;
}

function best(scores: ReadonlyMap<number, number>): [number, number] | undefined {
  let found: [number, number] | undefined;
  for (const entry of scores) if (found === undefined || entry[1] > found[1]) found = entry;
  return found;
}
