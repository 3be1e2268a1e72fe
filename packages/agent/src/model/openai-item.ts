/** Items of the Responses API that are kept as they came, to be sent back as they came. */

import type { Shape } from "@runahead/base";
import type { Block } from "./message.ts";

/** By an item's type, that of its block: reasoning, and searches that the provider has made. */
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
