/** What opening a server needs. */

import type { FoundMcpServer } from "./mcp-server.ts";

/** Questions that servers ask back. The forms are the protocol's. */
export interface AskBack {
  /** Something that the server wants to know of the person. Without it the server is told that nobody can be asked. */
  readonly elicit?: (params: unknown, signal: AbortSignal) => Promise<Record<string, unknown>>;
  /** A message that the server wants from a model. Without it the server is told that there is none for it. */
  readonly sample?: (params: unknown, signal: AbortSignal) => Promise<Record<string, unknown>>;
}

export interface Limits {
  /** From the start of a server to its list of tools. */
  readonly connectMs: number;
  /** How long a call may be silent. */
  readonly idleMs: number;
  /** How long a call may take. */
  readonly callMs: number;
  readonly mostMessageBytes: number;
  /** Of one list. */
  readonly mostPages: number;
  /** The first pause before a server is started again; each failure doubles it. */
  readonly retryMs: number;
  readonly mostRetryMs: number;
  /** So many failures in a row, and it is left alone. */
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
  readonly onNotice: (message: string) => void;
  readonly onToolsChanged: () => void;
  /** It no longer answers, and why. */
  readonly onLost: (why: string) => void;
  /** Gives up opening it. */
  readonly signal: AbortSignal;
}
