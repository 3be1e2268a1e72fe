/** A history that the server refused although it is sound by all we know: what else it may stumble over is taken out. */

import type { Block, Message } from "../model/message.ts";
import { stringOf } from "@runahead/base";

const THINKING = new Set(["thinking", "redacted_thinking"]);

interface Suspects {
  readonly thinking: boolean;
  readonly media: boolean;
}

/** What the server's words point at; where they say nothing that is known, both. */
function suspectsOf(complaint: string): Suspects {
  const thinking = /thinking|signature/i.test(complaint);
  const media = /\b(image|document|pdf|media)/i.test(complaint);
  return thinking || media ? { thinking, media } : { thinking: true, media: true };
}

/** The same messages without what the complaint is about; undefined where there is nothing to take out. */
export function mendHistory(messages: readonly Message[], complaint: string): readonly Message[] | undefined {
  const suspects = suspectsOf(complaint);
  const mended = messages.map((message) => mendMessage(message, suspects));
  return mended.every((message, at) => message === messages[at]) ? undefined : mended;
}

function mendMessage(message: Message, suspects: Suspects): Message {
  if (typeof message.content === "string") return message;
  const kept = message.content.filter(({ type }) => !(suspects.thinking && THINKING.has(type)));
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
  return { type: "text", text: `[A ${type} (${mediaType}) was here; the model's server refused it.]` };
}
