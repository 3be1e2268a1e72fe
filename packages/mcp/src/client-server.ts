/** A server that is open, over the protocol's client; every failure in words, with what it means for the call. */

import {
  type Client,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SseError,
  type Transport,
} from "@modelcontextprotocol/client";
import { codeOf, messageOf, isShape } from "@runahead/base";
import { MAY_HAVE_RUN, McpFailure, NOT_RUN } from "./failure.ts";
import { STREAM_ENDED } from "./http.ts";
import { IdleLimit } from "./idle-limit.ts";
import { toolsOf, resourcesOf } from "./listed.ts";
import type { OpenSpec } from "./open-spec.ts";
import type { ListedResource, ListedTool, OpenServer, RawResult, ServerCall } from "./server.ts";
import { StdioTransport } from "./stdio.ts";

/** The client's own limits are not used: ours know why they end a request. */
const NO_LIMIT_MS = 2_147_483_647;
const SHOWN_CHARS = 500;

export class ClientServer implements OpenServer {
  readonly #client: Client;
  readonly #transport: Transport;
  readonly #spec: OpenSpec;
  #isLost = false;

  constructor(client: Client, transport: Transport, spec: OpenSpec) {
    this.#client = client;
    this.#transport = transport;
    this.#spec = spec;
    Object.assign(client, {
      onclose: () => this.#lost(this.#whyEnded()),
      onerror: (error: Error) => {
        if (isEndOfConnection(error)) this.#lost(messageOf(error));
      },
    } satisfies Partial<Client>);
  }

  async tools(signal: AbortSignal): Promise<readonly ListedTool[]> {
    if (this.#client.getServerCapabilities()?.tools === undefined) return [];
    const ask = (): Promise<unknown> =>
      this.#client.listTools(undefined, { signal, timeout: NO_LIMIT_MS, cacheMode: "refresh" });
    return toolsOf(await this.#asked(ask), this.#name, this.#spec.onNotice);
  }

  async call({ tool, input, signal, onProgress }: ServerCall): Promise<RawResult> {
    const { idleMs } = this.#spec.limits;
    const limit = new IdleLimit(idleMs, signal);
    const options = {
      signal: limit.signal,
      timeout: NO_LIMIT_MS,
      // What a tool declares of its output is for programs: a result that breaks it is still the result.
      toolDefinition: { ...tool.whole, outputSchema: undefined } as never,
      onprogress({ progress, total, message }: Reported) {
        limit.reset();
        onProgress({ progress, total, message });
      },
    };
    try {
      return await this.#client.callTool({ name: tool.name, arguments: input }, options);
    } catch (error) {
      if (limit.isOver)
        throw new McpFailure(
          `The MCP server ${this.#name} was silent for ${idleMs / 1000} s, so the call was cancelled. ${MAY_HAVE_RUN}`,
        );
      throw this.#failure(error);
    } finally {
      limit.end();
    }
  }

  async resources(signal: AbortSignal): Promise<readonly ListedResource[]> {
    if (this.#client.getServerCapabilities()?.resources === undefined) return [];
    const options = { signal, timeout: NO_LIMIT_MS, cacheMode: "refresh" } as const;
    const listed = await this.#asked(() => this.#client.listResources(undefined, options));
    // Servers that have no templates need not know the question.
    const templates = await this.#client.listResourceTemplates(undefined, options).catch(() => ({}));
    return resourcesOf(listed, templates);
  }

  async readResource(uri: string, signal: AbortSignal): Promise<RawResult> {
    const read = (): Promise<unknown> =>
      this.#client.readResource({ uri }, { signal, timeout: NO_LIMIT_MS, cacheMode: "refresh" });
    const result = await this.#asked(read);
    return isShape(result) ? result : {};
  }

  async close(): Promise<void> {
    this.#isLost = true;
    await this.#transport.close().catch(() => {});
  }

  get #name(): string {
    return this.#spec.entry.name;
  }

  /** For requests that have no effects. */
  async #asked<Value>(ask: () => Promise<Value>): Promise<Value> {
    try {
      return await ask();
    } catch (error) {
      const { message } = this.#failure(error);
      throw new McpFailure(message.replace(` ${MAY_HAVE_RUN}`, "").replace(` ${NOT_RUN}`, ""));
    }
  }

  #failure(error: unknown): McpFailure {
    const { what, hasRun, isLost } = meaning(error);
    const why = this.#isLost && isConnectionClosed(error) ? this.#whyEnded() : what;
    if (isLost) this.#lost(why);
    return new McpFailure(`The MCP server ${this.#name} failed: ${why}. ${hasRun ? MAY_HAVE_RUN : NOT_RUN}`);
  }

  #whyEnded(): string {
    if (!(this.#transport instanceof StdioTransport)) return "the connection was closed";
    const { fault, stderr } = this.#transport;
    const said = stderr.text === "" ? "" : `; it last wrote:\n${stderr.text}\n`;
    return `${fault === "" ? "it was ended" : fault}${said}`;
  }

  #lost(why: string): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#spec.onLost(why);
    void this.#transport.close().catch(() => {});
  }
}

interface Reported {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

interface Meaning {
  readonly what: string;
  readonly hasRun: boolean;
  /** Nothing more can be had over this connection. */
  readonly isLost: boolean;
}

/** Errors of these kinds say that the server has not begun. */
const REFUSED = new Set<number>([
  ProtocolErrorCode.InvalidParams,
  ProtocolErrorCode.MethodNotFound,
  ProtocolErrorCode.InvalidRequest,
  ProtocolErrorCode.ParseError,
]);

function meaning(error: unknown): Meaning {
  const what = messageOf(error).slice(0, SHOWN_CHARS);
  if (error instanceof ProtocolError) {
    if (error.code === STREAM_ENDED) return { what, hasRun: true, isLost: false };
    return { what: `it answered "${what}" (${error.code})`, hasRun: !REFUSED.has(error.code), isLost: false };
  }
  if (error instanceof SdkHttpError) return httpMeaning(error, what);
  if (error instanceof SdkError) return { what, hasRun: true, isLost: false };
  if (what === "Not connected") return { what: "the connection is closed", hasRun: false, isLost: true };
  const code = codeOf((error as { cause?: unknown } | undefined)?.cause);
  const isUnreached = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN"].includes(code);
  return { what: code === "" ? what : `${what} (${code})`, hasRun: !isUnreached, isLost: code !== "" };
}

function httpMeaning({ status }: SdkHttpError, what: string): Meaning {
  const isRefused = status >= 400 && status < 500;
  // 404: the server no longer knows our session, and a new one is needed.
  return { what: `HTTP ${status}: ${what}`, hasRun: !isRefused, isLost: status === 404 };
}

function isConnectionClosed(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed;
}

/** Of the older transport, whose session ends with its stream; and of the newer, when its stream cannot be had back. */
function isEndOfConnection(error: Error): boolean {
  return error instanceof SseError || error.message.startsWith("Maximum reconnection attempts");
}
