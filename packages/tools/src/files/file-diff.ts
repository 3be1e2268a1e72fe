/** What a change did to a file, line by line, for people to look at. */

import { structuredPatch } from "diff";

export interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** Each with ` `, `-` or `+` before it. */
  readonly lines: readonly string[];
}

export type FileDiff =
  | {
      readonly type: "hunks";
      readonly hunks: readonly Hunk[];
      readonly added: number;
      readonly removed: number;
    }
  /** The texts are too large, or too different, to compare them in time. */
  | { readonly type: "left-out" };

const LIMIT_MS = 250;
const MOST_CHARS = 4_000_000;
const MOST_LINES = 10_000;

export function fileDiff(before: string, after: string): FileDiff {
  if (before.length + after.length > MOST_CHARS) return { type: "left-out" };
  const patch = structuredPatch("", "", before, after, "", "", { context: 3, timeout: LIMIT_MS });
  if (patch === undefined) return { type: "left-out" };
  const hunks = patch.hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => ({
    oldStart,
    oldLines,
    newStart,
    newLines,
    lines,
  }));
  const lines = hunks.flatMap((hunk) => hunk.lines);
  if (lines.length > MOST_LINES) return { type: "left-out" };
  const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length;
  return { type: "hunks", hunks, added: count("+"), removed: count("-") };
}

/** As ` (+2 −1 lines)`; nothing where it is not known. */
export function diffWords(diff: FileDiff): string {
  return diff.type === "hunks" ? ` (+${diff.added} −${diff.removed} lines)` : "";
}
