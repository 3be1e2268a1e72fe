/** Formats a notebook for the model: each cell with its text output and images. */

import type { ResultBlock } from "@runahead/engine";
import { type Cell, joined, parseNotebook } from "./notebook.ts";
import { type ReadImage, readImage } from "../files/read-image.ts";

export interface ReadNotebook {
  readonly type: "notebook";
  /** The cells and their outputs, as the model reads them. */
  readonly blocks: readonly ResultBlock[];
}

const SOURCE_CHARS = 20_000;
/** Limit for all outputs of one cell. */
const OUTPUT_CHARS = 10_000;
/** After this many characters no further cell is shown. */
const CELLS_CHARS = 80_000;
const MOST_IMAGES = 8;

interface RawOutput {
  readonly output_type?: unknown;
  readonly text?: unknown;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly ename?: unknown;
  readonly evalue?: unknown;
  readonly traceback?: unknown;
}

export interface NotebookWish {
  readonly name: string;
  readonly text: string;
  /** Number of the first cell, from 1. */
  readonly offset: number;
  readonly limit: number;
}

export async function readNotebook(wish: NotebookWish, signal: AbortSignal): Promise<ReadNotebook> {
  const { cells, language } = parseNotebook(wish.name, wish.text);
  const blocks: ResultBlock[] = [];
  let chars = 0;
  let images = 0;
  let at = wish.offset - 1;
  for (; at < cells.length && at < wish.offset - 1 + wish.limit && chars < CELLS_CHARS; at++) {
    const cell = cells[at] as Cell;
    const text = cellText(cell, language);
    chars += text.length;
    blocks.push({ type: "text", text });
    for (const bytes of imagesOf(cell).slice(0, MOST_IMAGES - images)) {
      images++;
      blocks.push(await imageBlock(`in the output of cell ${cell.id}`, bytes, signal));
    }
  }
  blocks.push(...ending(wish, at, cells.length));
  return { type: "notebook", blocks };
}

function ending({ name, offset }: NotebookWish, at: number, count: number): ResultBlock[] {
  if (count === 0) return [{ type: "text", text: `(${name} has no cells.)` }];
  if (offset > count)
    return [{ type: "text", text: `(${name} has ${count} cells; offset ${offset} is past the end.)` }];
  if (at >= count) return [];
  return [{ type: "text", text: `[${count - at} more of ${count} cells. Continue with offset ${at + 1}.]` }];
}

function cellText(cell: Cell, language: string): string {
  const about = cell.type === "code" ? ` language="${language}"` : "";
  const head = `<cell id="${cell.id}" type="${cell.type}"${about}>\n${cut(cell.source, SOURCE_CHARS)}\n</cell>`;
  const printed = cell.outputs
    .map((output) => outputText(output as RawOutput | null))
    .filter((text) => text !== "");
  if (printed.length === 0) return head;
  return `${head}\n<output of="${cell.id}">\n${cut(printed.join("\n"), OUTPUT_CHARS)}\n</output>`;
}

function outputText(output: RawOutput | null): string {
  if (output?.output_type === "stream") return joined(output.text);
  if (output?.output_type === "error")
    return `${String(output.ename)}: ${String(output.evalue)}\n${joined(output.traceback)}`;
  return joined(output?.data?.["text/plain"]);
}

function imagesOf({ outputs }: Cell): Buffer[] {
  return outputs.flatMap((output) => {
    const data = (output as RawOutput | null)?.data;
    const base64 = joined(data?.["image/png"]) || joined(data?.["image/jpeg"]);
    return base64 === "" ? [] : [Buffer.from(base64, "base64")];
  });
}

/** An image that cannot be shown must not fail the whole notebook. */
async function imageBlock(name: string, bytes: Buffer, signal: AbortSignal): Promise<ResultBlock> {
  try {
    return toBlock(await readImage(name, bytes, signal));
  } catch (error) {
    signal.throwIfAborted();
    return { type: "text", text: `(${(error as Error).message})` };
  }
}

export function toBlock({ mediaType, base64 }: ReadImage): ResultBlock {
  return { type: "image", source: { type: "base64", media_type: mediaType, data: base64 } };
}

function cut(text: string, chars: number): string {
  return text.length <= chars
    ? text
    : `${text.slice(0, chars)}… [${text.length - chars} characters left out]`;
}
