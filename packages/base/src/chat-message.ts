/**
 * What servers of Chat Completions send with a message beside OpenAI's own members, and mostly expect back under the same
 * names: reasoning as `reasoning_content` (DeepSeek, xAI, vLLM), `reasoning` (OpenRouter, Groq, Ollama),
 * `reasoning_details` (OpenRouter), parts of the type `thinking` inside the content (Mistral), texts that `extra_content`
 * marks (Gemini); and members of calls, such as Gemini's signatures.
 */

import { type Shape, isShape, listOf, shapeOf, stringOf } from "./shape.ts";

/** Of a chunk without a choice. */
export const NO_CHOICE: Shape = {};

/** Returns the first of several choices; a chunk can begin with another one. */
export function choiceOf(chunk: Shape): Shape {
  return (
    listOf(chunk["choices"])
      .map(shapeOf)
      .find(({ index }) => (index ?? 0) === 0) ?? NO_CHOICE
  );
}

const IS_REASONING = /^(?:reasoning|thinking|thought)/;
/** Members with data that nobody can read, such as `reasoning_opaque` of GitHub Copilot. */
const IS_SEALED = /opaque|signature|encrypted|_id$/;
const MARKED = "marked_thought";

/** The content of a delta: a text, a part, or a list of parts. */
function partsOf({ content, extra_content: extra }: Shape): readonly Shape[] {
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

/** Whether a part of a content is reasoning: `thinking` of Mistral, `reasoning` of Databricks. */
function isThought({ type }: Shape): boolean {
  return type === "thinking" || type === "reasoning" || type === MARKED;
}

/** What a chunk adds to a message. */
interface ChatPiece {
  /** The new reasoning, as text. */
  readonly thought: string;
  readonly texts: readonly string[];
  readonly refusal: string;
}

/** Collects what the chunks of one message have beside texts and calls. */
class ChatMessage {
  /** Whether a member can be kept: one that is nested too deeply cannot be sent back. */
  readonly #isKept: (value: unknown) => boolean;
  #reasoning: Record<string, unknown> = {};
  readonly #ofCalls = new Map<string, Shape>();
  /** Whether text and reasoning have come in pieces. */
  #hasText = false;
  #hasThoughts = false;

  constructor(isKept: (value: unknown) => boolean) {
    this.#isKept = isKept;
  }

  /** Takes the members of calls. Call it before the calls of the chunk are complete. */
  look(chunk: Shape): void {
    for (const entry of entriesOf(deltaOf(choiceOf(chunk)))) {
      const { index: _index, id, type: _type, function: called, ...own } = shapeOf(entry);
      const { name: _name, arguments: _arguments, ...ofFunction } = shapeOf(called);
      const members = Object.keys(ofFunction).length === 0 ? own : { ...own, function: ofFunction };
      const key = stringOf(id);
      if (key === "" || Object.keys(members).length === 0 || !this.#isKept(members)) continue;
      this.#ofCalls.set(key, { ...this.#ofCalls.get(key), ...members });
    }
  }

  /** Takes texts and reasoning. Some servers send the whole message once more after its pieces, in place of a delta. */
  take(choice: Shape): ChatPiece {
    const delta = deltaOf(choice);
    const isPiece = delta === choice["delta"];
    const thought = isPiece || !this.#hasThoughts ? this.#think(delta) : "";
    this.#hasThoughts ||= isPiece && thought !== "";
    if (!isPiece && this.#hasText) return { thought, texts: [], refusal: "" };
    const said = partsOf(delta).filter((part) => !isThought(part));
    const texts = said.map(({ text }) => stringOf(text)).filter((text) => text !== "");
    const refusal = stringOf(delta["refusal"]);
    this.#hasText ||= isPiece && (texts.length > 0 || refusal !== "");
    return { thought, texts, refusal };
  }

  /** Returns the members of a call that only its server knows. */
  ofCall(id: string): Shape {
    return this.#ofCalls.get(id) ?? {};
  }

  /** Returns the members with the reasoning that came since the last time; parts of a list are in `content`. */
  takeReasoning(): Shape {
    const members = this.#reasoning;
    this.#reasoning = {};
    return members;
  }

  #think(delta: Shape): string {
    const parts = partsOf(delta).filter(isThought);
    const kept = parts.filter(({ type }) => type !== MARKED);
    if (kept.length > 0) this.#reasoning["content"] = mergedMember(this.#reasoning["content"], kept);
    this.#takeSignature(delta["extra_content"]);
    let text = "";
    for (const [name, value] of Object.entries(delta)) {
      if (!IS_REASONING.test(name) || isEmpty(value) || !this.#isKept(value)) continue;
      this.#reasoning[name] = mergedMember(this.#reasoning[name], value);
      // Some servers send the same text under two names.
      if (!IS_SEALED.test(name)) text ||= textOf(value);
    }
    return text || textOf(parts);
  }

  /** Gemini expects the signature of a text back in the same member. */
  #takeSignature(extra: unknown): void {
    const { thought_signature: signature } = shapeOf(shapeOf(extra)["google"]);
    if (typeof signature !== "string" || signature === "") return;
    this.#reasoning["extra_content"] = { google: { thought_signature: signature } };
  }
}

/** `isKept`: whether a member can be kept. One that is nested too deeply cannot be sent back. */
export function createChatMessage(isKept: (value: unknown) => boolean): ChatMessage {
  return new ChatMessage(isKept);
}

/** The assistant message as the server expects it back. A list of parts only for servers that sent one. */
export function chatAnswer({
  text,
  calls,
  reasoning,
}: {
  readonly text: string;
  readonly calls: readonly object[];
  readonly reasoning: Shape;
}): Shape {
  const { content: given, ...members } = reasoning;
  const thoughts = listOf(given);
  const whole = text === "" ? thoughts : [...thoughts, { type: "text", text }];
  return {
    role: "assistant",
    content: thoughts.length > 0 ? whole : text === "" ? null : text,
    ...members,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

/** A call as the server expects it back, with the members that only it knows. */
export function chatCall(
  { id, name, input }: Readonly<Record<"id" | "name" | "input", unknown>>,
  { function: ofFunction, ...own }: Shape,
): object {
  const called = { ...shapeOf(ofFunction), name, arguments: JSON.stringify(input) };
  return { ...own, id, type: "function", function: called };
}

/** Some servers send a whole message in place of a delta. */
function deltaOf(choice: Shape): Shape {
  return shapeOf(choice["delta"] ?? choice["message"]);
}

/** Some servers send one entry in place of a list. */
function entriesOf({ tool_calls: entries }: Shape): readonly unknown[] {
  return isShape(entries) ? [entries] : listOf(entries);
}

function isEmpty(value: unknown): boolean {
  return value === null || value === "" || (Array.isArray(value) && value.length === 0);
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
export function mergedMember(before: unknown, more: unknown): unknown {
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
    if (TEXTS.has(name)) members[name] = mergedMember(last[name], value);
    else if (value !== null && value !== undefined) members[name] = value;
  }
  return members;
}
