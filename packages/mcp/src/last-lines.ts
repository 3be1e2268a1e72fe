/** The last lines that a process writes to stderr, with a limit on memory (H04). */

import { stripVTControlCharacters } from "node:util";

const LINES = 20;
const KEPT_CHARS = 4_000;

export class LastLines {
  readonly #decoder = new TextDecoder();
  #text = "";

  add(chunk: Uint8Array): void {
    // Only the end of a huge chunk can be shown.
    const piece = chunk.subarray(Math.max(0, chunk.length - KEPT_CHARS * 4));
    this.#text = (this.#text + this.#decoder.decode(piece, { stream: true })).slice(-KEPT_CHARS);
  }

  /** The lines without control sequences. */
  get text(): string {
    const controls = /[^\P{Cc}\n\t]/gu;
    const lines = stripVTControlCharacters(this.#text).replaceAll(controls, "").trimEnd().split("\n");
    return lines.slice(-LINES).join("\n").trim().toWellFormed();
  }
}
