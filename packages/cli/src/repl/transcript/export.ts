/** `/export`: writes the conversation to a new file, as markdown, HTML or JSON. */

import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Block, type Message, isReminder } from "@runahead/harness";
import { wordsOf } from "../../shared/failure.ts";
import { attachedNames, typedText } from "../input/prompt.ts";
import { shownPath } from "../../shared/words.ts";
import type { World } from "../../shared/world.ts";

const MOST_RESULT_CHARS = 10_000;

/** Writes the file and returns a message for the user. */
export async function exportTo(
  file: string,
  world: Pick<World, "cwd" | "home">,
  messages: readonly Message[],
): Promise<string> {
  const path = resolve(world.cwd, file);
  const shown = shownPath(path, world);
  try {
    await writeFile(path, textFor(path, messages), { flag: "wx", mode: 0o600 });
    return `Written to ${shown}`;
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === "EEXIST";
    return isThere
      ? `Not exported: ${shown} already exists. Choose another name.`
      : `Not exported: ${wordsOf(error)}`;
  }
}

/** The ending of the name decides the format; any other than `.html` and `.json` means markdown. */
function textFor(path: string, messages: readonly Message[]): string {
  const shown = messages.filter((message) => !isReminder(message));
  if (/\.html?$/i.test(path)) return htmlOf(shown);
  return /\.json$/i.test(path)
    ? `${JSON.stringify({ messages: shown }, undefined, 2)}\n`
    : markdownOf(messages);
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

const STYLE =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:50em;margin:2em auto;padding:0 1em;color-scheme:light dark}pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#8881;padding:.6em;border-radius:6px}h2{font-size:1em;border-top:1px solid #8884;padding-top:.8em}summary{cursor:pointer}";

/** One page that loads nothing and runs no script. */
function htmlOf(messages: readonly Message[]): string {
  return [
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Runahead conversation</title>',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<meta name="viewport" content="width=device-width"><style>${STYLE}</style>`,
    ...messages.flatMap(htmlParts),
    "</html>\n",
  ].join("\n");
}

function htmlParts({ role, content }: Message): string[] {
  const blocks: readonly Block[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const hasText = blocks.some(({ type }) => type !== "tool_result");
  const heading = hasText ? [`<h2>${role === "assistant" ? "Runahead" : "You"}</h2>`] : [];
  return [...heading, ...blocks.flatMap(htmlBlock)];
}

function htmlBlock(block: Block): string[] {
  switch (block.type) {
    case "text":
      return [`<pre>${escaped(String(block["text"]))}</pre>`];
    case "tool_use":
      return [folded(String(block["name"]), JSON.stringify(block["input"], null, 2))];
    case "tool_result":
      return [folded("Result", resultText(block["content"]))];
    default:
      return [];
  }
}

function folded(title: string, text: string): string {
  return `<details><summary>${escaped(title)}</summary><pre>${escaped(text)}</pre></details>`;
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** Wraps text in a fence that is longer than any fence in it. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
