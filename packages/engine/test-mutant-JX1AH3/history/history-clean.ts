/** Repairs single messages, so that the pairing only sees complete blocks. */

import {
  type Block,
  blocksOf,
  type HistoryMessage,
  isBlock,
  isCall,
  isEmptyMessage,
  isEmptyText,
  isInput,
  isResult,
  isThinking,
} from "./history-block.ts";
import { stringOf } from "../wire/shape.ts";
import { toWellFormed } from "../runtime/well-formed.ts";

/** A message with its index in the original history. */
export interface Entry {
  readonly message: HistoryMessage;
  readonly index: number;
}

type Note = (text: string) => void;

export function cleanMessage({ message, index }: Entry, repairs: string[]): Entry {
  const note = (text: string): void => void repairs.push(`message ${index}: ${text}`);
  if (typeof message.content === "string") return { message: cleanText(message, note), index };
  const blocks = blocksOf(message);
  const cleaned = blocks.flatMap((block) => cleanBlock(block, message.role, note));
  return { message: withBlocks(message, cleaned), index };
}

/** Returns the same message if its blocks are the same. */
export function withBlocks(message: HistoryMessage, blocks: readonly Block[]): HistoryMessage {
  const { content } = message;
  const isSame =
    Array.isArray(content) &&
    content.length === blocks.length &&
    blocks.every((block, at) => block === content[at]);
  return isSame ? message : { ...message, content: blocks };
}

/** The API accepts an empty message only as the last one, from the assistant. */
export function dropEmpty(entries: readonly Entry[], repairs: string[]): Entry[] {
  const kept: Entry[] = [];
  for (const entry of entries.toReversed()) {
    const isPrefill = kept.length === 0 && entry.message.role === "assistant";
    if (isPrefill || !isEmptyMessage(entry.message)) kept.push(entry);
    else repairs.push(`message ${entry.index}: removed, it had no content`);
  }
  return kept.toReversed();
}

function cleanText(message: HistoryMessage, note: Note): HistoryMessage {
  const text = stringOf(message.content).toWellFormed();
  if (text === message.content) return message;
  note("unpaired surrogates were replaced");
  return { ...message, content: text };
}

function cleanBlock(block: unknown, role: string, note: Note): Block[] {
  if (!isBlock(block)) return dropped("a block without a type was removed", note);
  if (isThinking(block)) return [block];
  if (isEmptyText(block)) return dropped("an empty text block was removed", note);
  if (isCall(block) && role !== "assistant") return dropped("a call in a user message was removed", note);
  if (isResult(block) && role !== "user")
    return dropped("a result in an assistant message was removed", note);
  const wellFormed = toWellFormed(block);
  if (wellFormed !== block) note("unpaired surrogates were replaced");
  const whole = isBlock(wellFormed) ? wellFormed : block;
  if (isCall(whole)) return [cleanCall(whole, note)];
  return [isResult(whole) ? cleanResult(whole, note) : whole];
}

function dropped(text: string, note: Note): Block[] {
  note(text);
  return [];
}

/** Keeps what the model wrote instead of an object, in the format that the API's documentation suggests. */
function cleanCall(call: Block, note: Note): Block {
  const { input } = call;
  if (isInput(input)) return call;
  note(`the input of call ${String(call["id"])} was not an object`);
  const isNothing = input === undefined || input === null || input === "";
  return { ...call, input: isNothing ? {} : { INVALID_JSON: input } };
}

function cleanResult(result: Block, note: Note): Block {
  const { content } = result;
  if (!Array.isArray(content)) return result;
  const kept = content.filter((block) => isBlock(block) && !isEmptyText(block));
  if (kept.length === content.length) return result;
  note(`empty blocks in the result of call ${String(result["tool_use_id"])} were removed`);
  return { ...result, content: kept };
}
