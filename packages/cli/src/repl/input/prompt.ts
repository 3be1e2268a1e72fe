/** Separates the typed text of a prompt from its attachments. */

import type { Message, Prompt } from "@runahead/harness";

const FILE = /^<file path="([^"]*)"/;

/** The text that the user typed. */
export function typedText(prompt: Prompt): string {
  if (typeof prompt === "string") return prompt;
  const [first] = prompt.flatMap((block) => (block.type === "text" ? [String(block["text"])] : []));
  return first ?? prompt.map(({ type }) => `[${type}]`).join(" ");
}

/** The names of the attached files. */
export function attachedNames(prompt: Prompt): string[] {
  if (typeof prompt === "string") return [];
  return prompt.flatMap((block) =>
    block.type === "text" ? (FILE.exec(String(block["text"]))?.[1] ?? []) : [],
  );
}

/** Whether a message is a prompt of the user, rather than results of calls. */
export function isPrompt({ role, content }: Message): boolean {
  if (role !== "user") return false;
  return typeof content === "string" || content.every(({ type }) => type !== "tool_result");
}
