/**
 * Tables whose columns are aligned as the markdown says: `:--`, `:-:`, `--:`, where pi-tui aligns every column to the left;
 * and code blocks whose long lines are wrapped within the block.
 */

import { Markdown, type MarkdownTheme, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { strip } from "../../shared/safe-text.ts";

type Align = "left" | "center" | "right" | null;

interface TableToken {
  readonly align: readonly Align[];
}

/** The method of pi-tui that draws a table. It is private, so a test checks that it is still there. */
interface DrawsTables {
  renderTable: (this: Markdown, token: TableToken, ...rest: readonly unknown[]) => string[];
}

const drawTable = (Markdown.prototype as unknown as DrawsTables).renderTable;

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
    (this as unknown as DrawsTables).renderTable = (token, ...rest) =>
      alignedTable(drawTable.call(this, token, ...rest), token.align);
  }

  override render(width: number): string[] {
    this.#size.width = width;
    return super.render(width);
  }
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
