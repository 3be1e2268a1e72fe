/** Colours, and how markdown and the editor look. Without colour where `NO_COLOR` is set. */

import type { EditorTheme, MarkdownTheme } from "@earendil-works/pi-tui";

const isPlain = (process.env["NO_COLOR"] ?? "") !== "";

type Paint = (text: string) => string;

/** Ends only what it began, so that styles may lie in one another. */
function sgr(begin: number, end: number): Paint {
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
