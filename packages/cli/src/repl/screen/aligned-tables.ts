/**
 * Tables whose columns are aligned as the markdown says: `:--`, `:-:`, `--:`, where pi-tui aligns every column to the left.
 * A table whose columns would break words is shown row by row. Long lines of code blocks are wrapped within the block.
 */

import { Markdown, type MarkdownTheme, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { strip } from "../../shared/safe-text.ts";
import { bold } from "./style.ts";

type Align = "left" | "center" | "right" | null;

interface Cell {
  readonly tokens?: readonly unknown[];
}

interface TableToken {
  readonly align: readonly Align[];
  readonly header: readonly Cell[];
  readonly rows: readonly (readonly Cell[])[];
}

/** The methods of pi-tui that draw a table. They are private, so a test checks that they are still there. */
interface DrawsTables {
  renderTable: (
    this: Markdown,
    token: TableToken,
    width: number,
    nextType: string | undefined,
    style: unknown,
  ) => string[];
  renderInlineTokens: (this: Markdown, tokens: readonly unknown[], style: unknown) => string;
}

const drawTable = (Markdown.prototype as unknown as DrawsTables).renderTable;

/** Of a longer word, pi-tui breaks the rest. */
const LONGEST_WORD = 30;
/** The borders of a table: before each cell, and after the last one. */
const BORDER = 3;
const ROW_INDENT = 2;
const RULE_WIDTH = 40;

/** What pi-tui puts before each line of a code block. */
const CODE_INDENT = 2;

/** Long lines of code stay within the indent of their block, which pi-tui gives only to the first row of a line. */
export class AlignedMarkdown extends Markdown {
  readonly #size: { width: number };

  constructor(text: string, theme: MarkdownTheme & Required<Pick<MarkdownTheme, "highlightCode">>) {
    const size = { width: Number.POSITIVE_INFINITY };
    const highlightCode: MarkdownTheme["highlightCode"] = (code, language) =>
      theme
        .highlightCode(code, language)
        .flatMap((line) => wrapTextWithAnsi(line, Math.max(1, size.width - CODE_INDENT)));
    super(text, 0, 0, { ...theme, highlightCode });
    this.#size = size;
    const drawn = this as unknown as DrawsTables;
    drawn.renderTable = (token, tableWidth, nextType, style) => {
      const textOf = ({ tokens = [] }: Cell): string => drawn.renderInlineTokens.call(this, tokens, style);
      const cells = { header: token.header.map(textOf), rows: token.rows.map((row) => row.map(textOf)) };
      if (cells.rows.length === 0 || !breaksWords(cells, tableWidth))
        return alignedTable(drawTable.call(this, token, tableWidth, nextType, style), token.align);
      const isFollowed = nextType !== undefined && nextType !== "space";
      return [...rowByRow(cells, tableWidth), ...(isFollowed ? [""] : [])];
    };
  }

  override render(width: number): string[] {
    this.#size.width = width;
    return super.render(width);
  }
}

interface Cells {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Whether the longest words of all columns do not fit next to each other. One column alone is as wide as it can be. */
function breaksWords({ header, rows }: Cells, width: number): boolean {
  const longest = (text: string): number =>
    Math.min(LONGEST_WORD, Math.max(1, ...strip(text).split(/\s+/).map(visibleWidth)));
  const columns = header.map((name, at) =>
    Math.max(longest(name), ...rows.map((row) => longest(row[at] ?? ""))),
  );
  const least = columns.reduce((sum, one) => sum + one + BORDER, 1);
  return header.length > 1 && least > width;
}

/** Each cell on rows of its own, after the name of its column. */
function rowByRow({ header, rows }: Cells, width: number): string[] {
  const rule = "─".repeat(Math.min(width, RULE_WIDTH));
  return rows.flatMap((row, at) => [
    ...(at === 0 ? [] : [rule]),
    ...row.flatMap((cell, column) => {
      const name = header[column] ?? "";
      if (strip(cell).trim() === "") return [];
      const text = strip(name).trim() === "" ? cell : `${bold(name)}${bold(":")} ${cell}`;
      const [first = "", ...more] = wrapTextWithAnsi(text, Math.max(1, width - ROW_INDENT));
      return [first, ...more.map((line) => `${" ".repeat(ROW_INDENT)}${line}`)];
    }),
  ]);
}

/** Moves the spaces of each cell. `lines` are those of a table, with its borders. */
function alignedTable(lines: readonly string[], align: readonly Align[]): string[] {
  const border = lines[0] ?? "";
  if (!border.startsWith("┌") || align.every((one) => one === null || one === "left")) return [...lines];
  const widths = border.slice(2, -2).split("─┬─").map(visibleWidth);
  return lines.map((line) => (line.startsWith("│") ? alignedRow(line, widths, align) : line));
}

function alignedRow(line: string, widths: readonly number[], align: readonly Align[]): string {
  const cells = cellsOf(line, widths).map((cell, at) => alignedCell(cell, align[at] ?? null));
  return `│ ${cells.join(" │ ")} │`;
}

// oxlint-disable-next-line no-control-regex -- our own styles
const PIECE = /\u001b\[[\d;]*m|[^\u001b]+/g;
const LETTERS = new Intl.Segmenter();

/** The cells of a row by their columns, because a cell can contain the character of the border. */
function cellsOf(line: string, widths: readonly number[]): string[] {
  const cells = widths.map(() => "");
  const ends = widths.map((_, at) => widths.slice(0, at + 1).reduce((sum, width) => sum + width + 3, -1));
  let column = 0;
  for (const [piece] of line.matchAll(PIECE)) {
    const letters = piece.startsWith("\u001b")
      ? [piece]
      : [...LETTERS.segment(piece)].map((one) => one.segment);
    for (const letter of letters) {
      const width = piece.startsWith("\u001b") ? 0 : visibleWidth(letter);
      const cell = ends.findIndex((end) => column < end || (width === 0 && column === end));
      const isInside = cell >= 0 && (width === 0 || column >= (ends[cell] ?? 0) - (widths[cell] ?? 0));
      if (isInside) cells[cell] += letter;
      column += width;
    }
  }
  return cells;
}

/** The spaces can be inside of the styles of the text. */
function alignedCell(cell: string, align: Align): string {
  const text = strip(cell);
  const spaces = text.length - text.trimEnd().length;
  if (spaces === 0 || (align !== "right" && align !== "center")) return cell;
  const before = align === "right" ? spaces : Math.floor(spaces / 2);
  const shorter = cell.replace(/ +((?:\u001b\[[\d;]*m)*)$/, (_, styles: string) => styles); // oxlint-disable-line no-control-regex -- our own styles
  return `${" ".repeat(before)}${shorter}${" ".repeat(spaces - before)}`;
}
