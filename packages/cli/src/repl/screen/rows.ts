/** Rows that a narrow terminal wraps instead of cutting: the title of a panel, help on its keys, and lists of two columns. */

import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import { dim, yellow } from "./style.ts";
import { columnsOf, wordWrap } from "./wrap.ts";

/** A title can come from the model. A longer one would fill the screen. */
const MOST_TITLE_ROWS = 3;
const MARK = "─ ";
/** A window that becomes narrower wraps a longer one into many rows. */
const MOST_RULE = 80;
/** In lower windows a ruler is short, so that the input line still fits above the fold when it is wrapped. */
const USUAL_ROWS = 20;
const LOW_RULE = 20;

/** How long a ruler is. */
export function ruleColumns(width: number, rows = USUAL_ROWS): number {
  return Math.min(width, rows < USUAL_ROWS ? LOW_RULE : MOST_RULE);
}

/** `─ Title ────────`, in as many rows as it needs. */
export function titleRows(title: string, width: number): string[] {
  const inner = Math.max(1, width - visibleWidth(MARK) - 1);
  const all = wordWrap(title, inner);
  const rows = all.slice(0, MOST_TITLE_ROWS);
  if (all.length > rows.length) rows[rows.length - 1] = `${cutTo(rows.at(-1) ?? "", inner - 1)}…`;
  return rows.map((row, at) => {
    const text = `${at === 0 ? MARK : "  "}${row}`;
    return yellow(cutTo(at === rows.length - 1 ? ruled(text, ruleColumns(width)) : text, width));
  });
}

/** The start of a plain text, with `end` if there is more. The styles around it go on. */
export function cutTo(text: string, width: number, end = ""): string {
  return truncateToWidth(text, Math.max(0, width), end).replaceAll("\u001b[0m", "");
}

function ruled(text: string, width: number): string {
  const left = width - visibleWidth(text) - 1;
  return left > 0 ? `${text} ${"─".repeat(left)}` : text;
}

/** Help on keys, such as `Enter to choose, Esc to cancel`. A row ends after a comma. */
export function helpRows(help: string, width: number): string[] {
  const rows: string[] = [];
  let row = "";
  for (const part of help.split(/(?<=,) /)) {
    const longer = row === "" ? part : `${row} ${part}`;
    const isFull = row !== "" && columnsOf(longer) > width;
    if (isFull) rows.push(row);
    row = isFull ? part : longer;
  }
  return [...rows, row].flatMap((one) => wordWrap(one, width)).map(dim);
}

/** A line of two columns: a short first one, at least two spaces, and a text. Styles count as letters. */
const COLUMNS = /^(\s*\S.{0,40}?\s{2,})(\S.*)$/u;
/** The second column has at least this part of the row. */
const LEAST_TEXT = 0.5;

/** Wraps between words: below the second column of a line that has two, otherwise indented further than the line. */
export function hangingWrap(line: string, width: number): string[] {
  return columnRows(line, width) ?? indentedWrap(line, width);
}

/** Wraps below the second column. Undefined for a line without two columns, and if the second one would be narrow. */
export function columnRows(line: string, width: number): string[] | undefined {
  const [, first = "", text = ""] = COLUMNS.exec(line) ?? [];
  const indent = visibleWidth(first);
  if (text === "" || indent > width * (1 - LEAST_TEXT)) return undefined;
  return wordWrap(text, width - indent).map((row, at) => `${at === 0 ? first : " ".repeat(indent)}${row}`);
}

const LEAST_INDENTED = 10;

/** Indents what follows further than the line, so that it does not look like a line of its own. */
function indentedWrap(line: string, width: number): string[] {
  const text = line.trimStart();
  const indent = line.length - text.length;
  if (indent === 0 || width < LEAST_INDENTED || 2 * indent > width * LEAST_TEXT) return wordWrap(line, width);
  const rows = wordWrap(text, width - 2 * indent);
  return rows.map((row, at) => `${" ".repeat(at === 0 ? indent : 2 * indent)}${row}`);
}
