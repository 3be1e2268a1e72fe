/** Requests of the host about MCP servers. */

import { type CodingAgent, UsageError } from "@runahead/harness";
import { toolMembers } from "@runahead/harness/internal";
import { statusOf } from "../../shared/servers-started.ts";
import { type Members, isMembers, textIn } from "./members.ts";
import type { Controlled, Handle } from "./requests.ts";
import { HostServer, type HostServerSettings } from "./servers.ts";

export const MCP_HANDLERS: Readonly<Record<string, Handle>> = {
  mcp_status: (_request, { made }) => ({ mcpServers: serverStatuses(made) }),
  mcp_set_servers: setServers,
  mcp_reconnect: async (request, { made }) => {
    await made.mcp.reconnect(nameIn(request));
    return {};
  },
  mcp_toggle: async (request, { made }) => {
    await made.mcp.setEnabled(nameIn(request), request["enabled"] === true);
    return {};
  },
  mcp_read_resource: async (request, { made }) => {
    const uri = textIn(request, "uri") ?? "";
    if (!uri.startsWith("ui://")) throw new Error(`Only ui:// resources can be read, got ${uri || "none"}.`);
    const text = await made.mcp.resource(nameIn(request), uri, AbortSignal.timeout(READ_MS));
    return { contents: [{ uri, text }] };
  },
};

const READ_MS = 30_000;
const LEAST_TIMEOUT_MS = 1_000;

function nameIn(request: Members): string {
  return textIn(request, "serverName") ?? "";
}

/** Servers of the start stay: the host names those that it runs itself again each time. */
async function setServers(
  request: Members,
  { made, servers, firstServers, link }: Controlled,
): Promise<Members> {
  const given = request["servers"];
  if (!isMembers(given)) throw new Error("servers must be an object.");
  const entries = Object.entries(given);
  const hosted = entries
    .filter(([, entry]) => isHosted(entry))
    .map(([name, entry]) => {
      const settings = serverSettings(name, entry);
      const known = servers.get(name);
      const isSame = known?.hasSettings(settings) === true;
      return { name, isSame, server: isSame ? known : new HostServer(name, link, settings) };
    });
  const later = hosted.filter(({ name }) => !firstServers.has(name));
  for (const { name, server } of later) servers.set(name, server);
  const own = later.map(({ name, server }) => ({ name, ...server.options }));
  const configured = Object.fromEntries(entries.filter(([, entry]) => !isHosted(entry)));
  const { errors, ...changes } = await made.setMcpServers({ configured, own });
  const names = later.map(({ name }) => name);
  for (const name of changes.removed) if (!names.includes(name)) servers.delete(name);
  const unchanged = hosted
    .filter(({ name, isSame }) => firstServers.has(name) && !isSame)
    .map(({ name }) => [name, "Its settings are those of the start of the session. They cannot change."]);
  return { ...changes, errors: { ...errors, ...Object.fromEntries(unchanged) } };
}

function isHosted(entry: unknown): boolean {
  return isMembers(entry) && entry["type"] === "sdk";
}

/** Reads what the host says about a server of its own. Throws if it restricts tools in a way that is not known. */
export function serverSettings(name: string, entry: unknown): HostServerSettings {
  if (!isMembers(entry)) return {};
  const { timeout } = entry;
  const read = toolMembers(entry);
  if (typeof read === "string") throw new UsageError(`The MCP server ${name} cannot be used: ${read}.`);
  const { tools } = read.members;
  return {
    ...(typeof timeout === "number" && timeout >= LEAST_TIMEOUT_MS ? { timeoutMs: timeout } : {}),
    ...(tools === undefined ? {} : { tools }),
  };
}

export function serverStatuses({ mcp }: Pick<CodingAgent, "mcp">): Members[] {
  return mcp.servers().map(serverStatus);
}

type Status = ReturnType<CodingAgent["mcp"]["servers"]>[number];

function serverStatus({ name, state, tools }: Status): Members {
  const status = statusOf(state);
  return {
    name,
    status,
    ...("why" in state && status === "failed" ? { error: state.why } : {}),
    tools: tools.map((tool) => ({ name: tool.replace(/^mcp__.*?__/, "") })),
  };
}
