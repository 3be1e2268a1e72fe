/** A diff as lines with numbers and colours. */

import type { FileDiff } from "@runahead/harness";
import { stripLine } from "../../shared/safe-text.ts";
import { counted } from "../../shared/words.ts";
import { dim, green, red } from "../screen/style.ts";

type Hunks = Extract<FileDiff, { type: "hunks" }>;
type Paint = (text: string) => string;

/** Highlights the code of a line; default: as it is. */
type PaintCode = (code: string) => string;

interface DiffOptions {
  /** At most this many lines are shown. */
  readonly most: number;
  readonly paint?: PaintCode | undefined;
}

const NUMBER_COLUMNS = 4;
/** Stands between two places of a file. */
const GAP = `${" ".repeat(NUMBER_COLUMNS - 1)}⋮`;
const PAINTS: Readonly<Record<string, Paint>> = { "+": green, "-": red };

/** The number of changed lines, then the lines: numbered as in the new file, removed ones as in the old file. */
export function diffLines(diff: FileDiff, options: DiffOptions): string[] {
  if (diff.type === "left-out") return [dim("(too different to compare)")];
  const all = hunkLines(diff, options.paint);
  const more = all.length - options.most;
  const shown =
    more > 1 ? [...all.slice(0, options.most), dim(`… ${counted(more, "more line")} (Ctrl+O to open)`)] : all;
  return [dim(`+${diff.added} −${diff.removed} lines`), ...shown];
}

/** The lines of all hunks, with a mark between two hunks that do not touch. */
function hunkLines({ hunks }: Pick<Hunks, "hunks">, paint?: PaintCode): string[] {
  return hunks.flatMap(({ oldStart, newStart, lines }, at) => {
    let before = oldStart;
    let after = newStart;
    const shown = lines.map((line) => {
      // `\ No newline at end of file` is about the line before it.
      if (line.startsWith("\\"))
        return dim(`${" ".repeat(NUMBER_COLUMNS + 3)}${stripLine(line.slice(1)).trim()}`);
      const number = line.startsWith("-") ? before : after;
      if (!line.startsWith("+")) before++;
      if (!line.startsWith("-")) after++;
      return numbered(line, number, paint);
    });
    return at === 0 ? shown : [dim(GAP), ...shown];
  });
}

function numbered(line: string, number: number, paint: PaintCode | undefined): string {
  const sign = line.slice(0, 1);
  const code = stripLine(line.slice(1));
  const start = `${String(number).padStart(NUMBER_COLUMNS)} ${sign} `;
  const colour = PAINTS[sign] ?? dim;
  // Only the new code is in the colours of its language: removed lines are red, and lines around them are dim.
  return sign === "+" && paint !== undefined ? `${colour(start)}${paint(code)}` : colour(`${start}${code}`);
}
