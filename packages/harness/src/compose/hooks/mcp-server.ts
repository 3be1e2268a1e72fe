/** The MCP server of a tool, and who defines it, for `mcp_server` of hooks. */

import type { McpServerStatus } from "@runahead/mcp";

/** Undefined for a tool that no server has, such as the tools for resources. */
export function serverOfTool(
  tool: string,
  servers: readonly Pick<McpServerStatus, "name" | "source" | "tools">[],
): { readonly name: string; readonly source: string } | undefined {
  const found = servers.find(({ tools }) => tools.includes(tool));
  return found === undefined ? undefined : { name: found.name, source: found.source ?? "dynamic" };
}
