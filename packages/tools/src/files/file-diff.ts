/** Computes what a change did to a file, line by line, for display. */

import { structuredPatch } from "diff";

/** A run of changed lines with the lines around them. */
export interface Hunk {
  /** Number of its first line in the old text, from 1. */
  readonly oldStart: number;
  /** How many lines of the old text it covers. */
  readonly oldLines: number;
  /** Number of its first line in the new text, from 1. */
  readonly newStart: number;
  /** How many lines of the new text it covers. */
  readonly newLines: number;
  /** The lines, each with ` `, `-` or `+` before it. */
  readonly lines: readonly string[];
}

/** What changed in a file, line by line. `left-out`: the texts are too large or too different to compare in time. */
export type FileDiff =
  | {
      readonly type: "hunks";
      /** The changed parts, in the order of the file. */
      readonly hunks: readonly Hunk[];
      /** Number of added lines. */
      readonly added: number;
      /** Number of removed lines. */
      readonly removed: number;
    }
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

/** For example ` (+2 −1 lines)`; empty if it is unknown. */
export function diffWords(diff: FileDiff): string {
  return diff.type === "hunks" ? ` (+${diff.added} −${diff.removed} lines)` : "";
}
