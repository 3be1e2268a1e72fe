/** MCP servers that the program adds and removes while the agent works. */

import { type Check, anArray, anObject, checkOptions, required } from "@runahead/base";
import type { FoundMcpServer, McpConnections } from "@runahead/mcp";
import { mcpServersIn } from "../../settings/mcp.ts";
import type { HostMcpServer } from "../host.ts";
import { hostServers } from "./host-servers.ts";
import { fromSource } from "./mcp-parts.ts";

/** The servers that the program wants besides those of the start. */
export interface WantedMcpServers {
  /** Servers by name, in the form of `.mcp.json`. */
  readonly configured: Readonly<Record<string, unknown>>;
  /** Servers inside the program. */
  readonly own: readonly HostMcpServer[];
}

const WANTED: Readonly<Record<keyof WantedMcpServers, Check>> = {
  configured: required(anObject),
  own: required(anArray),
};

/** What changed. */
export interface McpServerChanges {
  /** Servers that were added. */
  readonly added: readonly string[];
  /** Servers that were removed. */
  readonly removed: readonly string[];
  /** Why servers are not used, by name. */
  readonly errors: Readonly<Record<string, string>>;
}

interface Ports {
  readonly mcp: McpConnections;
  /** The servers that the settings do not exclude. */
  readonly usable: (servers: readonly FoundMcpServer[]) => readonly FoundMcpServer[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called with what servers ask for without effect. */
  readonly onNotice: (message: string) => void;
}

/** Where such servers come from, in messages. */
const SOURCE = "the host";

export class DynamicServers {
  readonly #ports: Ports;
  /** The definitions of the servers that were added, by name. */
  #current = new Map<string, string>();

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** Replaces the servers that were added before. One that did not change keeps its connection. */
  async set(given: WantedMcpServers): Promise<McpServerChanges> {
    checkOptions(given, WANTED, "setMcpServers");
    const { configured, own } = given;
    const { mcp, usable, env, onNotice } = this.#ports;
    const errors: Record<string, string> = {};
    const read = mcpServersIn(JSON.stringify({ mcpServers: configured }), {
      path: SOURCE,
      isTrusted: true,
      env,
    });
    for (const { key, message, severity } of read.problems) {
      if (severity === "error") errors[key.replace(/^mcpServers\./, "")] = message;
      if (severity === "warning") onNotice(message);
    }
    const allowed = usable(fromSource("dynamic", read.servers));
    for (const { name } of read.servers)
      if (!allowed.some((one) => one.name === name)) errors[name] = "The settings do not allow this server.";
    const wanted = new Map(
      [...allowed, ...hostServers({ mcpServers: own })].map((one) => [one.name, one] as const),
    );
    const removed = await this.#remove(wanted);
    const missing = [...wanted.values()].filter(({ name }) => !this.#current.has(name));
    const added = mcp.add(missing);
    for (const { name } of missing)
      if (!added.includes(name)) errors[name] = "Another server has this name. Choose another one.";
    for (const name of added) this.#current.set(name, textOf(wanted.get(name)));
    await mcp.settled();
    for (const { name, state } of mcp.servers())
      if (added.includes(name) && "why" in state) errors[name] = state.why;
    return { added, removed, errors };
  }

  /** Removes those that are not wanted any more, or have another definition. */
  async #remove(wanted: ReadonlyMap<string, FoundMcpServer>): Promise<string[]> {
    const old = [...this.#current].filter(([name, text]) => textOf(wanted.get(name)) !== text);
    for (const [name] of old) {
      this.#current.delete(name);
      await this.#ports.mcp.remove(name);
    }
    return old.map(([name]) => name);
  }
}

function textOf(server: FoundMcpServer | undefined): string {
  return JSON.stringify(server === undefined ? null : [server.server, server.tools, server.alwaysLoad]);
}
