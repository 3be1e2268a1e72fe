/** Reads the `initialize` request: what the host adds to the agent. */

import { type HarnessOptions, type HostMcpServer, type HostParts, isHookEvent } from "@runahead/harness";
import type { HostLink } from "./link.ts";
import { type Members, isMembers, textIn, textsIn } from "./members.ts";
import { HostServer } from "./servers.ts";

export interface Initialized {
  readonly parts: HostParts;
  readonly flags: Pick<HarnessOptions, "appendSystemPrompt" | "jsonSchema">;
  readonly servers: ReadonlyMap<string, HostServer>;
}

/** Returns nothing but defaults without a request. */
export function initialized(request: Members | undefined, link: HostLink): Initialized {
  if (request === undefined) return { parts: {}, flags: {}, servers: new Map() };
  const servers = serversOf(request, link);
  const systemPrompt = textsIn(request, "systemPrompt")?.join("\n\n").trim() ?? "";
  const appended = textIn(request, "appendSystemPrompt");
  const { jsonSchema } = request;
  return {
    servers,
    parts: {
      hooks: hooksOf(request["hooks"], link),
      mcpServers: [...servers].map(([name, server]): HostMcpServer => ({ name, ...server.options })),
      agents: agentsOf(request["agents"]),
      elicit: (params, signal, server) => elicit(link, { params, server }, signal),
      ...(systemPrompt === "" ? {} : { systemPrompt }),
    },
    flags: {
      ...(appended === undefined ? {} : { appendSystemPrompt: appended }),
      ...(isMembers(jsonSchema) ? { jsonSchema: JSON.stringify(jsonSchema) } : {}),
    },
  };
}

type Hooks = NonNullable<HostParts["hooks"]>;

/** Each callback of the host becomes a hook that is a function. */
function hooksOf(hooks: unknown, link: HostLink): Hooks {
  if (!isMembers(hooks)) return [];
  return Object.entries(hooks).flatMap(([event, groups]) => {
    if (!isHookEvent(event) || !Array.isArray(groups)) return [];
    return groups.filter(isMembers).flatMap((group) => groupOf(event, group, link));
  });
}

type HookName = Hooks[number]["event"];

function groupOf(event: HookName, group: Members, link: HostLink): Hooks {
  const { timeout, onFailure } = group;
  const matcher = textIn(group, "matcher");
  return (textsIn(group, "hookCallbackIds") ?? []).map((id) => ({
    event,
    name: id,
    ...(matcher === undefined ? {} : { matcher }),
    ...(typeof timeout === "number" && timeout > 0 ? { timeoutMs: timeout * 1000 } : {}),
    ...(onFailure === "block" ? { onFailure } : {}),
    run: async (payload, signal) => {
      const { tool_use_id } = payload;
      const asked = { subtype: "hook_callback", callback_id: id, input: payload, tool_use_id };
      return link.request(asked, signal);
    },
  }));
}

function serversOf(request: Members, link: HostLink): ReadonlyMap<string, HostServer> {
  const configs = isMembers(request["sdkMcpServerConfigs"]) ? request["sdkMcpServerConfigs"] : {};
  const names = textsIn(request, "sdkMcpServers") ?? [];
  return new Map(
    names.map((name) => {
      const config = configs[name];
      const timeout = isMembers(config) ? config["timeout"] : undefined;
      const timeoutMs = typeof timeout === "number" && timeout >= 1000 ? timeout : undefined;
      return [name, new HostServer(name, link, timeoutMs)];
    }),
  );
}

type Agents = NonNullable<HostParts["agents"]>;

function agentsOf(agents: unknown): Agents {
  if (!isMembers(agents)) return [];
  return Object.entries(agents).flatMap(([name, agent]) => {
    if (!isMembers(agent)) return [];
    const { maxTurns } = agent;
    const tools = textsIn(agent, "tools");
    return [
      {
        name,
        description: textIn(agent, "description") ?? "",
        prompt: textIn(agent, "prompt") ?? "",
        ...(tools === undefined ? {} : { tools }),
        ...(typeof maxTurns === "number" && maxTurns > 0 ? { maxTurns } : {}),
      },
    ];
  });
}

interface Elicitation {
  readonly params: unknown;
  readonly server: string;
}

/** The host asks the user for what an MCP server wants to know. */
async function elicit(
  link: HostLink,
  { params, server }: Elicitation,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const { message, mode, url, elicitationId, requestedSchema } = isMembers(params) ? params : {};
  const request = {
    subtype: "elicitation",
    mcp_server_name: server,
    message,
    mode,
    url,
    elicitation_id: elicitationId,
    requested_schema: requestedSchema,
  };
  const answer = await link.request(request, signal);
  const { action, content } = answer;
  return { action: action ?? "cancel", ...(content === undefined ? {} : { content }) };
}
