/** A prompt as it was typed, and what goes with it to the model. */

import type { Message, Prompt } from "@runahead/harness";

const FILE = /^<file path="([^"]*)"/;

/** What the person typed of it. */
export function typedText(prompt: Prompt): string {
  if (typeof prompt === "string") return prompt;
  const [first] = prompt.flatMap((block) => (block.type === "text" ? [String(block["text"])] : []));
  return first ?? prompt.map(({ type }) => `[${type}]`).join(" ");
}

/** The names of the files that go with it. */
export function attachedNames(prompt: Prompt): string[] {
  if (typeof prompt === "string") return [];
  return prompt.flatMap((block) =>
    block.type === "text" ? (FILE.exec(String(block["text"]))?.[1] ?? []) : [],
  );
}

/** All of its text. */
export function saidText(content: Message["content"]): string {
  if (typeof content === "string") return content;
  return content.flatMap((block) => (block.type === "text" ? [String(block["text"])] : [])).join("\n\n");
}

/** What a person said, rather than results of calls. */
export function isPrompt({ role, content }: Message): boolean {
  if (role !== "user") return false;
  return typeof content === "string" || content.every(({ type }) => type !== "tool_result");
}
