/** Wraps lines at a width that fits in every terminal. */

import { visibleWidth } from "@earendil-works/pi-tui";

const GRAPHEMES = new Intl.Segmenter();
// oxlint-disable-next-line no-control-regex -- matches our own styles
const STYLED = /\u001b\[\d+m/g;

/**
 * The width of a text in a terminal that draws the parts of a character side by side: an emoji of four people takes
 * eight columns there. Text that is wider than counted would be cut off.
 */
function columnsOf(text: string): number {
  const whole = visibleWidth(text);
  // oxlint-disable-next-line no-control-regex -- one column each
  if (/^[\u0020-\u007e]*$/.test(text)) return whole;
  const parts = [...text].reduce((sum, character) => sum + widest(character), 0);
  return Math.max(whole, parts);
}

/** From this code point on, terminals disagree about widths: newer letters, symbols, emoji and their parts. */
const FIRST_WIDE = 0x1100;

function widest(character: string): number {
  if (/^[\u0300-\u036f]$/u.test(character)) return 0;
  return (character.codePointAt(0) ?? 0) < FIRST_WIDE ? Math.max(1, visibleWidth(character)) : 2;
}

/** One character can consist of any number of letters and marks. A wider one is split. */
const MOST_COLUMNS = 4;

function piecesOf(text: string): string[] {
  return [...GRAPHEMES.segment(text)].flatMap(({ segment }) =>
    columnsOf(segment) > MOST_COLUMNS ? [...segment] : [segment],
  );
}

/** Wraps exactly at the width, so that no space is lost. */
export function hardWrap(line: string, width: number): string[] {
  const styles = line.match(STYLED) ?? [];
  const plain = line.replaceAll(STYLED, "");
  const isWholeStyled =
    styles.length === 2 && line.startsWith(styles[0] ?? "") && line.endsWith(styles[1] ?? "");
  if (columnsOf(plain) <= width) return [line];
  const parts: string[] = [""];
  let used = 0;
  for (const segment of piecesOf(plain)) {
    const columns = columnsOf(segment);
    if (used + columns > width && used > 0) {
      parts.push("");
      used = 0;
    }
    parts[parts.length - 1] += segment;
    used += columns;
  }
  return isWholeStyled ? parts.map((part) => `${styles[0]}${part}${styles[1]}`) : parts;
}
