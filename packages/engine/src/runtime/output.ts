/** Limits the size of results: a result that is too large goes to the store, and the model gets both ends. */

import { copyText } from "./platform.ts";
import type { Results } from "./ports.ts";
import { messageOf, toText } from "./serialise.ts";
import type { AnyTool, ResultBlock, ResultContent } from "./tool.ts";
import { isObject, stringOf } from "../wire/shape.ts";

export const DEFAULT_RESULT_CHARS = 30_000;
export const DEFAULT_TURN_CHARS = 200_000;
/** How many characters of each end of a stored result the model gets. */
const PREVIEW_CHARS = 2_000;

/** Returns the output of a tool as content: its own rendering, or text. */
export function toContent(tool: AnyTool, output: unknown): ResultContent {
  if (tool.toResult === undefined) return clean(toText(output), tool);
  try {
    return fromTool(tool.toResult(output), tool);
  } catch (error) {
    // The call succeeded, so a failed rendering must not look like a failed call.
    return `${clean(toText(output), tool)}\n(Its result could not be rendered: ${messageOf(error)})`;
  }
}

function fromTool(content: unknown, tool: AnyTool): ResultContent {
  if (!Array.isArray(content)) return clean(toText(content), tool);
  const blocks = content.map(cleanBlock).filter(hasContent);
  return blocks.length === 0 ? clean("", tool) : blocks;
}

/** The API refuses empty text blocks. */
function hasContent(block: ResultBlock): boolean {
  return block.type !== "text" || block.text.trim() !== "";
}

/** Content that a hook returns instead of the tool's. */
export function checkedContent(content: unknown): ResultContent {
  if (typeof content === "string") return content;
  if (!Array.isArray(content) || !content.every(isBlock))
    throw new TypeError("its content must be a string or a list of text, image and document blocks");
  return content.map(cleanBlock).filter(hasContent);
}

function isBlock(block: unknown): block is ResultBlock {
  const { type, text } = (block ?? {}) as { type?: unknown; text?: unknown };
  return type === "text" ? typeof text === "string" : isMedia(block);
}

/** Whether the API accepts it as an image or a document. What only the API knows, such as the format, is not checked. */
function isMedia(block: unknown): block is Exclude<ResultBlock, { type: "text" }> {
  const { type, source } = (block ?? {}) as { type?: unknown; source?: unknown };
  if ((type !== "image" && type !== "document") || !isObject(source)) return false;
  const parts = SOURCE_PARTS.get(source["type"]) ?? [];
  return typeof source["type"] === "string" && parts.every((part) => stringOf(source[part]) !== "");
}

/** The parts of a source that must not be empty. */
const SOURCE_PARTS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["base64", ["media_type", "data"]],
  ["text", ["data"]],
  ["url", ["url"]],
  ["file", ["file_id"]],
]);

function clean(text: string, tool: AnyTool): string {
  if (text === "") return `(${tool.name} completed with no output)`;
  return cleanText(text);
}

/** Text that is safe to send to a model. */
export function cleanText(text: string): string {
  if (text.includes("\u0000")) return `[binary data, ${text.length} characters, not shown]`;
  return text.isWellFormed() ? text : text.toWellFormed();
}

function cleanBlock(block: unknown): ResultBlock {
  const { type, text } = (block ?? {}) as { type?: unknown; text?: unknown };
  if (type === "text") return { ...(block as ResultBlock), text: cleanText(toText(text)) } as ResultBlock;
  return isMedia(block) ? block : { type: "text", text: cleanText(toText(block)) };
}

/** How many characters of text a result has. */
export function contentChars(content: ResultContent): number {
  return typeof content === "string"
    ? content.length
    : content.reduce((sum, block) => sum + blockChars(block), 0);
}

function blockChars(block: ResultBlock): number {
  return block.type === "text" ? block.text.length : 0;
}

export interface Bounding {
  readonly callId: string;
  readonly toolName: string;
  readonly maxChars: number;
  readonly results: Results;
  /** Called when the store failed. */
  readonly onFailure: (callId: string, toolName: string, message: string) => void;
}

/** Shortens content that is too large to its two ends and the location of the full text. */
export async function bound<Content extends ResultContent>(
  content: Content,
  bounding: Bounding,
): Promise<Content | string | ResultBlock[]> {
  if (contentChars(content) <= bounding.maxChars) return content;
  if (typeof content === "string") return store(content, bounding);
  const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  const others = content.filter((block) => block.type !== "text");
  return [{ type: "text", text: await store(text, bounding) }, ...others];
}

async function store(
  text: string,
  { callId, toolName, maxChars, results, onFailure }: Bounding,
): Promise<string> {
  const shortened = (where: string, chars: number): string =>
    `[Result too large: ${text.length} characters${where}. Its beginning and end:]\n${bothEnds(text, chars)}`;
  try {
    const reference = await results.store({ callId, toolName, text });
    return shortened(`. The full result is stored in ${reference}`, Math.min(PREVIEW_CHARS * 2, maxChars));
  } catch (error) {
    const message = messageOf(error);
    onFailure(callId, toolName, message);
    return shortened(`, and it could not be stored (${message})`, maxChars);
  }
}

/** Returns the two ends of a text, at most `maxChars` together, and how much is left out between them. */
export function bothEnds(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const head = copyText(text.slice(0, cut(text, Math.ceil(maxChars / 2), -1)));
  const tail = copyText(text.slice(cut(text, text.length - Math.floor(maxChars / 2), 1)));
  return `${head}\n[… ${text.length - head.length - tail.length} characters left out …]\n${tail}`;
}

const BASE64_RUN = 256;

/**
 * Returns where to cut near this position: never between the halves of a surrogate pair, and never inside a long run of
 * base64, because half of it is useless.
 */
function cut(text: string, wanted: number, side: -1 | 1): number {
  let start = wanted;
  let end = wanted;
  while (start > 0 && isBase64(text, start - 1)) start--;
  while (end < text.length && isBase64(text, end)) end++;
  if (start < wanted && wanted < end && end - start > BASE64_RUN) return side < 0 ? start : end;
  const splitsPair = (text.codePointAt(wanted - 1) ?? 0) > 0xffff;
  return splitsPair ? wanted + side : wanted;
}

function isBase64(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  // Letters, digits and `/`, then `+`, `-`, `=` and `_`.
  const isLetter = (code | 32) >= 97 && (code | 32) <= 122;
  return isLetter || (code >= 47 && code <= 57) || code === 43 || code === 45 || code === 61 || code === 95;
}

/** Keeps both ends of a running call's output, in constant memory. */
export class PrintedSoFar {
  #head = "";
  #tail = "";
  #dropped = 0;

  add(text: string): void {
    const room = PREVIEW_CHARS - this.#head.length;
    if (room > 0) this.#head += copyText(text.slice(0, room));
    this.#tail += text.slice(Math.max(0, room));
    const over = this.#tail.length - PREVIEW_CHARS * 2;
    if (over <= 0) return;
    // Cut to half, so that many small pieces are not copied each time.
    const dropped = this.#tail.length - PREVIEW_CHARS;
    this.#tail = copyText(this.#tail.slice(dropped));
    this.#dropped += dropped;
  }

  toString(): string {
    if (this.#dropped === 0) return `${this.#head}${this.#tail}`.toWellFormed();
    // Half of a surrogate pair at the cut is left out too.
    const head = this.#head.replace(/[\uD800-\uDBFF]$/, "");
    const tail = this.#tail.replace(/^[\uDC00-\uDFFF]/, "");
    return `${head}\n[… ${this.#dropped} characters left out …]\n${tail}`.toWellFormed();
  }
}

/**
 * Creates a store that keeps large results in memory; the default of an executor.
 *
 * The oldest results are dropped when there are too many. `read` returns undefined for a dropped or unknown reference.
 *
 * @param maxChars - How many characters are kept at most. Default: 32,000,000. Storing a longer text throws.
 *
 * @example
 * ```ts
 * import { StreamingToolExecutor, memoryResults } from "@runahead/engine";
 *
 * const results = memoryResults();
 * const executor = new StreamingToolExecutor({ tools: [], results });
 * // A result that was too large names the reference under which the whole text can be read:
 * console.log(results.read("memory:/results/1-toolu_1"));
 * ```
 */
export function memoryResults(
  maxChars = 32_000_000,
): Results & { read(reference: string): string | undefined } {
  const kept = new Map<string, string>();
  let total = 0;
  let stored = 0;
  return {
    store({ callId, text }) {
      if (text.length > maxChars) throw new Error(`the memory store holds at most ${maxChars} characters`);
      const reference = `memory:/results/${++stored}-${callId}`;
      kept.set(reference, text);
      total += text.length;
      for (const [oldest, old] of kept) {
        if (total <= maxChars) break;
        kept.delete(oldest);
        total -= old.length;
      }
      return reference;
    },
    read: (reference) => kept.get(reference),
  };
}
