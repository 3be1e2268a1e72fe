/** Estimates tokens, and how full the context is. */

import type { Usage } from "../model/event.ts";
import type { Message, ModelRequest } from "../model/message.ts";
import { stringOf } from "@runahead/base";

const ASCII_PER_TOKEN = 4;
/** First accents, Greek, Cyrillic and Arabic, then Chinese, Japanese, Korean and emoji. */
const NEAR_PER_TOKEN = 2;
const FAR_PER_TOKEN = 1.5;
const FIRST_FAR = 0x0800;
const IMAGE_TOKENS = 1_600;
/** A page of a PDF has about 2,000 tokens and 50 kB. */
const DOCUMENT_BYTES_PER_TOKEN = 25;

/**
 * Estimates the tokens of any part of a request. Reads each character once and copies nothing. Not recursive, because
 * inputs can be deeply nested.
 */
export function estimateTokens(value: unknown): number {
  const rest: unknown[] = [value];
  let tokens = 0;
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next === "string") tokens += textTokens(next);
    else if (typeof next === "object" && next !== null)
      tokens += objectTokens(next as Record<string, unknown>, rest);
    else if (next !== undefined) tokens += 1;
  }
  return Math.ceil(tokens);
}

function textTokens(text: string): number {
  let near = 0;
  let far = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= FIRST_FAR) far++;
    else if (code >= 0x80) near++;
  }
  return (text.length - near - far) / ASCII_PER_TOKEN + near / NEAR_PER_TOKEN + far / FAR_PER_TOKEN;
}

/** Counts the object itself, and pushes its members onto `rest`. */
function objectTokens(value: Record<string, unknown>, rest: unknown[]): number {
  if (Array.isArray(value)) {
    for (const item of value) rest.push(item);
    return 0;
  }
  if (value["type"] === "image") return IMAGE_TOKENS;
  if (value["type"] === "document") return documentTokens(value["source"], rest);
  let tokens = 0;
  for (const name of Object.keys(value)) {
    tokens += name.length / ASCII_PER_TOKEN;
    rest.push(value[name]);
  }
  return tokens;
}

function documentTokens(source: unknown, rest: unknown[]): number {
  const { type, data } = (source ?? {}) as Record<string, unknown>;
  if (type === "text" || type === "content") {
    rest.push(source);
    return 0;
  }
  // A document that is only referenced counts as one page.
  return Math.max(IMAGE_TOKENS, (stringOf(data).length * 3) / 4 / DOCUMENT_BYTES_PER_TOKEN);
}

/**
 * Tracks the tokens in the context. Messages are estimated as they are added; the usage that the server reports then
 * replaces the estimate.
 */
export class ContextMeter {
  readonly #fixed: number;
  #tokens: number;
  /** Messages that were not estimated yet: the usage that follows often makes that needless. */
  #added: (readonly Message[])[] = [];

  /** `fixed`: what every request has in addition to the conversation. */
  constructor(fixed?: Pick<ModelRequest, "system" | "tools">) {
    this.#fixed = estimateTokens([fixed?.system, fixed?.tools]);
    this.#tokens = this.#fixed;
  }

  get tokens(): number {
    for (const messages of this.#added.splice(0)) this.#tokens += estimateTokens(messages);
    return this.#tokens;
  }

  /** Ignores usage without a count of the request, which some servers send. */
  took({ inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens }: Usage): void {
    const request = count(inputTokens) + count(cacheReadTokens) + count(cacheWriteTokens);
    if (request > 0) this.#set(request + count(outputTokens));
  }

  added(messages: readonly Message[]): void {
    this.#added.push(messages);
  }

  /** The conversation was replaced: estimates it until the next usage. */
  reset(messages: readonly Message[]): void {
    this.#set(this.#fixed);
    this.#added.push(messages);
  }

  #set(tokens: number): void {
    this.#tokens = tokens;
    this.#added = [];
  }
}

function count(tokens: number): number {
  return Number.isFinite(tokens) ? Math.max(0, tokens) : 0;
}
