/** Adds the reasoning that some servers require of every answer in the history, also of those that came without any. */

import type { Block, Message } from "../model/message.ts";
import { CHAT_REASONING } from "../model/openai-item.ts";
import { shapeOf } from "@runahead/base";

const MEMBER = "reasoning_content";
/** DeepSeek and Moonshot AI reject an empty text. */
const NOTHING = " ";

/** Returns the messages in which every answer has reasoning for this model, or undefined if they all have it. */
export function withReasoning(messages: readonly Message[], model: string): readonly Message[] | undefined {
  const added: Block = { type: CHAT_REASONING, model, message: { [MEMBER]: NOTHING } };
  const isReasoning = (block: Block): boolean =>
    block.type === CHAT_REASONING && block["model"] === model && MEMBER in shapeOf(block["message"]);
  const complete = messages.map((message): Message => {
    const { role, content } = message;
    const blocks: readonly Block[] =
      typeof content === "string" ? [{ type: "text", text: content }] : content;
    if (role !== "assistant" || blocks.some(isReasoning)) return message;
    return { role, content: [added, ...blocks] };
  });
  return complete.every((message, at) => message === messages[at]) ? undefined : complete;
}
