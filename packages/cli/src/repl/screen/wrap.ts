/** Wraps lines at a width that fits in every terminal. */

import { visibleWidth } from "@earendil-works/pi-tui";

const GRAPHEMES = new Intl.Segmenter();
/** A longer text is measured in pieces. */
const MOST_MEASURED = 1_000;
// oxlint-disable-next-line no-control-regex -- matches our own styles
const STYLED = /\u001b\[\d+m/g;
// oxlint-disable-next-line no-control-regex -- matches our own styles
const STYLE = /(\u001b\[\d+m)/;

/**
 * The width of a text in a terminal that draws the parts of a character side by side: an emoji of four people takes
 * eight columns there. Text that is wider than counted would be cut off.
 */
export function columnsOf(text: string): number {
  // oxlint-disable-next-line no-control-regex -- one column each
  if (/^[\u0020-\u007e]*$/.test(text)) return text.length;
  if (text.length > MOST_MEASURED) return piecesOf(text).reduce((sum, piece) => sum + columnsOf(piece), 0);
  const whole = visibleWidth(text);
  const parts = [...text].reduce((sum, character) => sum + widest(character), 0);
  return Math.max(whole, parts);
}

/** From this code point on, terminals disagree about widths: newer letters, symbols, emoji and their parts. */
const FIRST_WIDE = 0x1100;

function widest(character: string): number {
  if (character >= " " && character <= "~") return 1;
  if (/^[\u0300-\u036f]$/u.test(character)) return 0;
  return (character.codePointAt(0) ?? 0) < FIRST_WIDE ? Math.max(1, visibleWidth(character)) : 2;
}

/** One character can consist of any number of letters and marks. A wider one is split. */
const MOST_COLUMNS = 4;

/** Plain letters, and other characters with the letter before them. */
const RUNS = /[ -~]+(?![^ -~])|[ -~]?[^ -~]{1,400}|[ -~]/gu;

/** The time of the segmenter grows with the square of the length, so that it gets short runs. */
function piecesOf(text: string): string[] {
  return (text.match(RUNS) ?? []).flatMap((run) => {
    if (/^[ -~]+$/.test(run)) return [...run];
    return [...GRAPHEMES.segment(run)].flatMap(({ segment }) =>
      columnsOf(segment) > MOST_COLUMNS ? [...segment] : [segment],
    );
  });
}

/** Wraps between words. A word that is wider than a row is split. Styles go on in the next row. */
export function wordWrap(line: string, width: number): string[] {
  return wrapped(line, width, wordsOf).map((row) => row.trimEnd());
}

/** Wraps exactly at the width, so that no space is lost. Styles go on in the next row, which can be indented. */
export function hardWrap(line: string, width: number, indent = 0): string[] {
  return wrapped(line, width, piecesOf, indent < width / 2 ? indent : 0);
}

/** The columns of the number and the sign of a line of a diff. */
const NUMBERED = /^ *\d+ [-+ ] /;

/** Wraps a line of a diff below its code, so that no part of the code looks like a numbered line. */
export function diffWrap(line: string, width: number): string[] {
  return hardWrap(line, width, NUMBERED.exec(line.replaceAll(STYLED, ""))?.[0].length);
}

/** Whether this is a numbered line of a diff. */
export function isDiffLine(line: string): boolean {
  return NUMBERED.test(line.replaceAll(STYLED, ""));
}

/** Words that fit into a row, each with the spaces after it, which do not count. */
function wordsOf(text: string, width: number): string[] {
  return (text.match(/\s*\S+\s*|\s+/g) ?? []).flatMap((word) =>
    columnsOf(word.trimEnd()) > width ? piecesOf(word) : [word],
  );
}

type Split = (text: string, width: number) => string[];

function wrapped(line: string, width: number, split: Split, indent = 0): string[] {
  if (columnsOf(line.replaceAll(STYLED, "")) <= width) return [line];
  const rows: string[] = [""];
  let used = 0;
  let open: readonly string[] = [];
  for (const [at, part] of line.split(STYLE).entries()) {
    if (at % 2 === 1) {
      rows[rows.length - 1] += part;
      open = stylesAfter(open, part);
      continue;
    }
    for (const piece of split(part, width)) {
      const columns = columnsOf(piece);
      const needed = piece === " " ? columns : columnsOf(piece.trimEnd());
      if (used + needed > width && used > (rows.length > 1 ? indent : 0)) {
        rows[rows.length - 1] += closed(open);
        rows.push(`${" ".repeat(indent)}${open.join("")}`);
        used = indent;
      }
      rows[rows.length - 1] += piece;
      used += columns;
    }
  }
  return rows;
}

/** The code that ends each style. */
const ENDS: Readonly<Record<string, string>> = {
  "1": "22",
  "2": "22",
  "3": "23",
  "4": "24",
  "7": "27",
  "9": "29",
};

function endOf(style: string): string {
  return ENDS[style.slice(2, -1)] ?? "39";
}

/** The styles that are on after this code, in the order in which they began. */
function stylesAfter(open: readonly string[], style: string): readonly string[] {
  const code = style.slice(2, -1);
  if (code === "0") return [];
  const left = open.filter((one) => endOf(one) !== code);
  return left.length < open.length || /^(?:2[2-9]|39)$/.test(code) ? left : [...open, style];
}

function closed(open: readonly string[]): string {
  return open
    .toReversed()
    .map((style) => `\u001b[${endOf(style)}m`)
    .join("");
}
