/**
 * A provider's own search of the web, run on its servers while the model answers: no call of ours, so nobody is asked
 * and no hook hears of it.
 */

import type { ModelRequest, ToolDefinition } from "./message.ts";

/**
 * Configures a provider's own web search. It runs on the provider's servers, so permissions and hooks do not see it.
 */
export interface ProviderSearch {
  /** The most searches in one response. Default: no limit. */
  readonly maxUses?: number;
  /** Only results of these domains. Default: all. */
  readonly allowedDomains?: readonly string[];
  /**
   * The name of a tool that it replaces: it is offered only with requests that offer that tool. Default: it is
   * offered with every request that has tools.
   */
  readonly inPlaceOf?: string;
}

type Definition = Readonly<Record<string, unknown>>;

/** What a request offers: our tools, then the provider's, and what goes beside them. */
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

/** The limit is on all tools of the provider's own, and this is the only one. */
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
