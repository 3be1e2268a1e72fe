/**
 * Images in terminals that draw them: kitty's protocol for PNG, and iTerm2's for all kinds. An entry of the transcript
 * has a placeholder, which is replaced when the entry is printed. An image is small and indented, so that it cannot
 * imitate a part of the program.
 */

import { randomUUID } from "node:crypto";
import { encodeITerm2, encodeKitty, getCellDimensions } from "@earendil-works/pi-tui";
import { type TerminalKind, terminalKind } from "./terminal-kind.ts";

export interface DrawnImage {
  readonly mediaType: string;
  readonly base64: string;
  readonly size: { readonly widthPx: number; readonly heightPx: number } | undefined;
}

interface Kept {
  readonly sequence: string;
  readonly rows: number;
}

const MOST_COLUMNS = 40;
const MOST_ROWS = 12;
const MOST_CHARS = 4_000_000;
const INDENT = 4;

let protocol: TerminalKind["images"] | "unknown" = "unknown";

/** For tests: how the terminal draws images. */
export function setImages(given: TerminalKind["images"] | "unknown"): void {
  protocol = given;
}

/** Private characters, and a word that no text can know. */
const MARK = `\u{10fffd}${randomUUID().slice(0, 8)}.`;
const kept = new Map<string, Kept>();
/** Images that are never printed, such as those of a call that was folded, are dropped. */
const MOST_KEPT = 20;
let count = 0;

/** A line that becomes the image when it is printed; undefined if the terminal cannot draw it. */
export function imageLine({ mediaType, base64, size }: DrawnImage): string | undefined {
  if (protocol === "unknown") protocol = terminalKind(process.env).images;
  const isDrawable = size !== undefined && base64.length <= MOST_CHARS && /^[\w+/]+=*$/.test(base64);
  if (!isDrawable || protocol === undefined || protocol === "sixel") return undefined;
  if (protocol === "kitty" && mediaType !== "image/png") return undefined;
  const { columns, rows } = cellsOf(size);
  const sequence =
    protocol === "kitty"
      ? encodeKitty(base64, { columns, rows, moveCursor: false })
      : encodeITerm2(base64, { width: columns, height: rows });
  const name = `${MARK}${++count}`;
  kept.set(name, { sequence, rows });
  const [oldest] = kept.keys();
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  return name;
}

/** What to write for a line of the transcript that stands for an image; undefined for any other line. Once per image. */
export function imageBytes(line: string): string | undefined {
  const name = line.trim();
  if (!name.startsWith(MARK)) return undefined;
  const image = kept.get(name);
  kept.delete(name);
  if (image === undefined) return "";
  const { sequence, rows } = image;
  // Makes room first: an image at the last row would scroll the screen.
  return `${"\r\n".repeat(rows)}\u001b[${rows}A\u001b[${INDENT}C\u001b7${sequence}\u001b8\u001b[${rows}B\r`;
}

/** Whether the line stands for an image. */
export function isImageLine(line: string): boolean {
  return line.trim().startsWith(MARK);
}

/** The size in cells, with the proportions of the image and never larger than the image. */
function cellsOf(size: { readonly widthPx: number; readonly heightPx: number }): {
  readonly columns: number;
  readonly rows: number;
} {
  const cell = getCellDimensions();
  const wide = Math.max(1, size.widthPx / cell.widthPx);
  const high = Math.max(1, size.heightPx / cell.heightPx);
  const scale = Math.min(1, MOST_COLUMNS / wide, MOST_ROWS / high);
  return { columns: Math.max(1, Math.round(wide * scale)), rows: Math.max(1, Math.round(high * scale)) };
}
