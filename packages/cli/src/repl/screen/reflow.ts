/**
 * What a narrower window does to rows that are on the screen. Most terminals wrap them, which pushes rows at the top of the
 * screen into the scrollback, where nothing can be erased. The program plans for a window that shrinks in one step to 20
 * columns, or to half its width if that is narrower.
 */

import { visibleWidth } from "@earendil-works/pi-tui";
import { dim } from "./style.ts";

/** In narrower windows nothing can be read. */
const LEAST_COLUMNS = 20;

/** How many rows these lines take more if the window shrinks. */
export function addedRows(lines: readonly string[], columns: number): number {
  const narrow = Math.max(1, Math.min(Math.ceil(columns / 2), LEAST_COLUMNS));
  return lines.reduce((sum, line) => sum + Math.max(0, Math.ceil(visibleWidth(line) / narrow) - 1), 0);
}

/** The end of the lines, as many as fit into the rows even if the window shrinks, and how many are left out. */
export function endThatFits(
  lines: readonly string[],
  { rows, columns }: { readonly rows: number; readonly columns: number },
): string[] {
  let used = 0;
  const from = lines.findLastIndex((line) => (used += 1 + addedRows([line], columns)) > rows);
  if (from < 0) return [...lines];
  const [first, ...rest] = lines.slice(from + 1);
  const left = from + (first === undefined ? 1 : 2);
  return [rowsAbove(left), ...rest];
}

/** Stands for rows that are left out. */
export function rowsAbove(count: number): string {
  return dim(`… ${count} rows above`);
}
