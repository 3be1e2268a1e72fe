/** Changes cells in the text of a notebook file, so that the rest keeps its exact formatting. */

import { createHash } from "node:crypto";
import { type JsonRange, type Member, membersOf, replaceRanges } from "../files/json-ranges.ts";
import { type Cell, type CellType, type Notebook, parseNotebook } from "./notebook.ts";
import { Refusal } from "../shared/refusal.ts";

export interface CellEdit {
  readonly cellId: string | undefined;
  readonly source: string;
  readonly cellType: CellType | undefined;
  readonly mode: "replace" | "insert" | "delete";
}

export interface EditedNotebook {
  readonly text: string;
  readonly cellId: string;
  readonly type: "replaced" | "inserted" | "deleted";
}

export function editNotebook(name: string, text: string, edit: CellEdit): EditedNotebook {
  const notebook = parseNotebook(name, text);
  if (edit.mode === "insert") return insert(name, { text, notebook }, edit);
  if (edit.cellId === undefined)
    throw new Refusal(`cell_id is required to ${edit.mode} a cell. Read ${name} to see the ids.`);
  const cell = cellOf(name, notebook, edit.cellId);
  if (edit.mode === "delete")
    return { text: withoutCell(text, notebook, cell), cellId: cell.id, type: "deleted" };
  const by = replaced(text, cell, edit);
  return { text: by, cellId: cell.id, type: "replaced" };
}

interface Document {
  readonly text: string;
  readonly notebook: Notebook;
}

function cellOf(name: string, { cells }: Notebook, id: string): Cell {
  const cell = cells.find((one) => one.id === id) ?? cells[Number(/^cell-(\d+)$/.exec(id)?.[1] ?? -1)];
  if (cell !== undefined) return cell;
  const known = cells.slice(0, 20).map((one) => one.id);
  throw new Refusal(
    `${name} has no cell "${id}". Cells: ${known.join(", ")}${cells.length > known.length ? ` and ${cells.length - known.length} more` : ""}.`,
  );
}

function insert(name: string, { text, notebook }: Document, edit: CellEdit): EditedNotebook {
  if (edit.cellType === undefined)
    throw new Refusal('cell_type is required to insert a cell: "code" or "markdown".');
  const { cells, cellsRange } = notebook;
  const after = edit.cellId === undefined ? undefined : cellOf(name, notebook, edit.cellId);
  const id = newId(notebook, edit.source);
  const unit = indentationOf(text);
  const made = cellJson(
    { type: edit.cellType, source: edit.source, id: notebook.hasIds ? id : undefined },
    unit,
  );
  const place = unit === "" ? "" : `\n${unit.repeat(2)}`;
  const cellId = notebook.hasIds ? id : `cell-${after === undefined ? 0 : cells.indexOf(after) + 1}`;
  const done = { cellId, type: "inserted" } as const;
  if (after !== undefined) return { ...done, text: spliced(text, after.range.end, `,${place}${made}`) };
  if (cells[0] !== undefined)
    return { ...done, text: spliced(text, cells[0].range.start, `${made},${place}`) };
  const closing = unit === "" ? "" : `\n${unit}`;
  return { ...done, text: replaceRanges(text, [{ range: cellsRange, by: `[${place}${made}${closing}]` }]) };
}

function spliced(text: string, at: number, added: string): string {
  return text.slice(0, at) + added + text.slice(at);
}

/** Removes the cell and one adjacent comma. */
function withoutCell(text: string, { cells, cellsRange }: Notebook, cell: Cell): string {
  const at = cells.indexOf(cell);
  const before = cells[at - 1];
  const after = cells[at + 1];
  const range: JsonRange =
    before !== undefined
      ? { start: before.range.end, end: cell.range.end }
      : after !== undefined
        ? { start: cell.range.start, end: after.range.start }
        : { start: cellsRange.start + 1, end: cellsRange.end - 1 };
  return replaceRanges(text, [{ range, by: "" }]);
}

/** Replaces the source and clears the outputs. A cell that changes its type is created again. */
function replaced(text: string, cell: Cell, { source, cellType }: CellEdit): string {
  const members = membersOf(text, cell.range.start);
  const unit = indentationOf(text);
  const type = cellType ?? cell.type;
  if (type !== cell.type || !members.some(({ key }) => key === "source")) {
    const id = members.some(({ key }) => key === "id") ? cell.id : undefined;
    const metadata = valueOf(text, members, "metadata") ?? "{}";
    return replaceRanges(text, [{ range: cell.range, by: cellJson({ type, source, id, metadata }, unit) }]);
  }
  const news: Readonly<Record<string, string>> = {
    source: indented(sourceLines(source), unit, 3),
    ...(cell.type === "code" ? { outputs: "[]", execution_count: "null" } : {}),
  };
  const changes = members.flatMap(({ key, value }) => {
    const by = news[key];
    return by === undefined ? [] : [{ range: value, by }];
  });
  return replaceRanges(text, changes);
}

function valueOf(text: string, members: readonly Member[], key: string): string | undefined {
  const range = members.find((member) => member.key === key)?.value;
  return range === undefined ? undefined : text.slice(range.start, range.end);
}

interface NewCell {
  readonly type: string;
  readonly source: string;
  readonly id: string | undefined;
  /** JSON text, as in the file. */
  readonly metadata?: string;
}

function cellJson({ type, source, id, metadata = "{}" }: NewCell, unit: string): string {
  const members = [
    ["cell_type", JSON.stringify(type)],
    ...(type === "code" ? [["execution_count", "null"]] : []),
    ...(id === undefined ? [] : [["id", JSON.stringify(id)]]),
    ["metadata", metadata],
    ...(type === "code" ? [["outputs", "[]"]] : []),
    ["source", indented(sourceLines(source), unit, 3)],
  ];
  const colon = unit === "" ? ":" : ": ";
  const [open, between, close] =
    unit === "" ? ["{", ",", "}"] : [`{\n${unit.repeat(3)}`, `,\n${unit.repeat(3)}`, `\n${unit.repeat(2)}}`];
  return `${open}${members.map(([key, value]) => `"${key}"${colon}${value}`).join(between)}${close}`;
}

/** The notebook format: one string per line, with its line ending. */
function sourceLines(source: string): string[] {
  return source === "" ? [] : source.split(/(?<=\n)/);
}

function indented(value: readonly string[], unit: string, depth: number): string {
  const json = JSON.stringify(value, undefined, unit);
  return unit === "" ? json : json.replaceAll("\n", `\n${unit.repeat(depth)}`);
}

/** The indentation of the file; empty if it is on one line. */
function indentationOf(text: string): string {
  return /^\s*\{[^\S\n]*\r?\n([ \t]+)/.exec(text)?.[1] ?? "";
}

/** Deterministic, so that repeating a change gives the same id. */
function newId({ cells }: Notebook, source: string): string {
  for (let attempt = 0; ; attempt++) {
    const seed = `${cells.map(({ id }) => id).join(" ")}\n${attempt}\n${source}`;
    const id = createHash("sha256").update(seed).digest("hex").slice(0, 8);
    if (!cells.some((cell) => cell.id === id)) return id;
  }
}
