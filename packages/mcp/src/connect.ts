/** The MCP servers of a session: their tools, as they come, and the approvals that are bound to them. */

import type { AnyTool } from "@runahead/engine";
import { Definitions, type McpApprovals, memoryApprovals } from "./approvals.ts";
import { Connection, type ConnectionState } from "./connection.ts";
import { serverPart } from "./names.ts";
import { type AskBack, LIMITS, type Limits } from "./open-spec.ts";
import { resourceTools } from "./resource-tools.ts";
import type { FoundMcpServer } from "./mcp-server.ts";
import { matchesStars } from "@runahead/base";
import type { McpTool } from "./tool.ts";

export interface McpOptions {
  /** As the settings give them. Those of a folder that is not trusted are never started. */
  readonly servers: readonly FoundMcpServer[];
  readonly onNotice: (message: string) => void;
  /** Where approvals are kept; without it, as long as these connections. */
  readonly approvals?: McpApprovals;
  readonly clientInfo?: { readonly name: string; readonly version: string };
  /** Where processes run, and the root that servers are told. */
  readonly cwd?: string;
  /** What processes inherit a little of. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Variables that every server gets, beside the few that it inherits and those of its own. */
  readonly added?: Readonly<Record<string, string>>;
  readonly limits?: Partial<Limits>;
  readonly askBack?: AskBack;
  /** Gives a notice of servers of an untrusted folder. Default: true. */
  readonly tellsUntrusted?: boolean;
}

export interface McpServerStatus {
  readonly name: string;
  readonly state: ConnectionState | { readonly type: "untrusted" };
  readonly tools: readonly string[];
}

export interface McpConnections {
  /** Those that are there now. */
  tools(): readonly AnyTool[];
  servers(): readonly McpServerStatus[];
  /** When `tools()` gives others. Gives what ends the listening. */
  onChange(listener: () => void): () => void;
  /** When every server has answered or failed for the first time: for those who want to wait. */
  settled(): Promise<void>;
  /** What an approval of a tool is bound to; undefined where it is no tool of a server. */
  fingerprintOf(toolName: string): string | undefined;
  /** It is not what was approved, or what it was first in this session: ask, whatever the rules say. */
  changedSinceApproval(toolName: string): boolean;
  /** As it is now. */
  approve(toolName: string): void;
  /**
   * A person has said "always": the tool as it is now, and what else the rules cover as it was approved, stay approved
   * at the next start. Throws where that cannot be kept.
   */
  approveForGood(toolName: string, rules?: readonly string[]): Promise<void>;
  /** Ends all servers, and comes back when no process of theirs is left. */
  close(): Promise<void>;
}

export function connectMcp(options: McpOptions): McpConnections {
  return new Connections(options);
}

class Connections implements McpConnections {
  readonly #connections: readonly Connection[];
  readonly #untrusted: readonly FoundMcpServer[];
  readonly #definitions: Definitions;
  readonly #listeners = new Set<() => void>();
  readonly #resourceTools: readonly AnyTool[];
  readonly #notice: (message: string) => void;
  #closing: Promise<void> | undefined;

  constructor(options: McpOptions) {
    this.#notice = careful(options.onNotice);
    this.#definitions = new Definitions(options.approvals ?? memoryApprovals());
    this.#untrusted = options.servers.filter(({ trusted }) => !trusted);
    if (options.tellsUntrusted ?? true) this.#tellUntrusted();
    const trusted = this.#distinct(options.servers.filter((entry) => entry.trusted));
    this.#connections = trusted.map((entry) => this.#connection(entry, options));
    this.#resourceTools = resourceTools(() => this.#connections);
    for (const connection of this.#connections) connection.start();
  }

  tools(): readonly AnyTool[] {
    if (this.#connections.length === 0 || this.#closing !== undefined) return [];
    return [...this.#all().map(({ tool }) => tool), ...this.#resourceTools];
  }

  servers(): readonly McpServerStatus[] {
    const untrusted = this.#untrusted.map(
      ({ name }) => ({ name, state: { type: "untrusted" }, tools: [] }) as const,
    );
    const others = this.#connections.map(({ name, state, tools }) => ({
      name,
      state,
      tools: tools.map(({ tool }) => tool.name),
    }));
    return [...others, ...untrusted];
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async settled(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.settled()));
  }

  fingerprintOf(toolName: string): string | undefined {
    return this.#all().find(({ tool }) => tool.name === toolName)?.fingerprint;
  }

  changedSinceApproval(toolName: string): boolean {
    const print = this.fingerprintOf(toolName);
    return print !== undefined && this.#definitions.hasChanged(toolName, print);
  }

  approve(toolName: string): void {
    const print = this.fingerprintOf(toolName);
    if (print !== undefined) this.#definitions.approve(toolName, print);
  }

  async approveForGood(toolName: string, rules: readonly string[] = []): Promise<void> {
    this.approve(toolName);
    const isCovered = (name: string): boolean =>
      name === toolName || rules.some((rule) => covers(rule, name));
    const kept = this.#all().filter(({ tool }) => isCovered(tool.name));
    await this.#definitions.keep(new Map(kept.map(({ tool, fingerprint }) => [tool.name, fingerprint])));
  }

  close(): Promise<void> {
    this.#closing ??= Promise.all(this.#connections.map((connection) => connection.close())).then(() => {});
    return this.#closing;
  }

  #connection(entry: FoundMcpServer, options: McpOptions): Connection {
    return new Connection({
      spec: {
        entry,
        clientInfo: options.clientInfo ?? { name: "runahead", version: "0.1.0" },
        cwd: options.cwd ?? process.cwd(),
        env: options.env ?? process.env,
        added: options.added ?? {},
        limits: { ...LIMITS, ...options.limits },
        askBack: options.askBack ?? {},
        onNotice: this.#notice,
      },
      onTools: (tools) => this.#changed(tools),
    });
  }

  #changed(tools: readonly McpTool[]): void {
    for (const { tool, fingerprint } of tools) this.#definitions.seen(tool.name, fingerprint);
    for (const listener of this.#listeners) careful(listener)();
  }

  #all(): readonly McpTool[] {
    return this.#connections.flatMap(({ tools }) => tools);
  }

  #tellUntrusted(): void {
    if (this.#untrusted.length === 0) return;
    const names = this.#untrusted.map(({ name }) => name).join(", ");
    const paths = [...new Set(this.#untrusted.map(({ path }) => path))].join(", ");
    this.#notice(`Not started, because their folder is not trusted: the MCP servers ${names} of ${paths}.`);
  }

  /** Of two whose tools would have the same names, the first. */
  #distinct(entries: readonly FoundMcpServer[]): readonly FoundMcpServer[] {
    const taken = new Map<string, string>();
    return entries.filter(({ name }) => {
      const part = serverPart(name);
      const other = taken.get(part);
      if (other === undefined) taken.set(part, name);
      else
        this.#notice(
          `The MCP server ${name} is left out: its tools would have the names of those of ${other}.`,
        );
      return other === undefined;
    });
  }
}

/** `mcp__server`, `mcp__server__*` or a tool's whole name. */
function covers(rule: string, toolName: string): boolean {
  return matchesStars(rule, toolName) || matchesStars(`${rule}__*`, toolName);
}

/** Somebody else's function must not end our work. */
function careful<Args extends readonly unknown[]>(call: (...args: Args) => void): (...args: Args) => void {
  return (...args) => {
    try {
      call(...args);
    } catch (error) {
      process.emitWarning(`A listener of MCP servers failed: ${String(error)}`, "RunaheadWarning");
    }
  };
}
