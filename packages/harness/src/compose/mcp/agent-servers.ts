/** MCP servers that only certain sub-agents have: those that their files define. */

import { isShape, unlessStopped } from "@runahead/base";
import type { AnyTool } from "@runahead/engine";
import type { AgentDefinition } from "@runahead/agent";
import { type FoundMcpServer, type McpConnections, type McpServerStatus, mcpToolName } from "@runahead/mcp";
import type { DefinedAgent } from "../../settings/agents.ts";
import type { LoadedSettings } from "../../settings/loaded.ts";
import { mcpServersIn } from "../../settings/mcp.ts";
import type { Around } from "../around.ts";
import { fromSource } from "./mcp-parts.ts";
import type { StartedMcp } from "./start-mcp.ts";

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
  const servers = read.flatMap((one) => fromSource("agent", one.servers));
  for (const { message } of read.flatMap((one) => one.problems)) listeners.onNotice(message);
  return servers.filter(({ name }, at) => servers.findIndex((other) => other.name === name) === at);
}

/** The names of a definition's servers, as they are in the names of their tools. */
export function serverNames({ mcpServers }: DefinedAgent): readonly string[] | undefined {
  return mcpServers
    ?.flatMap((entry) => (typeof entry === "string" ? [entry] : Object.keys(entry)))
    .map(partOfToolNames);
}

function partOfToolNames(server: string): string {
  return mcpToolName(server, "x").slice("mcp__".length, -"__x".length);
}

interface Running {
  readonly connections: McpConnections;
  agents: number;
}

/** The servers that definitions bring: they start with the first sub-agent of a definition and end with the last. */
export class AgentServerTools {
  readonly #own: readonly FoundMcpServer[];
  readonly #main: McpConnections;
  readonly #connect: StartedMcp["connect"];
  /** By the name of the definition. */
  readonly #running = new Map<string, Running>();
  /** What the tools were when they were first seen or last approved: a server can change between two starts. */
  readonly #seen = new Map<string, string>();

  constructor(own: readonly FoundMcpServer[], { mcp, connect }: Pick<StartedMcp, "mcp" | "connect">) {
    this.#own = own;
    this.#main = mcp;
    this.#connect = connect;
  }

  /** Starts the servers of a definition. Resolves with the function that ends them. */
  async begin(definition: AgentDefinition, signal: AbortSignal): Promise<() => Promise<void>> {
    const servers = this.#serversOf(definition);
    if (servers.length === 0) return async () => {};
    const { name } = definition;
    const running = this.#running.get(name) ?? { connections: this.#connect(servers), agents: 0 };
    this.#running.set(name, running);
    running.agents++;
    // Without them it might have no tools at all. Each server has its own time limit, MCP_TIMEOUT.
    // A sub-agent that is stopped meanwhile ends them below.
    await unlessStopped(running.connections.settled(), signal).catch(() => {});
    return async () => {
      if (--running.agents > 0) return;
      this.#running.delete(name);
      await running.connections.close();
    };
  }

  /** The tools that only this definition has now. */
  of({ name }: AgentDefinition): readonly AnyTool[] {
    const tools = this.#running.get(name)?.connections.tools() ?? [];
    for (const tool of tools) this.hasChanged(tool.name);
    // The tools for resources have the same names for all servers.
    const taken = new Set(this.#main.tools().map((tool) => tool.name));
    return tools.filter((tool) => !taken.has(tool.name));
  }

  /** The connection that has the tool. */
  holder(tool: string): McpConnections | undefined {
    return this.#connections.find((one) => one.fingerprintOf(tool) !== undefined);
  }

  /** Whether a tool has another definition than when its server first started in this session. */
  hasChanged(tool: string): boolean {
    const now = this.holder(tool)?.fingerprintOf(tool);
    if (now === undefined) return false;
    const first = this.#seen.get(tool) ?? now;
    this.#seen.set(tool, first);
    return first !== now;
  }

  /** The file that requires approval for every call of a tool. */
  alwaysAsks(tool: string): string | undefined {
    return this.#connections.map((one) => one.alwaysAsks(tool)).find((file) => file !== undefined);
  }

  approve(tool: string): void {
    const now = this.holder(tool)?.fingerprintOf(tool);
    if (now !== undefined) this.#seen.set(tool, now);
  }

  /** The servers that run now. */
  servers(): readonly McpServerStatus[] {
    return this.#connections.flatMap((one) => one.servers());
  }

  async close(): Promise<void> {
    await Promise.all(this.#connections.map((one) => one.close()));
    this.#running.clear();
  }

  get #connections(): readonly McpConnections[] {
    return [...this.#running.values()].map(({ connections }) => connections);
  }

  #serversOf({ mcpServers = [] }: AgentDefinition): FoundMcpServer[] {
    return this.#own.filter(({ name }) => mcpServers.includes(partOfToolNames(name)));
  }
}

type Approvals = Pick<McpConnections, "changedSinceApproval" | "approve" | "approveForGood" | "alwaysAsks">;

/** The approvals of whichever connection has the tool. */
export function approvalsOf(main: McpConnections, own: AgentServerTools): Approvals {
  const holder = (tool: string): McpConnections => own.holder(tool) ?? main;
  return {
    changedSinceApproval: (tool) => own.hasChanged(tool) || holder(tool).changedSinceApproval(tool),
    approve: (tool) => {
      own.approve(tool);
      holder(tool).approve(tool);
    },
    approveForGood: (tool, rules) => {
      own.approve(tool);
      return holder(tool).approveForGood(tool, rules);
    },
    alwaysAsks: (tool) => own.alwaysAsks(tool) ?? main.alwaysAsks(tool),
  };
}
