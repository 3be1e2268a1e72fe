/** `/copy`: puts the last answer or one of its code blocks into the clipboard. */

import type { Message } from "@runahead/harness";
import { amount, oneLine } from "../../shared/words.ts";
import { clipboardSequence, copyBy, copyPrograms } from "./clipboard.ts";
import type { CommandPorts } from "./ports.ts";

/** Copies the whole answer, or with `code` a code block; with several of them the user chooses. */
export async function copy(ports: CommandPorts, words: string): Promise<string[]> {
  const answer = lastAnswer(ports.made().agent.messages);
  if (answer === undefined) return ["Nothing to copy yet."];
  const blocks = codeBlocks(answer);
  if (words !== "" && words !== "code")
    return ["Usage: /copy for the last answer, /copy code for a code block"];
  if (words === "code" && blocks.length === 0) return ["The last answer has no code block."];
  const named = blocks.map((text, at) => ({ name: `Code block ${at + 1}`, text }));
  const text = await chosen(
    ports,
    words === "code" ? named : [{ name: "The whole answer", text: answer }, ...named],
  );
  return text === undefined ? [] : [await copied(ports, text)];
}

interface Copyable {
  readonly name: string;
  readonly text: string;
}

async function chosen({ choose }: CommandPorts, texts: readonly Copyable[]): Promise<string | undefined> {
  const [only] = texts;
  if (texts.length <= 1) return only?.text;
  const value = await choose({
    title: "What do you want to copy?",
    choices: texts.map(({ name, text }, at) => ({
      value: String(at),
      label: name,
      description: `${amount(text.length)} characters: ${oneLine(text)}`,
    })),
  });
  return value === undefined ? undefined : texts[Number(value)]?.text;
}

async function copied({ world, sendSequence }: CommandPorts, text: string): Promise<string> {
  const { env } = world;
  const program = await copyBy(copyPrograms(env, process.platform), text, env);
  const size = `${amount(text.length)} characters`;
  if (program !== undefined) return `Copied ${size} with ${program}.`;
  const sequence = clipboardSequence(text, env);
  if (sequence === undefined)
    return `Not copied: ${size} are too many for the terminal. Install wl-copy or xclip, or use /export.`;
  sendSequence(sequence);
  return `Copied ${size} through the terminal (OSC 52). If nothing arrives, allow clipboard access in the terminal's settings, or install wl-copy or xclip.`;
}

/** The text of the model's last message that has any. */
export function lastAnswer(messages: readonly Message[]): string | undefined {
  for (const { role, content } of messages.toReversed()) {
    if (role !== "assistant") continue;
    const text =
      typeof content === "string"
        ? content
        : content.flatMap((block) => (block.type === "text" ? [String(block["text"])] : [])).join("\n\n");
    if (text.trim() !== "") return text.trim();
  }
  return undefined;
}

/** The contents of the fenced code blocks, without the fences. */
export function codeBlocks(markdown: string): string[] {
  const blocks: string[] = [];
  let fence = "";
  let lines: string[] = [];
  for (const line of markdown.split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? "";
    if (fence === "" && mark !== "") {
      fence = mark;
      lines = [];
    } else if (fence !== "" && mark.startsWith(fence) && line.trim() === mark) {
      blocks.push(lines.join("\n"));
      fence = "";
    } else if (fence !== "") lines.push(line);
  }
  return blocks;
}
