/** Data of OpenAI's APIs and of compatible servers in a history that has the Messages API's form. */

import { type Shape, shapeOf } from "@runahead/base";
import type { Block } from "./message.ts";

/** Reasoning of the Responses API, and searches, which it takes only with their reasoning. */
export const OPENAI_REASONING = "openai_reasoning";
export const OPENAI_SEARCH = "openai_web_search";

/** Items of the Responses API that go back unchanged. Reasoning and searches have types of their own. */
const BLOCKS: ReadonlyMap<unknown, string> = new Map([
  ["reasoning", OPENAI_REASONING],
  ["web_search_call", OPENAI_SEARCH],
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

/** Returns a block without the id of its item, which the Responses API knows only together with its reasoning. */
export function withoutItemId(block: Block): Block {
  const { id, ...own } = ownMembers(block, "item");
  return id === undefined ? block : { ...block, [OPENAI]: { item: own } };
}

/** Returns the members that an API's server sent with a block. */
export function ownMembers(block: Block, api: "item" | "chat"): Shape {
  return shapeOf(shapeOf(block[OPENAI])[api]);
}
