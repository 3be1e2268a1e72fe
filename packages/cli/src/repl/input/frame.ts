/** The frame of the input line: a mark at its start, the permission mode in words, and how to see the keys. */

import { visibleWidth } from "@earendil-works/pi-tui";
import { modeWords } from "../../shared/offered-modes.ts";
import { strip } from "../../shared/safe-text.ts";
import { cyan, dim, yellow } from "../screen/style.ts";

/** Columns before the text. */
export const MARK_COLUMNS = 2;
const HINT = "? for keys";
/** Fewer columns than this between the two texts would look like one. */
const LEAST_GAP = 3;

interface Framed {
  /** How long the rulers are. */
  readonly width: number;
  /** Undefined before the conversation starts. */
  readonly mode: string | undefined;
  /** A state of the input line, such as that of vim mode; empty for none. */
  readonly state: string;
  readonly hasHint: boolean;
}

/** Draws the mark and the texts into the lines of the editor. Its first line is the upper border. */
export function framed(lines: readonly string[], { width, mode, state, hasHint }: Framed): string[] {
  const [border = "", first = "", ...rest] = lines.map((line) => shortRule(line, width));
  const marked = first.startsWith(" ".repeat(MARK_COLUMNS)) ? `${cyan("›")}${first.slice(1)}` : first;
  // The editor says there how much of the text is above.
  if (border.includes("↑") || mode === undefined) return [border, marked, ...rest];
  return [borderOf({ width, mode, state, hasHint }) ?? border, marked, ...rest];
}

/** Cuts a ruler. The text of the user is indented. */
function shortRule(line: string, width: number): string {
  const plain = strip(line);
  return plain.startsWith("─") && visibleWidth(plain) > width ? dim(plain.slice(0, width)) : line;
}

function borderOf({ width, mode = "", state, hasHint }: Framed): string | undefined {
  const { name, meaning } = modeWords(mode);
  const paint = mode === "plan" ? cyan : mode === "default" ? dim : yellow;
  const end = state === "" ? "" : ` · ${state}`;
  for (const words of [`${name}: ${meaning}${end}`, `${name}${end}`]) {
    for (const hint of hasHint ? [` ${HINT} `, ""] : [""]) {
      const gap = width - visibleWidth(words) - hint.length - 5;
      if (gap < LEAST_GAP) continue;
      return `${dim("── ")}${paint(words)}${dim(` ${"─".repeat(gap)}${hint}─`)}`;
    }
  }
  return undefined;
}
