/** Removes what a server probably objects to from a history that looks valid but was rejected. */

import type { Block, Message } from "../model/message.ts";
import { CHAT_REASONING, OPENAI_REASONING, OPENAI_SEARCH, withoutItemId } from "../model/openai-item.ts";
import { stringOf } from "@runahead/base";

const THINKING = new Set(["thinking", "redacted_thinking", CHAT_REASONING, OPENAI_REASONING, OPENAI_SEARCH]);

interface Suspects {
  readonly thinking: boolean;
  readonly media: boolean;
}

/** What the server's message points at: the APIs have no code for it. Both, if it names neither. */
function suspectsOf(complaint: string): Suspects {
  const thinking = /thinking|signature|reasoning|encrypted|\bitem\b/i.test(complaint);
  const media = /\b(image|document|pdf|media)/i.test(complaint);
  return thinking || media ? { thinking, media } : { thinking: true, media: true };
}

/** Whether a server rejects the history because an answer has no reasoning. */
export function missesReasoning(complaint: string): boolean {
  const isNamed = complaint.includes("reasoning_content");
  return isNamed && /\bmissing\b|\bmust (?:be passed back|include)/i.test(complaint);
}

/** Returns the messages without what the complaint is about, or undefined if there is nothing to remove. */
export function stripRejected(
  messages: readonly Message[],
  complaint: string,
): readonly Message[] | undefined {
  const suspects = suspectsOf(complaint);
  const stripped = messages.map((message) => stripMessage(message, suspects));
  return stripped.every((message, at) => message === messages[at]) ? undefined : stripped;
}

function stripMessage(message: Message, suspects: Suspects): Message {
  if (typeof message.content === "string") return message;
  const kept = suspects.thinking
    ? message.content.filter(({ type }) => !THINKING.has(type)).map(withoutItemId)
    : message.content;
  const content = suspects.media ? kept.map(withoutMedia) : kept;
  if (
    content.length === message.content.length &&
    content.every((block, at) => block === message.content[at])
  )
    return message;
  return { ...message, content: content.length === 0 ? [{ type: "text", text: "(thinking)" }] : content };
}

function withoutMedia(block: Block): Block {
  if (block.type === "image" || block.type === "document") return placeholder(block);
  const { content } = block;
  if (block.type !== "tool_result" || !Array.isArray(content)) return block;
  const inner = (content as readonly Block[]).map(withoutMedia);
  return inner.every((one, at) => one === content[at]) ? block : { ...block, content: inner };
}

function placeholder({ type, source }: Block): Block {
  const mediaType = stringOf((source as { media_type?: unknown } | undefined)?.media_type) || type;
  return { type: "text", text: `[${type} (${mediaType}) removed: the model's server rejected it.]` };
}
