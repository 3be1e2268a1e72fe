/** The MCP servers and sub-agents of the program, and its answers to servers. */

import type { AgentDefinition, HookRunner, Model } from "@runahead/agent";
import { isShape, stringOf, type Shape } from "@runahead/base";
import type { FoundMcpServer, McpAskBack } from "@runahead/mcp";
import type { AskUser } from "@runahead/tools";
import type { HostParts } from "../host.ts";
import { sampleBy } from "./sampling.ts";

/** Servers of the program are trusted: it could do everything itself. */
export function hostServers({ mcpServers = [] }: HostParts): FoundMcpServer[] {
  return mcpServers.map(({ name, connect, timeoutMs, tools }) => ({
    name,
    path: "the program",
    source: "sdk",
    trusted: true,
    server: { type: "host", connect, ...(timeoutMs === undefined ? {} : { timeoutMs }) },
    ...(tools === undefined ? {} : { tools }),
  }));
}

/** Those of the program come first; of two with the same name, the first is used. */
export function withHostAgents(
  { agents = [] }: HostParts,
  ofFiles: readonly AgentDefinition[],
): AgentDefinition[] {
  const all = [...agents, ...ofFiles];
  return all.filter(({ name }, at) => all.findIndex((other) => other.name === name) === at);
}

/** Elicitation hooks answer first, and ElicitationResult hooks can change every answer. */
export function askBackOf(
  { elicit, askUser }: HostParts & { readonly askUser?: AskUser },
  { hooks, model }: { readonly hooks: () => HookRunner | undefined; readonly model: Model },
): McpAskBack {
  const sampling = askUser === undefined ? {} : { sample: sampleBy(askUser, model) };
  if (elicit === undefined) return sampling;
  return {
    ...sampling,
    elicit: async (params, signal, server) => {
      const runner = hooks();
      const asked = isShape(params) ? params : {};
      const facts = {
        mcp_server_name: server,
        message: stringOf(asked["message"], ""),
        mode: stringOf(asked["mode"], "form"),
        ...(asked["url"] === undefined ? {} : { url: asked["url"] }),
        ...(asked["requestedSchema"] === undefined ? {} : { requested_schema: asked["requestedSchema"] }),
      };
      const early = await decided(runner, "Elicitation", facts, signal);
      const answer = early ?? (await elicit(params, signal, server));
      const { action, content } = answer;
      const result = { mcp_server_name: server, mode: facts.mode, action, content };
      return (await decided(runner, "ElicitationResult", result, signal)) ?? answer;
    },
  };
}

type ElicitEvent = "Elicitation" | "ElicitationResult";

/** Returns undefined if no hook decides. A block declines. */
async function decided(
  hooks: HookRunner | undefined,
  event: ElicitEvent,
  ...[facts, signal]: readonly [Shape, AbortSignal]
): Promise<Record<string, unknown> | undefined> {
  if (hooks?.has(event) !== true) return undefined;
  const { specific = [], blocked } = await hooks.happen(event, facts, { signal });
  if (blocked !== undefined) return { action: "decline" };
  const chosen = specific.findLast(({ action }) => typeof action === "string");
  if (chosen === undefined) return undefined;
  const { action, content } = chosen;
  return { action, ...(content === undefined ? {} : { content }) };
}

/** Returns the system prompt of the program, if it has one. */
export function systemOf({ systemPrompt }: HostParts, appended: string): string | undefined {
  if (systemPrompt === undefined) return undefined;
  return [systemPrompt, appended].filter((part) => part !== "").join("\n\n");
}
