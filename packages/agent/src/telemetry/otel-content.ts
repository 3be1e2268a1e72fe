/** Content as attributes, used only with `captureContent`. Each value has a length limit. */

import type { Prompt } from "../loop/event.ts";
import { stringOf } from "@runahead/base";

const LONGEST_CHARS = 16_000;

/** Returns the JSON of a value, cut at the limit. */
export function bounded(value: unknown): string {
  const text = typeof value === "string" ? value : (json(value) ?? "");
  return text.length <= LONGEST_CHARS ? text : `${text.slice(0, LONGEST_CHARS).toWellFormed()}…`;
}

function json(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return "[not serializable as JSON]";
  }
}

/** Returns a message in the format of the conventions. */
export function messages(role: "user" | "assistant", text: string, finishReason?: string): string {
  const finish = finishReason === undefined ? {} : { finish_reason: finishReason };
  return JSON.stringify([{ role, parts: [{ type: "text", content: bounded(text) }], ...finish }]);
}

export function promptText(prompt: Prompt): string {
  if (typeof prompt === "string") return prompt;
  return prompt.map((block) => stringOf(block["text"], `[${block.type}]`)).join("\n");
}
