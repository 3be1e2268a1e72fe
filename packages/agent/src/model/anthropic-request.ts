/** Builds requests of the Messages API. The part that stays the same comes first and is marked for the cache. */

import { AI_SDK_PART, PROVIDER_OPTIONS } from "./ai-sdk-part.ts";
import type { Block, Message, ModelRequest } from "./message.ts";
import { OPENAI, isOpenAiBlock } from "./openai-item.ts";
import { type ProviderCode, isContainer, scriptsIn, withCode } from "./provider-code.ts";
import { type ProviderSearch, withAnthropicSearch } from "./web-search.ts";

const CACHE = { cache_control: { type: "ephemeral" } } as const;
/** Two marks, so that a turn with many results still finds the mark of the previous request. */
const MARKED_MESSAGES = 2;

/** What the provider runs on its own servers. */
interface ProviderTools {
  readonly webSearch?: ProviderSearch | undefined;
  readonly codeExecution?: ProviderCode | undefined;
  /** Gives up a script that waits for results. Default: false. */
  readonly givesUp?: boolean;
}

export function anthropicBody(
  model: string,
  request: ModelRequest,
  { webSearch, codeExecution, givesUp }: ProviderTools = {},
): Record<string, unknown> {
  const { system, maxTokens } = request;
  const offered = withAnthropicSearch(request, webSearch);
  const tools = [...withCode(offered.tools, codeExecution), ...offered.search];
  const { messages, container } = scriptsIn(request.messages, givesUp);
  const own = messages.flatMap(ownMessage).map(inBlocks);
  const places = markedPlaces(own);
  return {
    model,
    max_tokens: maxTokens,
    stream: true,
    ...(container === undefined ? {} : { container }),
    ...(system === "" ? {} : { system: [{ type: "text", text: system, ...CACHE }] }),
    ...(tools.length === 0
      ? {}
      : { tools: tools.map((tool, at) => (at === tools.length - 1 ? { ...tool, ...CACHE } : tool)) }),
    messages: own.map((message, at) => (places.has(at) ? marked(message) : message)),
  };
}

/** Removes data of other providers, which this API would reject. */
function ownMessage(message: Message): Message[] {
  const { role, content } = message;
  if (typeof content === "string" || !content.some(isForeign)) return [message];
  const blocks = content
    .filter((block) => !isOpenAiBlock(block) && block.type !== AI_SDK_PART && !isContainer(block))
    .map(({ [PROVIDER_OPTIONS]: _options, [OPENAI]: _own, ...block }) => block as Block);
  return blocks.length === 0 ? [] : [{ role, content: blocks }];
}

function isForeign(block: Block): boolean {
  if (isOpenAiBlock(block) || block.type === AI_SDK_PART || isContainer(block)) return true;
  return PROVIDER_OPTIONS in block || OPENAI in block;
}

/** Returns the places of the last user messages: the next request continues from there. */
function markedPlaces(messages: readonly Message[]): ReadonlySet<number> {
  const places = new Set<number>();
  for (let at = messages.length - 1; at >= 0 && places.size < MARKED_MESSAGES; at--)
    if (messages[at]?.role === "user") places.add(at);
  return places;
}

/** A message has the same form in every request, so the cached prefix stays byte-identical. */
function inBlocks(message: Message): BlockMessage {
  const { role, content } = message;
  return { role, content: typeof content === "string" ? [{ type: "text", text: content }] : content };
}

interface BlockMessage {
  readonly role: Message["role"];
  readonly content: readonly Block[];
}

function marked({ role, content }: BlockMessage): Message {
  const last = content.at(-1);
  if (last === undefined) return { role, content };
  return { role, content: [...content.slice(0, -1), { ...last, ...CACHE }] };
}
