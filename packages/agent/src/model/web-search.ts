/** Web search that the provider runs on its own servers: not a call, so permissions and hooks do not see it. */

import type { ModelRequest, ToolDefinition } from "./message.ts";

/**
 * Configures a provider's own web search. It runs on the provider's servers, so permissions and hooks do not see it.
 */
export interface ProviderSearch {
  /** The maximum number of searches in one response. Default: no limit. */
  readonly maxUses?: number;
  /** Only results of these domains. Default: all. */
  readonly allowedDomains?: readonly string[];
  /**
   * The name of a tool that it replaces. It is then offered only in requests with that tool. Default: it is offered
   * in every request with tools.
   */
  readonly inPlaceOf?: string;
}

type Definition = Readonly<Record<string, unknown>>;

/** The tools of a request: ours, then the provider's, and a limit for the latter. */
interface Offered {
  readonly tools: readonly ToolDefinition[];
  readonly search: readonly Definition[];
  readonly limit: Definition;
}

export function withAnthropicSearch({ tools }: ModelRequest, search: ProviderSearch | undefined): Offered {
  if (!isOffered(tools, search)) return { tools, search: [], limit: {} };
  const { maxUses, allowedDomains } = search;
  const definition = {
    type: "web_search_20250305",
    name: "web_search",
    ...(maxUses === undefined ? {} : { max_uses: maxUses }),
    ...(allowedDomains === undefined ? {} : { allowed_domains: allowedDomains }),
  };
  return { tools: others(tools, search), search: [definition], limit: {} };
}

/** OpenAI's limit applies to all of its own tools, and search is the only one here. */
export function withOpenAiSearch({ tools }: ModelRequest, search: ProviderSearch | undefined): Offered {
  if (!isOffered(tools, search)) return { tools, search: [], limit: {} };
  const { maxUses, allowedDomains } = search;
  const filters = allowedDomains === undefined ? {} : { filters: { allowed_domains: allowedDomains } };
  return {
    tools: others(tools, search),
    search: [{ type: "web_search", ...filters }],
    limit: maxUses === undefined ? {} : { max_tool_calls: maxUses },
  };
}

function isOffered(
  tools: readonly ToolDefinition[],
  search: ProviderSearch | undefined,
): search is ProviderSearch {
  const { inPlaceOf } = search ?? {};
  if (inPlaceOf === undefined) return search !== undefined && tools.length > 0;
  return tools.some(({ name }) => name === inPlaceOf);
}

function others(tools: readonly ToolDefinition[], { inPlaceOf }: ProviderSearch): ToolDefinition[] {
  return tools.filter(({ name }) => name !== inPlaceOf);
}
