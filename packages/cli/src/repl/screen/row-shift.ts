/** Finds where rows were added or removed, so that the rows below are moved by the terminal and not written again. */

export interface Shift {
  /** The first row that is added or removed. */
  readonly at: number;
  /** How many rows are added; negative if they are removed. */
  readonly by: number;
  /** The rows as they are after the move. */
  readonly rows: readonly string[];
}

/** Moving fewer bytes than this is not worth it. */
const LEAST_BYTES = 40;

/** Undefined if writing the rows again is as cheap. */
export function rowShift(before: readonly string[], after: readonly string[]): Shift | undefined {
  const by = after.length - before.length;
  if (by === 0) return undefined;
  const [longer, shorter] = by > 0 ? [after, before] : [before, after];
  const gap = Math.abs(by);
  // Bytes that stay if the rows from `at` on are moved, for each `at`.
  let kept = 0;
  for (let row = 0; row < shorter.length; row++) kept += sameBytes(longer[row + gap], shorter[row]);
  const unmoved = shorter.reduce((sum, line, row) => sum + sameBytes(longer[row], line), 0);
  let best = { at: 0, kept };
  for (let at = 1; at <= shorter.length; at++) {
    kept += sameBytes(longer[at - 1], shorter[at - 1]) - sameBytes(longer[at - 1 + gap], shorter[at - 1]);
    if (kept > best.kept) best = { at, kept };
  }
  if (best.kept < unmoved + LEAST_BYTES) return undefined;
  const { at } = best;
  const rows =
    by > 0
      ? [...before.slice(0, at), ...Array.from({ length: by }, () => ""), ...before.slice(at)]
      : [...before.slice(0, at), ...before.slice(at - by)];
  return { at, by, rows };
}

function sameBytes(one: string | undefined, other: string | undefined): number {
  return one !== undefined && one === other ? one.length : 0;
}
