/** The MCP servers of a session: their tools as they become available, and the approvals bound to them. */

import type { AnyTool } from "@runahead/engine";
import { checkMcpOptions, checkServers } from "./check-options.ts";
import { Definitions, type McpApprovals, memoryApprovals } from "./approvals.ts";
import { Connection, type ConnectionState } from "./connection.ts";
import { McpFailure } from "./failure.ts";
import { serverPart } from "./names.ts";
import { type AskBack, LIMITS, type Limits } from "./open-spec.ts";
import { type McpPrompt, filledPrompt, promptsOf, resourceText } from "./prompts.ts";
import { resourceTools } from "./resource-tools.ts";
import type { FoundMcpServer, McpSource } from "./mcp-server.ts";
import {
  type Check,
  aBoolean,
  aFunction,
  aString,
  matchesStars,
  required,
  strings,
  wrong,
} from "@runahead/base";
import type { McpCredentials } from "./oauth.ts";
import type { McpTool } from "./tool.ts";

/** Options of `connectMcp`. */
export interface McpOptions {
  /** The servers to connect to. Those that are not trusted are never started. */
  readonly servers: readonly FoundMcpServer[];
  /** Called with a sentence for the user: a server failed, changed its tools or is not trusted. */
  readonly onNotice: (message: string) => void;
  /** Where approvals are kept. Default: in memory, until these connections are closed. */
  readonly approvals?: McpApprovals;
  /** The name and version that servers see. Default: those of this package. */
  readonly clientInfo?: {
    /** The name of the client, which servers can show or log. */
    readonly name: string;
    /** The version of the client. */
    readonly version: string;
  };
  /** The folder that processes run in, and the root that servers get. Default: the working directory of the process. */
  readonly cwd?: string;
  /** The environment from which processes inherit a few harmless variables. Default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Variables that every server gets, in addition to the inherited ones and its own. Default: none. */
  readonly added?: Readonly<Record<string, string>>;
  /** Time and size limits that differ from the defaults. */
  readonly limits?: Partial<Limits>;
  /** Answers requests from servers. Default: servers get an error that says so. */
  readonly askBack?: AskBack;
  /** Tokens of servers that require a login, as `loginMcp` keeps them. Default: none. */
  readonly credentials?: McpCredentials;
  /** Reports servers of an untrusted folder with a notice. Default: true. */
  readonly tellsUntrusted?: boolean;
}

/** The current state of one server. */
export interface McpServerStatus {
  /** The name in the settings. */
  readonly name: string;
  /** The file that it comes from. */
  readonly path: string;
  /** Who defines it; undefined if that is not known. */
  readonly source?: McpSource;
  /** Whether it is connected, and if not, why. */
  readonly state: ConnectionState | { readonly type: "untrusted" };
  /** The names of its tools, as the model sees them. */
  readonly tools: readonly string[];
}

/** Connections to servers, and their tools. */
export interface McpConnections {
  /** Lists the tools of all connected servers; empty after `close`. */
  tools(): readonly AnyTool[];
  /** Lists all servers with their state. */
  servers(): readonly McpServerStatus[];
  /** Lists the prompts of all connected servers. */
  prompts(): readonly McpPrompt[];
  /**
   * Fills in a prompt by its name in `prompts()`. The arguments are given in the order of the prompt's own. Resolves
   * with its text. Rejects if there is no such prompt, or an argument is missing.
   */
  prompt(name: string, args: readonly string[], signal: AbortSignal): Promise<string>;
  /** Reads a resource of a server. Resolves with its content as text; other content is described. */
  resource(server: string, uri: string, signal: AbortSignal): Promise<string>;
  /** Calls the listener whenever `tools()` changes. Returns a function that removes the listener. */
  onChange(listener: () => void): () => void;
  /**
   * Returns whether the definition of a tool is always part of requests (`true`), or always left to a search (`false`), as
   * its server or the settings say. Undefined if they do not.
   */
  alwaysLoads(toolName: string): boolean | undefined;
  /** Resolves when every server has connected or failed for the first time. */
  settled(): Promise<void>;
  /** Returns what an approval of a tool is bound to; undefined if no server has the tool. */
  fingerprintOf(toolName: string): string | undefined;
  /** Whether the definition changed since it was approved or first seen: ask, whatever the rules say. */
  changedSinceApproval(toolName: string): boolean;
  /**
   * Returns the file whose entry for the tool's server requires approval for every call of the tool. Undefined if rules
   * decide.
   */
  alwaysAsks(toolName: string): string | undefined;
  /** Approves the tool with its current definition, for this session. */
  approve(toolName: string): void;
  /**
   * Approves the tool with its current definition for later sessions, and with it the other tools that the rules cover,
   * as they were approved. Rejects if that cannot be saved.
   */
  approveForGood(toolName: string, rules?: readonly string[]): Promise<void>;
  /**
   * Starts further servers. One whose tools would have the same names as those of another server is left out. Returns
   * the names of those that were started.
   */
  add(servers: readonly FoundMcpServer[]): readonly string[];
  /** Disconnects a server for good. Resolves with whether there was one with this name. */
  remove(name: string): Promise<boolean>;
  /** Connects a server again. Rejects if there is none with this name, or it does not connect. */
  reconnect(name: string): Promise<void>;
  /** Turns a server off until it is turned on again. Rejects if there is none with this name. */
  setEnabled(name: string, isEnabled: boolean): Promise<void>;
  /** Disconnects all servers and ends their processes. Resolves when no process is left. */
  close(): Promise<void>;
}

/**
 * Connects to MCP servers and offers their tools as Runahead tools. Returns at once: servers connect in the background,
 * are restarted when they fail, and `onChange` reports their tools. Call `close` at the end, or processes stay running.
 *
 * @throws TypeError if an option or a server is wrong; the message names it.
 *
 * @example
 * ```ts
 * const mcp = connectMcp({
 *   servers: [
 *     {
 *       name: "files",
 *       path: "settings.json",
 *       trusted: true,
 *       server: { type: "stdio", command: "mcp-files", args: ["."], env: {} },
 *     },
 *   ],
 *   onNotice: console.error,
 * });
 * await mcp.settled();
 * console.log(mcp.tools().map(({ name }) => name)); // ["mcp__files__read", …]
 * await mcp.close();
 * ```
 */
export function connectMcp(options: McpOptions): McpConnections {
  checkMcpOptions(options);
  return new Connections(options);
}

const aName = required(aString);

const aSignal: Check = (value, what) => {
  if (!(value instanceof AbortSignal)) throw wrong(what, "an AbortSignal", value);
};

class Connections implements McpConnections {
  #connections: readonly Connection[] = [];
  readonly #options: McpOptions;
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
    if (options.tellsUntrusted ?? true) this.#reportUntrusted();
    this.#options = options;
    this.#resourceTools = resourceTools(() => this.#connections);
    this.add(options.servers);
  }

  add(servers: readonly FoundMcpServer[]): readonly string[] {
    checkServers(servers, "add: servers");
    if (this.#closing !== undefined) return [];
    const trusted = this.#distinct(servers.filter((entry) => entry.trusted));
    const added = trusted.map((entry) => this.#connection(entry, this.#options));
    this.#connections = [...this.#connections, ...added];
    for (const connection of added) connection.start();
    return added.map(({ name }) => name);
  }

  async remove(name: string): Promise<boolean> {
    aName(name, "remove: the name of the server");
    const found = this.#connections.find((connection) => connection.name === name);
    if (found === undefined) return false;
    this.#connections = this.#connections.filter((connection) => connection !== found);
    await found.close();
    this.#changed([]);
    return true;
  }

  async reconnect(name: string): Promise<void> {
    aName(name, "reconnect: the name of the server");
    const found = this.#named(name);
    await found.restart();
    const { state } = found;
    if (state.type !== "ready")
      throw new McpFailure(
        `The MCP server ${name} does not connect${"why" in state ? `: ${state.why}` : ""}.`,
      );
  }

  async setEnabled(name: string, isEnabled: boolean): Promise<void> {
    aName(name, "setEnabled: the name of the server");
    required(aBoolean)(isEnabled, "setEnabled: the second argument");
    const found = this.#named(name);
    if (!isEnabled) return found.disable();
    if (found.state.type !== "ready") await found.restart();
  }

  #named(name: string): Connection {
    const found = this.#connections.find((connection) => connection.name === name);
    if (found !== undefined) return found;
    const names = this.servers().map((server) => server.name);
    throw new McpFailure(
      `No MCP server is called ${name}. Servers: ${names.length === 0 ? "none" : names.join(", ")}.`,
    );
  }

  tools(): readonly AnyTool[] {
    if (this.#connections.length === 0 || this.#closing !== undefined) return [];
    return [...this.#all().map(({ tool }) => tool), ...this.#resourceTools];
  }

  servers(): readonly McpServerStatus[] {
    const untrusted = this.#untrusted.map(
      (entry) => ({ ...originOf(entry), state: { type: "untrusted" }, tools: [] }) as const,
    );
    const others = this.#connections.map(({ entry, state, tools }) => ({
      ...originOf(entry),
      state,
      tools: tools.map(({ tool }) => tool.name),
    }));
    return [...others, ...untrusted];
  }

  prompts(): readonly McpPrompt[] {
    return promptsOf(this.#connections);
  }

  async prompt(name: string, args: readonly string[], signal: AbortSignal): Promise<string> {
    aName(name, "prompt: the name");
    required(strings)(args, "prompt: the arguments");
    aSignal(signal, "prompt: the signal");
    return filledPrompt(this.#connections, { name, args }, signal);
  }

  async resource(server: string, uri: string, signal: AbortSignal): Promise<string> {
    aName(server, "resource: the name of the server");
    aName(uri, "resource: the URI");
    aSignal(signal, "resource: the signal");
    return resourceText(this.#connections, { server, uri }, signal);
  }

  onChange(listener: () => void): () => void {
    required(aFunction)(listener, "onChange: the listener");
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  alwaysLoads(toolName: string): boolean | undefined {
    for (const connection of this.#connections) {
      const found = connection.tools.find(({ tool }) => tool.name === toolName);
      if (found !== undefined) return connection.loadingOf(found);
    }
    return undefined;
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

  alwaysAsks(toolName: string): string | undefined {
    return this.#connections.find((connection) => connection.asks(toolName))?.entry.path;
  }

  approve(toolName: string): void {
    aName(toolName, "approve: the name of the tool");
    const print = this.fingerprintOf(toolName);
    if (print !== undefined) this.#definitions.approve(toolName, print);
  }

  async approveForGood(toolName: string, rules: readonly string[] = []): Promise<void> {
    required(strings)(rules, "approveForGood: the rules");
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
        credentials: options.credentials,
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

  #reportUntrusted(): void {
    if (this.#untrusted.length === 0) return;
    const names = this.#untrusted.map(({ name }) => name).join(", ");
    const paths = [...new Set(this.#untrusted.map(({ path }) => path))].join(", ");
    this.#notice(
      `MCP servers not started: ${names} (${paths}). The folder is not trusted; run \`runahead trust\` to enable them.`,
    );
  }

  /** Keeps the first of two servers whose tools would have the same names. */
  #distinct(entries: readonly FoundMcpServer[]): readonly FoundMcpServer[] {
    const taken = new Map(this.#connections.map(({ name }) => [serverPart(name), name]));
    return entries.filter(({ name }) => {
      const part = serverPart(name);
      const other = taken.get(part);
      if (other === undefined) taken.set(part, name);
      else
        this.#notice(
          `The MCP server ${name} is not used: its tools would have the same names as those of ${other}. Rename one of them.`,
        );
      return other === undefined;
    });
  }
}

/** `mcp__server`, `mcp__server__*` or a tool's whole name. */
function covers(rule: string, toolName: string): boolean {
  return matchesStars(rule, toolName) || matchesStars(`${rule}__*`, toolName);
}

/** A listener that throws must not stop the connections. */
function careful<Args extends readonly unknown[]>(call: (...args: Args) => void): (...args: Args) => void {
  return (...args) => {
    try {
      call(...args);
    } catch (error) {
      process.emitWarning(`A listener for MCP servers threw: ${String(error)}`, "RunaheadWarning");
    }
  };
}

function originOf({ name, path, source }: FoundMcpServer): Pick<McpServerStatus, "name" | "path" | "source"> {
  return { name, path, ...(source === undefined ? {} : { source }) };
}
