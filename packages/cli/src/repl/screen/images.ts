/**
 * Images in terminals that draw them: kitty's protocol for PNG, iTerm2's for all kinds, and sixel for all kinds. An entry
 * of the transcript has a placeholder, which is replaced when the entry is printed. An image is small and indented, so that
 * it cannot imitate a part of the program.
 */

import { randomUUID } from "node:crypto";
import { encodeITerm2, encodeKitty, getCellDimensions } from "@earendil-works/pi-tui";
import { type TerminalKind, terminalKind } from "./terminal-kind.ts";

export interface DrawnImage {
  readonly mediaType: string;
  readonly base64: string;
  readonly size: { readonly widthPx: number; readonly heightPx: number } | undefined;
}

interface Cells {
  readonly columns: number;
  readonly rows: number;
}

interface Kept {
  /** Undefined while the image is converted; empty if that failed. */
  sequence: string | undefined;
  readonly rows: number;
}

const MOST_COLUMNS = 40;
const MOST_ROWS = 12;
const MOST_CHARS = 4_000_000;
const INDENT = 4;

let protocol: TerminalKind["images"] | "unknown" = "unknown";
let onConverted = (): void => {};

/** How the terminal draws images, if the environment does not say it. */
export function setImages(given: TerminalKind["images"] | "unknown"): void {
  protocol = given;
}

/** The terminal has said that it draws sixel images. Its other protocols are better. */
export function canDrawSixel(): void {
  if (imageProtocol() === undefined) protocol = "sixel";
}

/** How the terminal draws images; undefined if it does not. */
function imageProtocol(): TerminalKind["images"] {
  if (protocol === "unknown") protocol = terminalKind(process.env).images;
  return protocol;
}

/** Calls back when an image can be printed that could not be printed before. */
export function whenConverted(callback: () => void): void {
  onConverted = callback;
}

/** Private characters, and a word that no text can know. */
const MARK = `\u{10fffd}${randomUUID().slice(0, 8)}.`;
const kept = new Map<string, Kept>();
/** Images that are never printed, such as those of a call that was folded, are dropped. */
const MOST_KEPT = 20;
let count = 0;

/** A line that becomes the image when it is printed; undefined if the terminal cannot draw it. */
export function imageLine({ mediaType, base64, size }: DrawnImage): string | undefined {
  const how = imageProtocol();
  const isDrawable = size !== undefined && base64.length <= MOST_CHARS && /^[\w+/]+=*$/.test(base64);
  if (!isDrawable || how === undefined) return undefined;
  if (how === "kitty" && mediaType !== "image/png") return undefined;
  const cells = cellsOf(size);
  const { columns, rows } = cells;
  const name = `${MARK}${++count}`;
  if (how === "kitty")
    kept.set(name, { sequence: encodeKitty(base64, { columns, rows, moveCursor: false }), rows });
  else if (how === "iterm")
    kept.set(name, { sequence: encodeITerm2(base64, { width: columns, height: rows }), rows });
  else convert(name, base64, cells);
  const [oldest] = kept.keys();
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  return name;
}

/** Converts an image to sixel in the background. */
function convert(name: string, base64: string, { columns, rows }: Cells): void {
  const image: Kept = { sequence: undefined, rows };
  kept.set(name, image);
  const { widthPx, heightPx } = getCellDimensions();
  const [width, height] = [columns * widthPx, rows * heightPx];
  void converted(base64, width, height).then((sequence) => {
    image.sequence = sequence;
    onConverted();
  });
}

/** Resolves with an empty text if the image cannot be decoded. */
async function converted(base64: string, width: number, height: number): Promise<string> {
  try {
    const [{ imagePixels }, { encodeSixel }] = await Promise.all([
      import("@runahead/harness/internal"),
      import("./sixel.ts"),
    ]);
    const bytes = await imagePixels({ base64, width, height });
    return bytes === undefined ? "" : encodeSixel({ bytes, width, height });
  } catch {
    return "";
  }
}

/** What to write for a line of the transcript that stands for an image; undefined for any other line. Once per image. */
export function imageBytes(line: string): string | undefined {
  const name = line.trim();
  if (!name.startsWith(MARK)) return undefined;
  const { sequence = "", rows = 0 } = kept.get(name) ?? {};
  kept.delete(name);
  if (sequence === "") return "";
  // Makes room first: an image at the last row would scroll the screen.
  return `${"\r\n".repeat(rows)}\u001b[${rows}A\u001b[${INDENT}C\u001b7${sequence}\u001b8\u001b[${rows}B\r`;
}

/** Whether the line stands for an image. */
export function isImageLine(line: string): boolean {
  return line.trim().startsWith(MARK);
}

/** Whether the line stands for an image that cannot be printed yet. */
export function isImagePending(line: string): boolean {
  const image = kept.get(line.trim());
  return image !== undefined && image.sequence === undefined;
}

/** The size in cells, with the proportions of the image and never larger than the image. */
function cellsOf(size: { readonly widthPx: number; readonly heightPx: number }): Cells {
  const cell = getCellDimensions();
  const wide = Math.max(1, size.widthPx / cell.widthPx);
  const high = Math.max(1, size.heightPx / cell.heightPx);
  const scale = Math.min(1, MOST_COLUMNS / wide, MOST_ROWS / high);
  return { columns: Math.max(1, Math.round(wide * scale)), rows: Math.max(1, Math.round(high * scale)) };
}
