/**
 * A provider's own search of the web, run on its servers while the model answers: no call of ours, so nobody is asked
 * and no hook hears of it.
 */

import type { ModelRequest, ToolDefinition } from "./message.ts";

export interface ProviderSearch {
  /** Searches in one response: as many as the model likes, where absent. */
  readonly maxUses?: number;
  /** Results of these domains only. */
  readonly allowedDomains?: readonly string[];
  /**
   * The name of a tool of ours in whose place it is offered, and where that is not offered, neither is this. Where
   * absent, it is offered with every request that has tools: not with small questions, such as one about a page.
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
