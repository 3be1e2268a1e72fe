/** Reads a page of a text file. Large files are scanned with constant memory and a limit per call. */

import type { AgentFiles } from "./agent-files.ts";
import { decode, encodingOf, isBinary } from "./file-text.ts";
import type { OpenFile } from "./open-file.ts";
import { LINE_CHARS, LinePage, type Wish } from "./read-lines.ts";
import { Refusal } from "../shared/refusal.ts";

export interface ReadText {
  readonly type: "text";
  /** The number of the first line that was read, from 1. */
  readonly firstLine: number;
  /** The lines, without line breaks. */
  readonly lines: readonly string[];
  /** How many lines the file has; undefined if it was not read to its end. */
  readonly totalLines?: number;
  /** Notes for the model after the lines. */
  readonly notes: readonly string[];
}

/** How much of a file one call scans; the next call continues from there. */
const SCAN_BYTES = 1024 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;
const STATUS_BYTES = 128 * 1024 * 1024;

export interface TextWish extends Wish {
  readonly name: string;
}

export function readSmallText(wish: TextWish, bytes: Buffer): ReadText {
  refuseBinary(wish.name, bytes, bytes.length);
  if (bytes.length === 0)
    return { type: "text", firstLine: 1, lines: [], totalLines: 0, notes: [`${wish.name} is empty.`] };
  const encoding = encodingOf(bytes);
  const page = new LinePage(wish, { line: 1, byte: 0, isInside: false });
  page.feed(encoding === "bytes" || encoding === "utf-8" ? bytes : Buffer.from(decode(bytes).text, "utf8"));
  page.end();
  return toRead(wish, page, { type: "whole", lines: page.line - 1 });
}

export interface LargeFile extends OpenFile {
  readonly path: string;
  readonly files: AgentFiles;
}

export interface Reading {
  readonly signal: AbortSignal;
  readonly progress: (data: unknown) => void;
}

export async function readLargeText(wish: TextWish, file: LargeFile, reading: Reading): Promise<ReadText> {
  const { handle, stats, path, files } = file;
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const { bytesRead: sniffed } = await handle.read(chunk, 0, 8_192, 0);
  refuseBinary(wish.name, chunk.subarray(0, sniffed), stats.size);
  if (encodingOf(chunk.subarray(0, sniffed - (sniffed % 2))).startsWith("utf-16"))
    throw new Refusal(
      `${wish.name} was not read: UTF-16 files of ${stats.size} bytes are too large. Convert it to UTF-8 first, for example with iconv.`,
    );
  const from = files.pointBefore(path, stats, wish.offset);
  const page = new LinePage(wish, from);
  let scanned = 0;
  let isEnded = false;
  while (!page.isFull && scanned < SCAN_BYTES && !isEnded) {
    reading.signal.throwIfAborted();
    const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES, from.byte + scanned);
    page.feed(chunk.subarray(0, bytesRead));
    scanned += bytesRead;
    isEnded = bytesRead === 0;
    if (scanned % STATUS_BYTES === 0 && scanned > 0)
      reading.progress({ type: "status", message: `Scanned ${scanned} bytes, up to line ${page.line}` });
  }
  files.notePoint(path, stats, page.point);
  if (isEnded) page.end();
  else if (!page.isFull) page.stop();
  return toRead(
    wish,
    page,
    isEnded ? { type: "whole", lines: page.line - 1 } : { type: "part", size: stats.size },
  );
}

/** How much of the file was scanned. */
type Extent =
  | { readonly type: "whole"; readonly lines: number }
  | { readonly type: "part"; readonly size: number };

function toRead(wish: TextWish, page: LinePage, extent: Extent): ReadText {
  const notes = [...aboutEnd(wish, page, extent), ...aboutLines(page)];
  const total = extent.type === "whole" ? { totalLines: extent.lines } : {};
  return { type: "text", firstLine: wish.offset, lines: page.lines, ...total, notes };
}

function aboutEnd({ name, offset }: TextWish, page: LinePage, extent: Extent): string[] {
  const readOn = `Continue with offset ${page.nextLine}.`;
  if (extent.type === "whole") {
    if (offset > extent.lines)
      return [`${name} has only ${extent.lines} lines; offset ${offset} is past the end.`];
    const more = extent.lines - page.nextLine + 1;
    return more === 0 ? [] : [`${more} more of ${extent.lines} lines. ${readOn}`];
  }
  if (page.lines.length === 0)
    return [
      `Line ${offset} was not reached: one call scans ${SCAN_BYTES} bytes, and this one got to line ${page.line}. ` +
        "Call again with the same offset to continue the scan.",
    ];
  return [`The file continues (${extent.size} bytes in total). ${readOn}`];
}

function aboutLines({ cut, hasInvalid, hasNul }: LinePage): string[] {
  return [
    ...(cut > 0
      ? [
          `${cut === 1 ? "1 line is" : `${cut} lines are`} longer than ${LINE_CHARS} characters and cut. Use Grep to find text in the rest.`,
        ]
      : []),
    ...(hasInvalid ? ["Bytes that are not valid UTF-8 are shown as \uFFFD."] : []),
    ...(hasNul ? ["NUL bytes are shown as ␀."] : []),
  ];
}

function refuseBinary(name: string, beginning: Buffer, size: number): void {
  if (isBinary(beginning)) throw new Refusal(`${name} was not read: it is a binary file (${size} bytes).`);
}

/** The format of `cat -n`. */
export function textResult({ firstLine, lines, notes }: ReadText): string {
  const numbered = lines.map((line, at) => `${String(firstLine + at).padStart(6)}\t${line}`);
  const said = notes.map((note) => `[${note}]`);
  return [...numbered, ...(numbered.length > 0 && said.length > 0 ? [""] : []), ...said].join("\n");
}
