/** Markdown of the model, with code in colours and aligned tables. */

import type { Markdown } from "@earendil-works/pi-tui";
import { AlignedMarkdown } from "./aligned-tables.ts";
import { highlightCode, highlightLines } from "./highlight.ts";
import { MARKDOWN } from "./style.ts";

const FINAL = { ...MARKDOWN, highlightCode };
/** While text streams, each line of code is coloured by itself, once. */
const STREAMING = { ...MARKDOWN, highlightCode: highlightLines };

/** Markdown that grows. */
export function streamingMarkdown(): Markdown {
  return new AlignedMarkdown("", STREAMING);
}

/** Markdown whose text is set as a whole. */
export function wholeMarkdown(): Markdown {
  return new AlignedMarkdown("", FINAL);
}

/** The lines of a whole text. */
export function markdownLines(text: string, width: number): string[] {
  return new AlignedMarkdown(text, FINAL).render(width);
}
