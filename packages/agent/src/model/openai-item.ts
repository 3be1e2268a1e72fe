/** Items of the Responses API that must be sent back unchanged. */

import type { Shape } from "@runahead/base";
import type { Block } from "./message.ts";

/** The type of the block for each type of item. */
const BLOCKS: ReadonlyMap<unknown, string> = new Map([
  ["reasoning", "openai_reasoning"],
  ["web_search_call", "openai_web_search"],
]);

export function openAiItem(item: Shape): Block | undefined {
  const type = BLOCKS.get(item["type"]);
  return type === undefined ? undefined : { type, item };
}

export function isOpenAiItem({ type }: Block): boolean {
  return [...BLOCKS.values()].includes(type);
}
