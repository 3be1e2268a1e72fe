/** The interface of an open server. */

import type { JsonSchema } from "@runahead/engine";

/** A tool as its server lists it. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly annotations: Readonly<Record<string, unknown>>;
  /** The whole entry, for the protocol's client. */
  readonly whole: Readonly<Record<string, unknown>>;
}

export interface ListedResource {
  readonly uri: string;
  readonly name: string;
  readonly mimeType: string;
  readonly description: string;
  /** Whether `uri` is a template. */
  readonly isTemplate: boolean;
}

/** A prompt as its server lists it. */
export interface ListedPrompt {
  readonly name: string;
  readonly description: string;
  /** The names of its arguments, in order. */
  readonly args: readonly { readonly name: string; readonly isRequired: boolean }[];
}

/** An answer of a server, unchecked. */
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

/** An open server. Every method rejects with an `McpFailure` if it fails. */
export interface OpenServer {
  tools(signal: AbortSignal): Promise<readonly ListedTool[]>;
  call(call: ServerCall): Promise<RawResult>;
  resources(signal: AbortSignal): Promise<readonly ListedResource[]>;
  readResource(uri: string, signal: AbortSignal): Promise<RawResult>;
  prompts(signal: AbortSignal): Promise<readonly ListedPrompt[]>;
  /** Fills in a prompt. */
  prompt(name: string, args: Readonly<Record<string, string>>, signal: AbortSignal): Promise<RawResult>;
  /** Resolves when no process or connection is left. */
  close(): Promise<void>;
}
