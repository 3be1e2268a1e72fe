/** Shortens old results: the cheapest way to make room, because the model has read them and can read them again. */

import type { Results } from "@runahead/engine";
import type { Block, Message } from "../model/message.ts";
import { stringOf } from "@runahead/base";
import { estimateTokens } from "./tokens.ts";

export interface Shortening {
  /** How much of the newest conversation stays unchanged. The last turn always does. */
  readonly keepTokens: number;
  /** Stores the full results. */
  readonly results: Results;
  readonly signal: AbortSignal;
}

/** Results up to this length are not shortened. */
const SHORT_CHARS = 600;
const KEPT_CHARS = 300;
const REASON_CHARS = 200;
const MARK = "[Shortened: ";
/** No note is longer, even with the longest path. A longer text only looks like one. */
const NOTE_CHARS = 5_000;
/** How the engine replaces a result that it has stored. */
const STORED =
  /^\[Result too large: (\d+) characters\. The full result is stored in (.+)\. Its beginning and end:\]/;

/**
 * Replaces long old results with notes. No result is removed, nothing but results changes, and unchanged messages stay
 * the same objects.
 */
export async function shortenResults(
  messages: readonly Message[],
  shortening: Shortening,
): Promise<readonly Message[]> {
  const toolNames = toolNamesIn(messages);
  const end = endOfOld(messages, shortening.keepTokens);
  const after = [...messages];
  let changed = false;
  for (const [index, message] of messages.slice(0, end).entries()) {
    if (message.role !== "user" || typeof message.content === "string") continue;
    const content: Block[] = [];
    for (const block of message.content) {
      const toolName = toolNames.get(stringOf(block["tool_use_id"])) ?? "a tool";
      content.push(isLong(block) ? await shortened(block, toolName, shortening) : block);
    }
    if (content.every((block, at) => block === message.content[at])) continue;
    after[index] = { ...message, content };
    changed = true;
  }
  return changed ? after : messages;
}

function toolNamesIn(messages: readonly Message[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const { content } of messages) {
    if (typeof content === "string") continue;
    for (const block of content)
      if (block.type === "tool_use") names.set(stringOf(block["id"]), stringOf(block["name"]));
  }
  return names;
}

/** Returns the end of the part before the last turn and before the newest messages that fit into `keepTokens`. */
function endOfOld(messages: readonly Message[], keepTokens: number): number {
  let end = messages.length;
  for (let kept = 0; end > 0; end--) {
    kept += estimateTokens(messages[end - 1]);
    if (kept > keepTokens) break;
  }
  const lastTurn = messages.findLastIndex(({ role }) => role === "assistant");
  return Math.min(end, Math.max(0, lastTurn));
}

function isLong(block: Block): boolean {
  if (block.type !== "tool_result") return false;
  if (contentOf(block).some(isMedia)) return true;
  const texts = textsOf(block);
  const chars = texts.reduce((sum, text) => sum + text.length, 0);
  const isNote = chars <= NOTE_CHARS && texts.some((text) => text.startsWith(MARK));
  return chars > SHORT_CHARS && !isNote;
}

/** Returns the blocks of a result. A string is one text block. */
function contentOf({ content }: Block): readonly Block[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? (content as Block[]) : [];
}

function textsOf(result: Block): string[] {
  return contentOf(result).flatMap((block) => (block.type === "text" ? [stringOf(block["text"])] : []));
}

function isMedia({ type }: Block): boolean {
  return type === "image" || type === "document";
}

async function shortened(result: Block, toolName: string, shortening: Shortening): Promise<Block> {
  const withoutMedia = (block: Block): Block => (isMedia(block) ? placeholder(block) : block);
  const content = contentOf(result);
  const text = textsOf(result).join("\n");
  if (text.length <= SHORT_CHARS) return { ...result, content: content.map(withoutMedia) };
  const note = await noteOn({ callId: stringOf(result["tool_use_id"]), toolName, text }, shortening);
  if (typeof result["content"] === "string") return { ...result, content: note };
  const others = content.filter(({ type }) => type !== "text").map(withoutMedia);
  return { ...result, content: [{ type: "text", text: note }, ...others] };
}

/** What the model reads in place of an image that it has seen. */
function placeholder({ type, source }: Block): Block {
  const { media_type: mediaType, data } = (source ?? {}) as Record<string, unknown>;
  const kind = stringOf(mediaType, "of an unknown kind");
  const size = typeof data === "string" ? `${Math.floor((data.length * 3) / 4)} bytes` : "of an unknown size";
  const article = type === "image" ? "an image" : "a document";
  return { type: "text", text: `${MARK}${article}, ${kind}, ${size}, is no longer shown.]` };
}

interface StoredText {
  readonly callId: string;
  readonly toolName: string;
  readonly text: string;
}

async function noteOn(item: StoredText, { results, signal }: Shortening): Promise<string> {
  const { toolName, text } = item;
  const [, chars, path] = STORED.exec(text) ?? [];
  const about = `${MARK}the result of ${toolName}, ${chars ?? text.length} characters`;
  if (path !== undefined) return `${about}. The full result is stored in ${path}.]`;
  try {
    return `${about}. The full result is stored in ${await unlessAborted(() => results.store(item), signal)}.]`;
  } catch (error) {
    signal.throwIfAborted();
    const reason = copy((error instanceof Error ? error.message : String(error)).slice(0, REASON_CHARS));
    return `${about}. It could not be stored (${reason}). Only its beginning and end are kept:]\n${bothEnds(text)}`;
  }
}

/** A store that hangs must not delay an abort. */
async function unlessAborted(store: () => string | Promise<string>, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(new Error("stopped"));
    signal.addEventListener("abort", stop);
  });
  try {
    return await Promise.race([store(), aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function bothEnds(text: string): string {
  const half = KEPT_CHARS / 2;
  const left = text.length - KEPT_CHARS;
  return `${copy(text.slice(0, half))}\n[… ${left} characters omitted …]\n${copy(text.slice(-half))}`;
}

/** Copies a part, because a slice keeps the whole string in memory. Half a character at its edge is replaced. */
function copy(part: string): string {
  return Buffer.from(part, "utf8").toString("utf8");
}
