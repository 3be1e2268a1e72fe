/** Lines broken at a width that holds in every terminal. */

import { visibleWidth } from "@earendil-works/pi-tui";

const GRAPHEMES = new Intl.Segmenter();
// oxlint-disable-next-line no-control-regex -- the styles that we have put there ourselves
const STYLED = /\u001b\[\d+m/g;

/**
 * The columns that a text takes in a terminal that draws the parts of a character one beside the other: an emoji of
 * four people takes eight there. Text must not be wider than it was counted to be, or its end is not seen.
 */
function columnsOf(text: string): number {
  const whole = visibleWidth(text);
  // oxlint-disable-next-line no-control-regex -- one column each
  if (/^[\u0020-\u007e]*$/.test(text)) return whole;
  const parts = [...text].reduce((sum, character) => sum + widest(character), 0);
  return Math.max(whole, parts);
}

/** From here on, terminals disagree about what is wide: newer letters, symbols, emoji and their parts. */
const FIRST_WIDE = 0x1100;

function widest(character: string): number {
  if (/^[\u0300-\u036f]$/u.test(character)) return 0;
  return (character.codePointAt(0) ?? 0) < FIRST_WIDE ? Math.max(1, visibleWidth(character)) : 2;
}

/** Any number of letters and marks can be one character: a long one is broken, too. */
const MOST_COLUMNS = 4;

function piecesOf(text: string): string[] {
  return [...GRAPHEMES.segment(text)].flatMap(({ segment }) =>
    columnsOf(segment) > MOST_COLUMNS ? [...segment] : [segment],
  );
}

/** Broken at the width and nowhere else, so that no blank is lost. */
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
