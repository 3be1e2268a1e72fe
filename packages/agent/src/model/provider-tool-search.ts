/**
 * The provider's own tool search: all tools are sent, the deferred ones marked. They are not part of the cached prompt
 * until the provider's search has found them, and the model then calls them like any other tool.
 */

import { ModelError } from "./error.ts";
import type { Model } from "./event.ts";
import type { Block, Message, ModelRequest, ToolDefinition } from "./message.ts";

const SEARCH = { type: "tool_search_tool_bm25_20251119", name: "tool_search_tool_bm25" };

const searching = new WeakSet<Model>();

/** Notes that a model's provider can search tools: Anthropic's own address and a Claude 4 model or newer. */
export function noteToolSearch(model: Model, name: string, address: string): Model {
  const isOwn = address === "" || hostOf(address) === "api.anthropic.com";
  if (isOwn && name.startsWith("claude-") && !/^claude-(?:[123]\b|instant)/.test(name)) searching.add(model);
  return model;
}

export function canSearchTools(model: Model): boolean {
  return searching.has(model);
}

/** Whether the server can have refused the search; then ours is tried, and used from now on. */
export function refusesToolSearch(error: unknown): boolean {
  return error instanceof ModelError && error.kind === "bad-request";
}

/** The last tool carries the mark of the cache, which a deferred one cannot, so those come first. */
export function searchedRequest(
  request: ModelRequest,
  {
    searchTool,
    isDeferrable,
  }: { readonly searchTool: string; readonly isDeferrable: (tool: ToolDefinition) => boolean },
): ModelRequest {
  const deferred = request.tools.filter(isDeferrable).map((tool) => ({ ...tool, defer_loading: true }));
  const others = request.tools.filter((tool) => !isDeferrable(tool) && tool.name !== searchTool);
  const tools = [...deferred, SEARCH, ...others] as unknown as readonly ToolDefinition[];
  return { ...request, tools };
}

/** Without what the provider's search has added, which other servers reject. */
export function withoutSearches(message: Message): Message {
  const { role, content } = message;
  if (typeof content === "string" || !content.some(isOfSearch)) return message;
  const kept = content.filter((block) => !isOfSearch(block));
  return { role, content: kept.length === 0 ? [{ type: "text", text: "(searched for tools)" }] : kept };
}

function isOfSearch({ type, name }: Block): boolean {
  return (
    type === "tool_search_tool_result" ||
    (type === "server_tool_use" && typeof name === "string" && name.startsWith("tool_search_tool"))
  );
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : "";
}
