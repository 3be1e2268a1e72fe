/** Starts the MCP servers of a coding agent. */

import type { HookRunner, Model } from "@runahead/agent";
import { type FoundMcpServer, type McpConnections, connectMcp } from "@runahead/mcp";
import type { Plugin } from "../../definitions/plugin.ts";
import type { LoadedSettings } from "../../settings/loaded.ts";
import { managedMcpServers } from "../../settings/managed-mcp.ts";
import { mcpApprovals } from "../../settings/mcp-approvals.ts";
import { mcpCredentials } from "../../settings/mcp-credentials.ts";
import { scopedMcpServers } from "../../settings/mcp-scopes.ts";
import type { Around } from "../around.ts";
import { DynamicServers } from "./dynamic-servers.ts";
import { askBackOf, hostServers } from "./host-servers.ts";
import { givenServers } from "./mcp-config.ts";
import { mcpEnvironment } from "./mcp-environment.ts";
import { fromSource, startable } from "./mcp-parts.ts";
import { isOnlyPlugins } from "../agents/only-plugins.ts";
import { NO_SERVERS, ofScopes } from "../settings-flags.ts";

interface McpParts extends Around {
  readonly settings: LoadedSettings;
  readonly plugins: readonly Plugin[];
  /** Answers requests of servers for a model. */
  readonly model: Model;
  readonly hooks: () => HookRunner | undefined;
}

export interface StartedMcp {
  readonly mcp: McpConnections;
  /** Starts further servers, such as those of a sub-agent, as far as the settings allow it. */
  readonly connect: (servers: readonly FoundMcpServer[]) => McpConnections;
  /** The servers that the program changes while the agent works. */
  readonly dynamic: DynamicServers;
}

/** Servers start in the background. */
export async function startMcp(parts: McpParts): Promise<StartedMcp> {
  const { world, flags, listeners, settings, plugins, model, hooks } = parts;
  const { cwd, home, env } = world;
  const { onNotice } = listeners;
  const { mcpConfig = [], strictMcpConfig, bare } = flags;
  const managed = await managedMcpServers({ env, passEnv: settings.passEnv });
  const given = managed === undefined ? await givenServers(world, mcpConfig, settings.passEnv) : [];
  const isOnlyGiven = managed !== undefined || strictMcpConfig === true || bare === true;
  const place = { cwd, home, env, isTrusted: settings.isTrusted, passEnv: settings.passEnv };
  const isHidden = isOnlyGiven || isOnlyPlugins(settings, "mcp");
  const scoped = isHidden ? NO_SERVERS : ofScopes(flags, await scopedMcpServers(place));
  for (const { severity, message } of [...(managed?.problems ?? []), ...scoped.problems])
    if (severity !== "note") onNotice(message);
  const taken = new Set(given.map(({ name }) => name));
  const all = [
    ...fromSource("dynamic", given),
    ...fromSource("managed", managed?.servers ?? []),
    ...scoped.servers
      .filter(({ name }) => !taken.has(name))
      .map(({ scope, ...server }) => ({ ...server, source: scope })),
    ...(isOnlyGiven
      ? []
      : fromSource(
          "plugin",
          plugins.flatMap((plugin) => plugin.servers),
        )),
  ];
  const options = {
    onNotice,
    cwd,
    ...mcpEnvironment(env, settings),
    askBack: askBackOf(listeners, { hooks, model }),
    credentials: mcpCredentials({ cwd, home, env, onNotice }),
    approvals: await mcpApprovals({ cwd, home, env }, onNotice),
    tellsUntrusted: false,
  };
  const usable = (servers: readonly FoundMcpServer[]): FoundMcpServer[] =>
    startable(servers, settings, onNotice);
  const mcp = connectMcp({ ...options, servers: [...hostServers(listeners), ...usable(all)] });
  return {
    mcp,
    dynamic: new DynamicServers({
      mcp,
      env,
      onNotice,
      usable: (servers) => (isHidden ? [] : usable(servers)),
    }),
    connect: (servers) => connectMcp({ ...options, servers: isHidden ? [] : usable(servers) }),
  };
}
