/** The definition of an MCP server. */

import type { McpChannel } from "./channel.ts";
import type { McpToolChoice } from "./tool-choice.ts";

/** How an MCP server is reached: a process that is started, an address, or the program itself. */
export type McpServer =
  | {
      /** A server inside the program. */
      readonly type: "host";
      /** Opens a connection. */
      readonly connect: () => McpChannel;
      /** The time limit of one call, in milliseconds. Default: `callMs` of the limits. */
      readonly timeoutMs?: number | undefined;
    }
  | {
      /** A process that speaks the protocol on its standard input and output. */
      readonly type: "stdio";
      /** The program to start. */
      readonly command: string;
      /** Its arguments. */
      readonly args: readonly string[];
      /** Variables that it gets in addition to the few that it inherits. */
      readonly env: Readonly<Record<string, string>>;
      /** The folder that it starts in, absolute or relative to that of the agent. Default: that of the agent. */
      readonly cwd?: string | undefined;
      /** The time limit of one call, in milliseconds. Default: `callMs` of the limits. */
      readonly timeoutMs?: number | undefined;
    }
  | {
      /** The transport: streamable HTTP, server-sent events or WebSocket. */
      readonly type: "http" | "sse" | "ws";
      /** The address of the server. */
      readonly url: string;
      /** Headers of every request. */
      readonly headers: Readonly<Record<string, string>>;
      /** The time limit of one call, in milliseconds; undefined: `callMs` of the limits. */
      readonly timeoutMs: number | undefined;
      /** A shell command that prints more headers as a JSON object. It runs before each connection. Default: none. */
      readonly headersHelper?: string | undefined;
      /** How to log in, if the server does not register clients by itself. */
      readonly oauth?: McpOAuth | undefined;
    };

/** A client that is registered at the authorization server of an MCP server. */
export interface McpOAuth {
  /** The client id. Default: the server registers a client. */
  readonly clientId?: string;
  /** The client secret. Default: none. */
  readonly clientSecret?: string;
  /** The port that the browser returns to. Default: a free port. */
  readonly callbackPort?: number;
}

/**
 * Who defines a server: a file of the project, the user's file for this project (`local`) or for all projects (`user`), a
 * plugin, the administrator (`managed`), the file of a sub-agent, the program that embeds the agent (`sdk`), or somebody
 * while the program runs or at its start (`dynamic`).
 */
export type McpSource = "project" | "local" | "user" | "plugin" | "managed" | "agent" | "sdk" | "dynamic";

/** A server that was found in the settings. */
export interface FoundMcpServer {
  /** Who defines it. Default: not known. */
  readonly source?: McpSource;
  /** The name in `mcp__name__tool`. */
  readonly name: string;
  /** The file that it comes from. */
  readonly path: string;
  /** If false, it is never started. */
  readonly trusted: boolean;
  /** How it is reached. */
  readonly server: McpServer;
  /** Which of its tools are offered. Default: all. */
  readonly tools?: McpToolChoice;
  /**
   * Whether the definitions of its tools are always part of requests (`true`), or always left to a search (`false`).
   * Default: they are left to a search if those of all servers are large.
   */
  readonly alwaysLoad?: boolean;
}
