/** The MCP server of a tool, and where it is defined, for `mcp_server` of hooks. */

import { basename } from "node:path";
import { type McpServerStatus, mcpToolName } from "@runahead/mcp";

/** Undefined for a tool that no server of the main agent has, such as the tools for resources. */
export function serverOfTool(
  tool: string,
  servers: readonly Pick<McpServerStatus, "name" | "path">[],
): { readonly name: string; readonly source: string } | undefined {
  const found = servers.find(({ name }) => tool.startsWith(mcpToolName(name, "x").slice(0, -1)));
  return found === undefined ? undefined : { name: found.name, source: sourceOf(found) };
}

/** The words that scripts for other programs know. */
function sourceOf({ name, path }: Pick<McpServerStatus, "name" | "path">): string {
  if (path === "the program") return "sdk";
  if (name.startsWith("plugin_")) return "plugin";
  const file = basename(path);
  if (file === ".mcp.json") return "project";
  if (file === "managed-mcp.json") return "managed";
  if (file === "mcp.json" || file === ".claude.json") return "user";
  return file.endsWith(".md") ? "agent" : "dynamic";
}
