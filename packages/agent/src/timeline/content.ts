/** The beginnings of inputs and outputs, within limits. */

import type { CallContent } from "./model.ts";

/** Of an input, and of an output. */
const MOST_CHARS = 2_000;
/** Of all of a run: what comes later has none. */
const MOST_IN_ALL = 16_000_000;

export class CallContents {
  readonly #isKept: boolean;
  #chars = 0;

  constructor(isKept: boolean) {
    this.#isKept = isKept;
  }

  begin(input: unknown): CallContent | undefined {
    if (!this.#isKept || this.#chars > MOST_IN_ALL) return undefined;
    return { input: this.#beginning(textOf(input)), output: "" };
  }

  end(begun: CallContent | undefined, output: unknown): CallContent | undefined {
    if (begun === undefined) return undefined;
    return { input: begun.input, output: this.#beginning(outputText(output)) };
  }

  #beginning(text: string): string {
    const kept = beginningOf(text);
    this.#chars += kept.length;
    return kept;
  }
}

export function beginningOf(text: string): string {
  if (text.length <= MOST_CHARS) return text;
  const kept = `${text.slice(0, MOST_CHARS).toWellFormed()}\n[… ${text.length.toLocaleString("en")} characters in all]`;
  // A part of a string keeps the whole of it in memory; what comes out of bytes is a string of its own.
  return Buffer.from(kept).toString();
}

/** Any tool may have any input. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value, undefined, 2) ?? "";
  } catch {
    return "";
  }
}

/** What the model reads: text, or blocks of it; of other blocks their kind. */
function outputText(output: unknown): string {
  if (!Array.isArray(output)) return textOf(output ?? "");
  return output
    .map((block: unknown) => {
      const { type, text } = (block ?? {}) as { type?: unknown; text?: unknown };
      return typeof text === "string" ? text : `[${String(type)}]`;
    })
    .join("\n");
}
