/** Rewrites only the end of a line that has changed, because most lines grow while text streams. */

import { visibleWidth } from "@earendil-works/pi-tui";

const CLEAR_LINE = "\u001b[2K";
const CLEAR_REST = "\u001b[K";
/** A shorter common start is not worth the move of the cursor. */
const LEAST_SHARED = 6;
// oxlint-disable-next-line no-control-regex -- our own styles
const STYLE = /\u001b\[[\d;]*m/y;

/** What to write at the first column of a row that shows `before`, so that it shows `line`. */
export function lineChange(before: string | undefined, line: string): string {
  const shared = before === undefined ? 0 : sharedLength(before, line);
  if (before === undefined || shared < LEAST_SHARED) return `${CLEAR_LINE}${line}`;
  const start = line.slice(0, shared);
  const clear = visibleWidth(before) > visibleWidth(line) ? CLEAR_REST : "";
  return `\u001b[${visibleWidth(start) + 1}G${clear}${openStyles(start)}${line.slice(shared)}`;
}

/** Counts ASCII and styles only: terminals disagree about the width of other characters. */
function sharedLength(before: string, line: string): number {
  let at = 0;
  while (at < line.length && before[at] === line[at]) {
    const code = line.charCodeAt(at);
    if (code >= 0x20 && code <= 0x7e) at++;
    else if (code === 0x1b) {
      const style = styleAt(line, at);
      if (style === "" || !before.startsWith(style, at)) break;
      at += style.length;
    } else break;
  }
  // A mark would be drawn over the character before it.
  return isMark(before, at) || isMark(line, at) ? 0 : at;
}

function styleAt(line: string, at: number): string {
  STYLE.lastIndex = at;
  return STYLE.exec(line)?.[0] ?? "";
}

function isMark(text: string, at: number): boolean {
  return /^[\p{M}\p{Cf}\p{Sk}]/u.test(text.slice(at, at + 2));
}

/** The styles that are on at the end of a text. */
function openStyles(text: string): string {
  const reset = text.lastIndexOf("\u001b[0m");
  // oxlint-disable-next-line no-control-regex -- our own styles
  return (text.slice(Math.max(0, reset)).match(/\u001b\[[\d;]*m/g) ?? []).join("");
}
