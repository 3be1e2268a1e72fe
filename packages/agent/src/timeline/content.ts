/** Keeps the beginnings of inputs and outputs, up to a limit. */

import type { CallContent } from "./model.ts";

/** The limit for one input or output. */
const MOST_CHARS = 2_000;
/** The limit for a whole run; later calls are recorded without content. */
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
  const kept = `${text.slice(0, MOST_CHARS).toWellFormed()}\n[… ${text.length.toLocaleString("en")} characters in total]`;
  // V8 slices keep the whole string in memory; a copy through bytes does not.
  return Buffer.from(kept).toString();
}

/** Tools define their own inputs, so a value can be anything. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value, undefined, 2) ?? "";
  } catch {
    return "";
  }
}

/** The text that the model reads; for blocks without text, their type. */
function outputText(output: unknown): string {
  if (!Array.isArray(output)) return textOf(output ?? "");
  return output
    .map((block: unknown) => {
      const { type, text } = (block ?? {}) as { type?: unknown; text?: unknown };
      return typeof text === "string" ? text : `[${String(type)}]`;
    })
    .join("\n");
}
