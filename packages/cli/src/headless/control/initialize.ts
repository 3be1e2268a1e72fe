/** Reads the `initialize` request: what the host adds to the agent. */

import {
  type AgentFile,
  type HarnessOptions,
  type HostMcpServer,
  type HostParts,
  UsageError,
  isHookEvent,
} from "@runahead/harness";
import { agentIn, toolMembers } from "@runahead/harness/internal";
import type { HostLink } from "./link.ts";
import { serverSettings } from "./mcp-requests.ts";
import { type Members, isMembers, textIn, textsIn } from "./members.ts";
import { HostServer } from "./servers.ts";

export interface Initialized {
  readonly parts: HostParts;
  readonly flags: Pick<HarnessOptions, "appendSystemPrompt" | "jsonSchema">;
  /** MCP servers to run or connect to, by name, in the form of `.mcp.json`. */
  readonly mcpServers?: Members;
  readonly servers: ReadonlyMap<string, HostServer>;
  /** The plugins of the session; undefined if the host names none. */
  readonly plugins?: HostPlugins;
  /** What has no effect, with the reason. */
  readonly problems: readonly string[];
}

/** The folders of plugins. */
export interface HostPlugins {
  readonly whole: readonly string[];
  readonly withoutServers: readonly string[];
}

/** Returns nothing but defaults without a request. */
export function initialized(request: Members | undefined, link: HostLink): Initialized {
  if (request === undefined) return { parts: {}, flags: {}, servers: new Map(), problems: [] };
  const servers = serversOf(request, link);
  const systemPrompt = textsIn(request, "systemPrompt")?.join("\n\n").trim() ?? "";
  const appended = textIn(request, "appendSystemPrompt");
  const { jsonSchema } = request;
  const agents = agentsOf(request["agents"]);
  const skills = textsIn(request, "skills");
  const { plugins, mcpServers } = request;
  return {
    servers,
    problems: [...agents.problems, ...withoutEffect(request), ...allowedTools(request)],
    ...(plugins === undefined || plugins === null ? {} : { plugins: pluginsOf(plugins) }),
    ...(isMembers(mcpServers) ? { mcpServers } : {}),
    parts: {
      hooks: hooksOf(request["hooks"], link),
      mcpServers: [...servers].map(([name, server]): HostMcpServer => ({ name, ...server.options })),
      agentFiles: agents.files,
      elicit: (params, signal, server) => elicit(link, { params, server }, signal),
      ...(systemPrompt === "" ? {} : { systemPrompt }),
      ...(skills === undefined ? {} : { skills }),
    },
    flags: {
      ...(appended === undefined ? {} : { appendSystemPrompt: appended }),
      ...(isMembers(jsonSchema) ? { jsonSchema: JSON.stringify(jsonSchema) } : {}),
    },
  };
}

function pluginsOf(plugins: unknown): HostPlugins {
  const list = Array.isArray(plugins) ? (plugins as unknown[]) : [plugins];
  const read = list.map((plugin) => {
    const path = isMembers(plugin) ? textIn(plugin, "path") : undefined;
    if (path === undefined || !isMembers(plugin))
      throw new UsageError(`initialize: a plugin needs a path, got ${JSON.stringify(plugin)}.`);
    return { path, isWhole: plugin["skipMcpDiscovery"] !== true };
  });
  return {
    whole: read.filter(({ isWhole }) => isWhole).map(({ path }) => path),
    withoutServers: read.filter(({ isWhole }) => !isWhole).map(({ path }) => path),
  };
}

/** Members that ask for something that does not happen here. */
const NO_EFFECT: Readonly<Record<string, string>> = {
  title: "sessions have no titles",
  planModeInstructions: "plan mode has its own instructions",
  toolAliases: "tools are called by their own names",
  promptSuggestions: "Runahead does not suggest prompts",
  agentProgressSummaries: "the events of sub-agents are sent as they are",
  excludeDynamicSections: "the working directory stays in the system prompt",
  systemPromptSnapshot: "a session that is resumed gets the system prompt of its last start",
};

function withoutEffect(request: Members): string[] {
  const isAsked = (value: unknown): boolean => value !== undefined && value !== null && value !== false;
  return Object.entries(NO_EFFECT).flatMap(([name, why]) =>
    isAsked(request[name]) ? [`initialize: ${name} has no effect here: ${why}.`] : [],
  );
}

/** Policies of servers of the host that would let tools run without approval. */
function allowedTools(request: Members): string[] {
  const configs = isMembers(request["sdkMcpServerConfigs"]) ? request["sdkMcpServerConfigs"] : {};
  return Object.entries(configs).flatMap(([name, config]) => {
    const read = toolMembers(isMembers(config) ? config : {});
    if (typeof read === "string" || read.allowed.length === 0) return [];
    const list = read.allowed.join(", ");
    return [`initialize: always_allow has no effect for ${list} of ${name}: name the tools in allowedTools.`];
  });
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
      // A session ends after the host has closed its output, so nobody answers.
      if (event === "SessionEnd" && !link.isOpen) {
        link.tell(asked);
        return {};
      }
      return link.request(asked, signal);
    },
  }));
}

function serversOf(request: Members, link: HostLink): ReadonlyMap<string, HostServer> {
  const configs = isMembers(request["sdkMcpServerConfigs"]) ? request["sdkMcpServerConfigs"] : {};
  const names = textsIn(request, "sdkMcpServers") ?? [];
  return new Map(
    names.map((name) => [name, new HostServer(name, link, serverSettings(name, configs[name]))]),
  );
}

/** Read as files are, so that every field takes effect or is reported. */
function agentsOf(agents: unknown): { readonly files: AgentFile[]; readonly problems: string[] } {
  if (!isMembers(agents)) return { files: [], problems: [] };
  const read = Object.entries(agents).flatMap(([name, agent]) => {
    if (!isMembers(agent)) return [];
    const { prompt, ...fields } = agent;
    const lines = Object.entries({ ...fields, name }).flatMap(([key, value]) =>
      value === undefined || value === null ? [] : [`${key}: ${JSON.stringify(value)}`],
    );
    const body = typeof prompt === "string" ? prompt : "";
    return [agentIn(`---\n${lines.join("\n")}\n---\n${body}`, `the host's agent ${name}`)];
  });
  return {
    files: read.flatMap(({ agent }) => (agent === undefined ? [] : [agent])),
    problems: read
      .flatMap(({ problems }) => problems)
      .filter(({ severity }) => severity !== "note")
      .map(({ message }) => message),
  };
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
