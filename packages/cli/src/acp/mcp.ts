/** Converts the MCP servers of a client into the format of `.mcp.json`. */

import { type McpServer, RequestError } from "@agentclientprotocol/sdk";

export function mcpConfigOf(servers: readonly McpServer[]): string[] {
  if (servers.length === 0) return [];
  const names = servers.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined)
    throw RequestError.invalidParams(undefined, `two MCP servers are named ${JSON.stringify(twice)}`);
  const mcpServers = Object.fromEntries(servers.map((server) => [server.name, entryOf(server)]));
  return [JSON.stringify({ mcpServers })];
}

function entryOf(server: McpServer): object {
  if ("command" in server) {
    const { command, args, env } = server;
    return { type: "stdio", command, args, env: record(env) };
  }
  const { type, url, headers } = server;
  return { type, url, headers: record(headers) };
}

function record(pairs: readonly { readonly name: string; readonly value: string }[]): object {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}
