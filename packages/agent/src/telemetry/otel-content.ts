/** What was said and done, as attributes: only where the program asks for it, and each no longer than a limit. */

import type { Prompt } from "../loop/event.ts";
import { stringOf } from "@runahead/base";

const LONGEST_CHARS = 16_000;

/** JSON of a value, or of the beginning of its text where that is too long. */
export function bounded(value: unknown): string {
  const text = typeof value === "string" ? value : (json(value) ?? "");
  return text.length <= LONGEST_CHARS ? text : `${text.slice(0, LONGEST_CHARS).toWellFormed()}…`;
}

function json(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return "[cannot be written as JSON]";
  }
}

/** A message in the form of the conventions. */
export function messages(role: "user" | "assistant", text: string, finishReason?: string): string {
  const finish = finishReason === undefined ? {} : { finish_reason: finishReason };
  return JSON.stringify([{ role, parts: [{ type: "text", content: bounded(text) }], ...finish }]);
}

export function promptText(prompt: Prompt): string {
  if (typeof prompt === "string") return prompt;
  return prompt.map((block) => stringOf(block["text"], `[${block.type}]`)).join("\n");
}
