/** A request of the Messages API. What stays the same between turns comes first and is marked for the cache. */

import type { Block, Message, ModelRequest } from "./message.ts";

const CACHE = { cache_control: { type: "ephemeral" } } as const;
/** A message before the last is marked too, so that a turn with many results still finds the one before it. */
const MARKED_MESSAGES = 2;

export function anthropicBody(model: string, request: ModelRequest): Record<string, unknown> {
  const { system, tools, messages, maxTokens } = request;
  return {
    model,
    max_tokens: maxTokens,
    stream: true,
    ...(system === "" ? {} : { system: [{ type: "text", text: system, ...CACHE }] }),
    ...(tools.length === 0
      ? {}
      : { tools: tools.map((tool, at) => (at === tools.length - 1 ? { ...tool, ...CACHE } : tool)) }),
    messages: messages.map((message, at) => (isMarked(messages, at) ? marked(message) : message)),
  };
}

/** The last messages of the user: there a later request goes on. */
function isMarked(messages: readonly Message[], at: number): boolean {
  if (messages[at]?.role !== "user") return false;
  const later = messages.slice(at + 1).filter(({ role }) => role === "user").length;
  return later < MARKED_MESSAGES;
}

function marked({ role, content }: Message): Message {
  const blocks: readonly Block[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const last = blocks.at(-1);
  if (last === undefined) return { role, content };
  return { role, content: [...blocks.slice(0, -1), { ...last, ...CACHE }] };
}
