/** Reasoning of Chat Completions servers in the history. Most servers expect it back under the same names. */

import { type Shape, mergedMember, shapeOf } from "@runahead/base";
import { wellFormed } from "@runahead/engine/wire";
import type { Block } from "./message.ts";
import { CHAT_REASONING } from "./openai-item.ts";

/** Returns the block of members that hold reasoning; undefined without any. */
export function reasoningBlock(model: string, members: Shape): Block | undefined {
  if (Object.keys(members).length === 0) return undefined;
  return { type: CHAT_REASONING, model, message: wellFormed(members) };
}

/** The members of an assistant message that give a model its reasoning back. Other models do not get it. */
export function reasoningMembers(blocks: readonly Block[], model: string): Shape {
  const members: Record<string, unknown> = {};
  for (const block of blocks) {
    if (block.type !== CHAT_REASONING || (block["model"] !== "" && block["model"] !== model)) continue;
    for (const [name, value] of Object.entries(shapeOf(block["message"])))
      members[name] = mergedMember(members[name], value);
  }
  return members;
}
