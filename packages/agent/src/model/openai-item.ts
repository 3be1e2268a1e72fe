/** Data of OpenAI's APIs and of compatible servers in a history that has the Messages API's form. */

import { type Shape, shapeOf } from "@runahead/base";
import type { Block } from "./message.ts";

/** Items of the Responses API that go back unchanged. Reasoning and searches have types of their own. */
const BLOCKS: ReadonlyMap<unknown, string> = new Map([
  ["reasoning", "openai_reasoning"],
  ["web_search_call", "openai_web_search"],
]);
const OTHER_ITEM = "openai_item";

/** Reasoning of a Chat Completions server. */
export const CHAT_REASONING = "openai_chat_reasoning";

/** A member of a text or a call: what else its server said about it and needs back. */
export const OPENAI = "openai";

const TYPES: ReadonlySet<string> = new Set([...BLOCKS.values(), OTHER_ITEM, CHAT_REASONING]);

/** Keeps an item as it is. */
export function openAiItem(item: Shape): Block {
  return { type: BLOCKS.get(item["type"]) ?? OTHER_ITEM, item };
}

/** Returns the item of a block that holds one. */
export function itemIn({ type, item }: Block): Shape | undefined {
  return TYPES.has(type) && type !== CHAT_REASONING ? shapeOf(item) : undefined;
}

/** Whether a block belongs to these servers and no other API takes it. */
export function isOpenAiBlock({ type }: Block): boolean {
  return TYPES.has(type);
}

/** A block with its server's own members, if there are any. */
export function withOwn(block: Block, api: "item" | "chat", own: Shape): Block {
  return Object.keys(own).length === 0 ? block : { ...block, [OPENAI]: { [api]: own } };
}

/** Returns the members that an API's server sent with a block. */
export function ownMembers(block: Block, api: "item" | "chat"): Shape {
  return shapeOf(shapeOf(block[OPENAI])[api]);
}
