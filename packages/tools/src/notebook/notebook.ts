/** Parses a Jupyter notebook into cells with their positions in the file. */

import { type JsonRange, itemsOf, membersOf } from "../files/json-ranges.ts";
import { Refusal } from "../shared/refusal.ts";

export type CellType = "code" | "markdown" | "raw";

export interface Cell {
  /** The cell's own id, or `cell-N` by position if the notebook has no ids. */
  readonly id: string;
  readonly type: string;
  readonly source: string;
  readonly outputs: readonly unknown[];
  /** Range of the whole cell in the file. */
  readonly range: JsonRange;
}

export interface Notebook {
  readonly cells: readonly Cell[];
  readonly language: string;
  /** Whether cells have ids in the file. */
  readonly hasIds: boolean;
  readonly cellsRange: JsonRange;
}

interface RawCell {
  readonly id?: unknown;
  readonly cell_type?: unknown;
  readonly source?: unknown;
  readonly outputs?: unknown;
}

interface RawNotebook {
  readonly cells?: unknown;
  readonly nbformat?: unknown;
  readonly nbformat_minor?: unknown;
  readonly metadata?: { readonly language_info?: { readonly name?: unknown } };
}

export function parseNotebook(name: string, text: string): Notebook {
  const raw = parse(name, text);
  const cellsRange = membersOf(text, 0).find(({ key }) => key === "cells")?.value;
  if (!Array.isArray(raw.cells) || cellsRange === undefined)
    throw new Refusal(`${name} is not a notebook of format 4: it has no "cells" array.`);
  const ranges = itemsOf(text, cellsRange.start);
  const cells = raw.cells.map((cell, at) => toCell(cell as RawCell, at, ranges[at] as JsonRange));
  const language = raw.metadata?.language_info?.name;
  const minor = Number(raw.nbformat_minor ?? 0);
  return {
    cells,
    language: typeof language === "string" ? language : "python",
    hasIds: Number(raw.nbformat ?? 4) > 4 || minor >= 5,
    cellsRange,
  };
}

function parse(name: string, text: string): RawNotebook {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch (error) {
    throw new Refusal(`${name} is not a notebook: it is not valid JSON (${(error as Error).message}).`);
  }
  if (typeof raw !== "object" || raw === null || Array.isArray(raw))
    throw new Refusal(`${name} is not a notebook: it is not a JSON object.`);
  return raw;
}

function toCell(cell: RawCell | null, at: number, range: JsonRange): Cell {
  const { id, cell_type, source, outputs } = cell ?? {};
  return {
    id: typeof id === "string" && id !== "" ? id : `cell-${at}`,
    type: typeof cell_type === "string" ? cell_type : "raw",
    source: joined(source),
    outputs: Array.isArray(outputs) ? outputs : [],
    range,
  };
}

/** Notebooks store text as a string or as an array of lines. */
export function joined(text: unknown): string {
  if (typeof text === "string") return text;
  return Array.isArray(text) ? text.filter((line) => typeof line === "string").join("") : "";
}
