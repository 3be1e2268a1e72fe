/** Colours, and how markdown and the editor look. Without colour where `NO_COLOR` is set. */

import type { EditorTheme, MarkdownTheme } from "@earendil-works/pi-tui";
import { strip } from "../../shared/safe-text.ts";

const isPlain = (process.env["NO_COLOR"] ?? "") !== "";

type Paint = (text: string) => string;

/** All that can be on the screen: a reset and the cursor's reverse video, which the editor draws, and ours below. */
const OWN_CODES = new Set([0, 7]);

/** Ends only what it began, so that styles may lie in one another. */
function sgr(begin: number, end: number): Paint {
  OWN_CODES.add(begin).add(end);
  return (text) => (isPlain || text === "" ? text : `\u001b[${begin}m${text}\u001b[${end}m`);
}

export const bold = sgr(1, 22);
export const dim = sgr(2, 22);
const italic = sgr(3, 23);
const underline = sgr(4, 24);
export const red = sgr(31, 39);
export const green = sgr(32, 39);
export const yellow = sgr(33, 39);
export const cyan = sgr(36, 39);

/** What is dim goes on dim: the editor paints each piece of its border by itself, which triples what is written. */
export function joined(line: string): string {
  return line.replaceAll("\u001b[22m\u001b[2m", "");
}

// oxlint-disable-next-line no-control-regex -- styles, as they stand in a line
const STYLE = /(\u001b\[[\d;]*m)/;

/**
 * A line as it can be written to the terminal: with the styles of this file and nothing else that steers. Text from
 * outside is made safe before it is styled; this holds even if that was forgotten. No concealed text, no other colours.
 */
export function onlyOwnStyles(line: string): string {
  const parts = line.split(STYLE).map((part, at) => {
    if (at % 2 === 0) return strip(part).replaceAll("\n", " ");
    const codes = part.slice(2, -1).split(";").map(Number);
    return codes.every((code) => OWN_CODES.has(code)) ? part : "";
  });
  const safe = parts.join("");
  return safe.includes("\u001b") ? `${safe}${RESET}` : safe;
}

const RESET = "\u001b[0m";

export const MARKDOWN: MarkdownTheme = {
  heading: bold,
  link: cyan,
  linkUrl: dim,
  code: cyan,
  codeBlock: (text) => text,
  codeBlockBorder: dim,
  quote: italic,
  quoteBorder: dim,
  hr: dim,
  listBullet: dim,
  bold,
  italic,
  strikethrough: sgr(9, 29),
  underline,
};

export const EDITOR: EditorTheme = {
  borderColor: dim,
  selectList: {
    selectedPrefix: cyan,
    selectedText: cyan,
    description: dim,
    scrollInfo: dim,
    noMatch: dim,
  },
};
