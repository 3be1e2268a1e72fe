/** `/search`: finds text in the conversation. */

import { type Block, type Message, isReminder } from "@runahead/harness";
import { strip } from "../../shared/safe-text.ts";
import { oneLine, plural } from "../../shared/words.ts";
import { isPrompt } from "../input/prompt.ts";
import type { CommandPorts } from "./ports.ts";

interface Found {
  readonly who: string;
  readonly line: string;
  /** The whole text that has the line. */
  readonly text: string;
}

const MOST_FOUND = 500;
/** How much of a line is shown before the text. */
const MOST_BEFORE = 20;

/** Lists the lines that contain the text, newest first; an entry opens its message. */
export async function search(ports: CommandPorts, typed: string): Promise<string[]> {
  const { made, choose, show, ask } = ports;
  const wanted = typed === "" ? await ask({ title: "Search the conversation for" }) : typed;
  if (wanted === undefined) return [];
  const found = linesWith(made().agent.messages, wanted);
  if (found.length === 0) return [`No match for ${oneLine(wanted)}.`];
  let at = 0;
  for (;;) {
    const chosen = await choose({
      title: `${plural(found.length, "line")} with ${oneLine(wanted)}`,
      choices: found.map(({ who, line }, index) => ({
        value: String(index),
        label: oneLine(excerpt(line, wanted)),
        description: who,
      })),
      at,
      verb: "open",
    });
    const entry = chosen === undefined ? undefined : found[Number(chosen)];
    if (entry === undefined) return [];
    at = Number(chosen);
    await show({ title: entry.who, lines: strip(entry.text).split("\n") });
  }
}

/** The line from a few words before the text on, so that a narrow list shows the text. */
export function excerpt(line: string, wanted: string): string {
  const at = line.toLowerCase().indexOf(wanted.toLowerCase());
  return at > MOST_BEFORE ? `…${line.slice(at - MOST_BEFORE)}` : line;
}

/** The lines of prompts, answers, calls and results that contain the text, whatever its case. */
export function linesWith(messages: readonly Message[], wanted: string): Found[] {
  const lower = wanted.toLowerCase();
  const found = messages
    .filter((message) => !isReminder(message))
    .flatMap((message) => textsOf(message).map((text) => ({ text, who: whoOf(message, text) })))
    .flatMap(({ text: { text }, who }) =>
      text
        .split("\n")
        .filter((line) => line.toLowerCase().includes(lower))
        .map((line) => ({ who, line, text })),
    );
  return found.toReversed().slice(0, MOST_FOUND);
}

interface Part {
  readonly type: string;
  readonly text: string;
}

function textsOf({ content }: Message): Part[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content.map((block) => ({ type: block.type, text: textIn(block) }));
}

function textIn(block: Block): string {
  if (block.type === "text") return String(block["text"]);
  if (block.type === "tool_use") return `${String(block["name"])} ${JSON.stringify(block["input"], null, 2)}`;
  if (block.type !== "tool_result") return "";
  const { content } = block;
  if (typeof content === "string") return content;
  return Array.isArray(content) ? (content as Block[]).map(textIn).join("\n") : "";
}

function whoOf(message: Message, { type }: Part): string {
  if (type === "tool_use") return "call";
  if (type === "tool_result") return "result";
  return isPrompt(message) ? "you" : "runahead";
}
