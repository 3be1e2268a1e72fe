/** What is needed to open a server. */

import type { FoundMcpServer } from "./mcp-server.ts";
import type { McpCredentials } from "./oauth.ts";

/** Answers requests from servers. Parameters and results have the form of the protocol. */
export interface AskBack {
  /** Asks the user for what the server with this name wants to know. Default: the server gets an error. */
  readonly elicit?: (
    params: unknown,
    signal: AbortSignal,
    server: string,
  ) => Promise<Record<string, unknown>>;
  /** Asks a model for the message that the server with this name wants. Default: the server gets an error. */
  readonly sample?: (
    params: unknown,
    signal: AbortSignal,
    server: string,
  ) => Promise<Record<string, unknown>>;
}

/** Time and size limits of connections to servers. */
export interface Limits {
  /** Milliseconds from the start of a server to its list of tools. Default: 30,000. */
  readonly connectMs: number;
  /** Milliseconds that a call can take without reporting progress. Default: 120,000. */
  readonly idleMs: number;
  /** Milliseconds that a call can take. Default: 600,000. */
  readonly callMs: number;
  /** Bytes of one message. Default: 8,000,000. */
  readonly mostMessageBytes: number;
  /** Pages of one list. Default: 64. */
  readonly mostPages: number;
  /** Milliseconds before the first restart; each failure doubles it. Default: 1,000. */
  readonly retryMs: number;
  /** The longest pause before a restart, in milliseconds. Default: 60,000. */
  readonly mostRetryMs: number;
  /** Failures in a row after which a server is not restarted. Default: 8. */
  readonly mostRetries: number;
}

export const LIMITS: Limits = {
  connectMs: 30_000,
  idleMs: 120_000,
  callMs: 600_000,
  mostMessageBytes: 8_000_000,
  mostPages: 64,
  retryMs: 1_000,
  mostRetryMs: 60_000,
  mostRetries: 8,
};

export interface OpenSpec {
  readonly entry: FoundMcpServer;
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Variables that every server gets. */
  readonly added: Readonly<Record<string, string>>;
  readonly limits: Limits;
  readonly askBack: AskBack;
  /** Tokens of servers that require a login. */
  readonly credentials: McpCredentials | undefined;
  readonly onNotice: (message: string) => void;
  readonly onToolsChanged: () => void;
  /** Called with the reason when the connection is lost, or when only its session has ended. */
  readonly onLost: (why: string, how?: "session-ended") => void;
  /** Cancels the attempt to open it. */
  readonly signal: AbortSignal;
}
