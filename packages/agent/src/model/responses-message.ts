/** Messages of the Responses API as blocks of text, and back. */

import { type Shape, listOf, shapeOf, stringOf } from "@runahead/base";
import type { Block } from "./message.ts";
import { ownMembers, withOwn } from "./openai-item.ts";

/** Returns the block of a whole message; undefined if it has no text. The message goes back as it came. */
export function messageBlock(item: Shape, said: string): Block | undefined {
  const parts = listOf(item["content"]).map(shapeOf);
  const text = parts.map(textOf).join("") || said;
  if (text.trim() === "") return undefined;
  return withOwn({ type: "text", text }, "item", ownOf(item, parts));
}

/** The text itself is kept once, if the rest of its message can be restored without it. */
function ownOf(item: Shape, parts: readonly Shape[]): Shape {
  const { type: _type, role: _role, content: _content, ...own } = item;
  const [part = {}] = parts;
  const isPlain = parts.length <= 1 && (part["type"] ?? "output_text") === "output_text";
  if (!isPlain) return { ...own, content: parts };
  const { text: _text, type: _ofPart, ...rest } = part;
  return Object.keys(rest).length === 0 ? own : { ...own, part: rest };
}

/** Returns the message of a block of text. */
export function messageItem(block: Block): Shape {
  const { part, content, ...own } = ownMembers(block, "item");
  const isKnown = Object.keys(own).length > 0;
  const plain = [{ type: "output_text", text: stringOf(block["text"]), ...shapeOf(part) }];
  const message = { role: "assistant", content: content ?? plain };
  return isKnown ? { type: "message", ...own, ...message } : message;
}

function textOf(part: Shape): string {
  return stringOf(part["text"]) || stringOf(part["refusal"]);
}
