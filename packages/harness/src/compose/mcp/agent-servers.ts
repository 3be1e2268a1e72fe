/** MCP servers that only certain sub-agents have: those that their files define. */

import { isShape } from "@runahead/base";
import type { AnyTool } from "@runahead/engine";
import type { AgentDefinition } from "@runahead/agent";
import { type FoundMcpServer, type McpConnections, mcpToolName } from "@runahead/mcp";
import type { DefinedAgent } from "../../settings/agents.ts";
import type { LoadedSettings } from "../../settings/loaded.ts";
import { mcpServersIn } from "../../settings/mcp.ts";
import type { Around } from "../around.ts";

/** Servers of sub-agents' files. If two files define the same name, the first is used. */
export function agentServers(
  agents: readonly DefinedAgent[],
  { passEnv }: Pick<LoadedSettings, "passEnv">,
  { world: { env }, listeners }: Pick<Around, "world" | "listeners">,
): readonly FoundMcpServer[] {
  const read = agents.flatMap(({ mcpServers = [], path }) =>
    mcpServers
      .filter(isShape)
      .map((server) =>
        mcpServersIn(JSON.stringify({ mcpServers: server }), { path, isTrusted: true, env, passEnv }),
      ),
  );
  const servers = read.flatMap((one) => one.servers);
  for (const { message } of read.flatMap((one) => one.problems)) listeners.onNotice(message);
  return servers.filter(({ name }, at) => servers.findIndex((other) => other.name === name) === at);
}

/** The names of a definition's servers, as they are in the names of their tools. */
export function serverNames({ mcpServers }: DefinedAgent): readonly string[] | undefined {
  return mcpServers
    ?.flatMap((entry) => (typeof entry === "string" ? [entry] : Object.keys(entry)))
    .map((name) => mcpToolName(name, "x").slice("mcp__".length, -"__x".length));
}

/** Splits the tools of all servers into those of everyone and those of certain sub-agents. */
export class AgentServerTools {
  readonly #mcp: McpConnections;
  readonly #prefixes: readonly string[];

  constructor(mcp: McpConnections, own: readonly FoundMcpServer[]) {
    this.#mcp = mcp;
    this.#prefixes = own.map(({ name }) => mcpToolName(name, "x").slice(0, -1));
  }

  /** The tools of the servers that every agent has. */
  shared(): AnyTool[] {
    return this.#mcp.tools().filter((tool) => !this.#isOwn(tool));
  }

  /** The tools that only this definition has. */
  of({ mcpServers = [] }: AgentDefinition): AnyTool[] {
    return this.#mcp
      .tools()
      .filter(
        (tool) => this.#isOwn(tool) && mcpServers.some((name) => tool.name.startsWith(`mcp__${name}__`)),
      );
  }

  #isOwn({ name }: AnyTool): boolean {
    return this.#prefixes.some((prefix) => name.startsWith(prefix));
  }
}
