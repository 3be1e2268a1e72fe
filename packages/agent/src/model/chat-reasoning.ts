/**
 * Reasoning of Chat Completions servers. OpenAI's API has none, so servers use members of their own:
 * `reasoning_content` (DeepSeek, xAI, vLLM), `reasoning` (OpenRouter, Groq, Ollama), `reasoning_details` (OpenRouter),
 * parts of the type `thinking` inside the content (Mistral), texts that `extra_content` marks (Gemini). Most expect it
 * back under the same name.
 */

import { type Shape, isShape, listOf, shapeOf, stringOf } from "@runahead/base";
import { isTooDeep, wellFormed } from "@runahead/engine/wire";
import type { Block } from "./message.ts";
import { CHAT_REASONING } from "./openai-item.ts";

const IS_REASONING = /^(?:reasoning|thinking|thought)/;
/** Members with data that nobody can read, such as `reasoning_opaque` of GitHub Copilot. */
const IS_SEALED = /opaque|signature|encrypted|_id$/;

/** The content of a delta: a text, a part, or a list of parts. */
export function partsOf({ content, extra_content: extra }: Shape): readonly Shape[] {
  if (isShape(content)) return [content];
  if (typeof content !== "string") return listOf(content).map(shapeOf);
  if (content === "") return [];
  // Gemini marks a text that is a summary of its thoughts.
  const isMarked = shapeOf(shapeOf(extra)["google"])["thought"] === true;
  return [
    isMarked
      ? { type: MARKED, text: content.replaceAll(/<\/?thought>/g, "") }
      : { type: "text", text: content },
  ];
}

const MARKED = "marked_thought";

/** Whether a part of a content is reasoning: `thinking` of Mistral, `reasoning` of Databricks. */
export function isThought({ type }: Shape): boolean {
  return type === "thinking" || type === "reasoning" || type === MARKED;
}

export class ChatReasoning {
  readonly #model: string;
  #members: Record<string, unknown> = {};

  constructor(model: string) {
    this.#model = model;
  }

  /** Takes the reasoning in a delta, and returns its text. */
  take(delta: Shape): string {
    const parts = partsOf(delta).filter(isThought);
    const kept = parts.filter(({ type }) => type !== MARKED);
    if (kept.length > 0) this.#members["content"] = merged(this.#members["content"], kept);
    this.#takeSignature(delta["extra_content"]);
    let text = "";
    for (const [name, value] of Object.entries(delta)) {
      if (!IS_REASONING.test(name) || value === null || value === "" || isTooDeep(value)) continue;
      this.#members[name] = merged(this.#members[name], value);
      // Some servers send the same text under two names.
      if (!IS_SEALED.test(name)) text ||= textOf(value);
    }
    return text || textOf(parts);
  }

  /** Gemini expects the signature of a text back in the same member. */
  #takeSignature(extra: unknown): void {
    const { thought_signature: signature } = shapeOf(shapeOf(extra)["google"]);
    if (typeof signature !== "string" || signature === "") return;
    this.#members["extra_content"] = { google: { thought_signature: signature } };
  }

  /** Returns what came since the last time, for the history. */
  block(): Block | undefined {
    const message = this.#members;
    this.#members = {};
    if (Object.keys(message).length === 0) return undefined;
    return { type: CHAT_REASONING, model: this.#model, message: wellFormed(message) };
  }
}

/** The members of an assistant message that give a model its reasoning back. Other models do not get it. */
export function reasoningMembers(blocks: readonly Block[], model: string): Shape {
  const members: Record<string, unknown> = {};
  for (const block of blocks) {
    if (block.type !== CHAT_REASONING || (block["model"] !== "" && block["model"] !== model)) continue;
    for (const [name, value] of Object.entries(shapeOf(block["message"])))
      members[name] = merged(members[name], value);
  }
  return members;
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return (isShape(value) ? [value] : listOf(value))
    .map(shapeOf)
    .map(
      ({ text, summary, thinking, content }) =>
        stringOf(text) || textOf(summary) || textOf(thinking) || stringOf(content),
    )
    .join("");
}

/** Joins the pieces of a member: texts, and entries of lists that go on with the last one. */
function merged(before: unknown, more: unknown): unknown {
  if (typeof before === "string" && typeof more === "string") return before + more;
  if (!Array.isArray(before) || !Array.isArray(more)) return more ?? before;
  const list: unknown[] = [...(before as unknown[])];
  for (const entry of more as unknown[]) {
    const last = list.at(-1);
    if (isShape(last) && isShape(entry) && goesOn(last, entry)) list[list.length - 1] = joined(last, entry);
    else list.push(entry);
  }
  return list;
}

/** An encrypted entry comes whole. */
function goesOn(last: Shape, entry: Shape): boolean {
  const isSame = last["type"] === entry["type"] && last["index"] === entry["index"];
  const hasData = "data" in last || "data" in entry;
  // A signature ends an entry unless its index says otherwise.
  const isSealed = entry["index"] === undefined && stringOf(last["signature"]) !== "";
  return isSame && !hasData && !isSealed && "type" in entry;
}

const TEXTS = new Set(["text", "summary", "thinking"]);

function joined(last: Shape, entry: Shape): Shape {
  const members: Record<string, unknown> = { ...last };
  for (const [name, value] of Object.entries(entry)) {
    if (TEXTS.has(name)) members[name] = merged(last[name], value);
    else if (value !== null && value !== undefined) members[name] = value;
  }
  return members;
}
