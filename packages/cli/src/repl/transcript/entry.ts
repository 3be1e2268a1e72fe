/** An entry of the transcript: redrawn while it changes, then printed once. */

import { wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { strip } from "../../shared/safe-text.ts";
import { columnRows } from "../screen/rows.ts";
import { markdownLines, streamingMarkdown } from "../screen/markdown.ts";
import { settledPart } from "./settled.ts";

export interface Entry {
  readonly isFinished: boolean;
  /** Entries of different kinds have an empty line between them. */
  readonly kind: "call" | "text" | "note";
  /** The entry goes on below lines of it that were printed. */
  readonly isContinued?: boolean;
  render(width: number): string[];
  /** Returns the first rows if nothing can change them any more, and continues after them. */
  settle?(width: number): string[];
}

/** The model's text, as markdown. */
export class TextEntry implements Entry {
  readonly kind = "text";
  isFinished = false;
  isContinued: boolean;
  #text: string;
  readonly #markdown = streamingMarkdown();
  /** With so many rows, it was tried to print the first ones. */
  #tried = 1;

  constructor(text: string, isContinued = false) {
    this.#text = text;
    this.isContinued = isContinued;
  }

  get text(): string {
    return this.#text;
  }

  add(text: string): void {
    this.#text += text;
  }

  render(width: number): string[] {
    const text = strip(this.#text).trim();
    if (this.isFinished) return markdownLines(text, width).map((line) => line.trimEnd());
    this.#markdown.setText(text);
    return this.#markdown.render(width).map((line) => line.trimEnd());
  }

  settle(width: number): string[] {
    const { length } = this.render(width);
    if (length <= this.#tried) return [];
    this.#tried = length;
    const settled = settledPart(strip(this.#text).trim(), width);
    if (settled === undefined) return [];
    this.#text = settled.rest + (/\s+$/.exec(this.#text)?.[0] ?? "");
    this.isContinued = true;
    this.#tried = 1;
    return settled.rows.map((line) => line.trimEnd());
  }
}

/** Lines from the program itself, which never change. */
export class NoteEntry implements Entry {
  readonly kind = "note";
  readonly isFinished = true;
  readonly #lines: readonly string[];

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  render(width: number): string[] {
    return this.#lines.flatMap((line) =>
      line === "" ? [""] : (columnRows(line, width) ?? wrapTextWithAnsi(line, width)),
    );
  }
}

/** A longer paragraph is printed in parts, because it is redrawn with every word. */
const MOST_OPEN_CHARS = 8_000;

export interface Cut {
  readonly done: string;
  readonly rest: string;
}

/** Splits streaming text: the done part can be printed, because later text cannot change it. */
export function cut(text: string): Cut | undefined {
  const { end, fence } = scan(text);
  if (end > 0) return { done: text.slice(0, end), rest: text.slice(end) };
  const line = text.lastIndexOf("\n") + 1;
  if (text.length < MOST_OPEN_CHARS || line === 0) return undefined;
  const done = text.slice(0, line);
  const rest = text.slice(line);
  // A code block that is split becomes two code blocks.
  if (fence === undefined) return { done, rest };
  return { done: `${done}${fence.mark}\n`, rest: `${fence.line}\n${rest}` };
}

interface Scan {
  /** The position after the last empty line outside of code blocks, or 0. */
  readonly end: number;
  /** The fence of the code block that is open at the end. */
  readonly fence: { readonly mark: string; readonly line: string } | undefined;
}

function scan(text: string): Scan {
  let end = 0;
  let at = 0;
  let fence: Scan["fence"];
  for (const line of text.split("\n").slice(0, -1)) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined) fence = mark === undefined ? undefined : { mark, line };
    else if (mark?.startsWith(fence.mark) === true && line.trim() === mark) fence = undefined;
    at += line.length + 1;
    if (fence === undefined && line.trim() === "" && text.slice(0, at).trim() !== "") end = at;
  }
  return { end, fence };
}
