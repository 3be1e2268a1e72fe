/** `/export`: writes the conversation as markdown to a new file. */

import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Block, type Message, isReminder } from "@runahead/harness";
import { wordsOf } from "../../shared/failure.ts";
import { attachedNames, typedText } from "../input/prompt.ts";

const MOST_RESULT_CHARS = 10_000;

/** Writes the file and returns a message for the user. */
export async function exportTo(file: string, cwd: string, messages: readonly Message[]): Promise<string> {
  const path = resolve(cwd, file);
  try {
    await writeFile(path, markdownOf(messages), { flag: "wx", mode: 0o600 });
    return `Written to ${path}`;
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === "EEXIST";
    return isThere
      ? `Not exported: ${path} already exists. Choose another name.`
      : `Not exported: ${wordsOf(error)}`;
  }
}

export function markdownOf(messages: readonly Message[]): string {
  return `${messages
    .filter((message) => !isReminder(message))
    .flatMap(partsOf)
    .join("\n\n")}\n`;
}

function partsOf({ role, content }: Message): string[] {
  const blocks: readonly Block[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  if (role === "assistant") return ["## Runahead", ...blocks.flatMap(blockParts)];
  const results = blocks.filter(({ type }) => type === "tool_result");
  const said = blocks.filter(({ type }) => type !== "tool_result");
  if (said.length === 0) return results.flatMap(blockParts);
  const attached = attachedNames(said).map((name) => `_with ${name}_`);
  return [...results.flatMap(blockParts), "## You", typedText(said), ...attached];
}

function blockParts(block: Block): string[] {
  switch (block.type) {
    case "text":
      return [String(block["text"])];
    case "tool_use":
      return [`**${String(block["name"])}**`, fenced(JSON.stringify(block["input"], null, 2), "json")];
    case "tool_result":
      return [fenced(resultText(block["content"]), "")];
    default:
      return [];
  }
}

function resultText(content: unknown): string {
  const blocks = Array.isArray(content) ? (content as readonly Block[]) : [];
  const text =
    typeof content === "string"
      ? content
      : blocks.map((block) => (block.type === "text" ? String(block["text"]) : `[${block.type}]`)).join("\n");
  return text.length > MOST_RESULT_CHARS
    ? `${text.slice(0, MOST_RESULT_CHARS)}\n… ${text.length} characters`
    : text;
}

/** Wraps text in a fence that is longer than any fence in it. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
