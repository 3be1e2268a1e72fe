/** Which MCP servers an agent starts, and with which variables. */

import type { FoundMcpServer, McpSource } from "@runahead/mcp";
import type { LoadedSettings } from "../../settings/loaded.ts";
import { mcpObjection } from "../../settings/mcp-choice.ts";

/** The servers, with who defines them. */
export function fromSource(source: McpSource, servers: readonly FoundMcpServer[]): readonly FoundMcpServer[] {
  return servers.map((server) => ({ ...server, source }));
}

/** The servers that the settings do not exclude. An excluded one of a trusted folder is reported. */
export function startable(
  servers: readonly FoundMcpServer[],
  settings: LoadedSettings,
  onNotice: (message: string) => void,
): FoundMcpServer[] {
  const objection = mcpObjection(settings);
  return servers.filter((server) => {
    const why = objection(server);
    if (why !== undefined && server.trusted)
      onNotice(`The MCP server ${server.name} (${server.path}) is not started: ${why}.`);
    return why === undefined;
  });
}
