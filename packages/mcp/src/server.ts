/** What is known of a server that is open. */

import type { JsonSchema } from "@runahead/engine";

/** A tool as its server lists it. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly annotations: Readonly<Record<string, unknown>>;
  /** Everything that was listed, for what the protocol itself needs of it. */
  readonly whole: Readonly<Record<string, unknown>>;
}

export interface ListedResource {
  readonly uri: string;
  readonly name: string;
  readonly mimeType: string;
  readonly description: string;
  /** A pattern of addresses, not an address. */
  readonly isTemplate: boolean;
}

/** What a server answered, as it came. */
export type RawResult = Readonly<Record<string, unknown>>;

export interface Progress {
  readonly progress: number;
  readonly total: number | undefined;
  readonly message: string | undefined;
}

export interface ServerCall {
  readonly tool: ListedTool;
  readonly input: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

/** A server that answers. Each of these throws an `McpFailure`. */
export interface OpenServer {
  tools(signal: AbortSignal): Promise<readonly ListedTool[]>;
  call(call: ServerCall): Promise<RawResult>;
  resources(signal: AbortSignal): Promise<readonly ListedResource[]>;
  readResource(uri: string, signal: AbortSignal): Promise<RawResult>;
  /** Comes back when nothing of it is left. */
  close(): Promise<void>;
}
