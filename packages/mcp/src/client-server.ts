/** An open server, over the protocol's client. Every failure says what it means for the call. */

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
import { MAY_HAVE_RUN, McpFailure, NOT_RUN, SessionEnded, networkReason } from "./failure.ts";
import { STREAM_ENDED } from "./http.ts";
import { IdleLimit } from "./idle-limit.ts";
import { promptsOf, resourcesOf, toolsOf } from "./listed.ts";
import { needsLogin } from "./needs-login.ts";
import type { OpenSpec } from "./open-spec.ts";
import type {
  ListedPrompt,
  ListedResource,
  ListedTool,
  OpenServer,
  RawResult,
  ServerCall,
} from "./server.ts";
import { StdioTransport } from "./stdio.ts";
import { neededPages } from "./url-needed.ts";
import type { Waits } from "./waits.ts";

/** The client's own time limits are turned off, because ours report why they end a request. */
const NO_LIMIT_MS = 2_147_483_647;
const SHOWN_CHARS = 500;

type Spec = OpenSpec & { readonly waits: Waits };

export class ClientServer implements OpenServer {
  readonly #client: Client;
  readonly #transport: Transport;
  readonly #spec: Spec;
  #isLost = false;

  constructor(client: Client, transport: Transport, spec: Spec) {
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
    this.#spec.waits.add(limit);
    const options = {
      signal: limit.signal,
      timeout: NO_LIMIT_MS,
      // A result that breaks the declared output schema is still a result that the model can read.
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
          `The MCP server ${this.#name} sent nothing for ${idleMs / 1000} s, so the call was cancelled. ${MAY_HAVE_RUN}`,
        );
      const pages = await this.#spec.waits.during(() => neededPages(error, this.#spec, signal));
      if (pages !== undefined) throw new McpFailure(`The MCP server ${this.#name} ${pages} ${NOT_RUN}`);
      throw this.#failure(error);
    } finally {
      this.#spec.waits.delete(limit);
      limit.end();
    }
  }

  async resources(signal: AbortSignal): Promise<readonly ListedResource[]> {
    if (this.#client.getServerCapabilities()?.resources === undefined) return [];
    const options = { signal, timeout: NO_LIMIT_MS, cacheMode: "refresh" } as const;
    const listed = await this.#asked(() => this.#client.listResources(undefined, options));
    // A server without templates need not support this request.
    const templates = await this.#client.listResourceTemplates(undefined, options).catch(() => ({}));
    return resourcesOf(listed, templates);
  }

  async readResource(uri: string, signal: AbortSignal): Promise<RawResult> {
    const read = (): Promise<unknown> =>
      this.#client.readResource({ uri }, { signal, timeout: NO_LIMIT_MS, cacheMode: "refresh" });
    const result = await this.#asked(read);
    return isShape(result) ? result : {};
  }

  async prompts(signal: AbortSignal): Promise<readonly ListedPrompt[]> {
    if (this.#client.getServerCapabilities()?.prompts === undefined) return [];
    const options = { signal, timeout: NO_LIMIT_MS, cacheMode: "refresh" } as const;
    return promptsOf(await this.#asked(() => this.#client.listPrompts(undefined, options)));
  }

  async prompt(
    name: string,
    args: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<RawResult> {
    const get = (): Promise<unknown> =>
      this.#client.getPrompt({ name, arguments: { ...args } }, { signal, timeout: NO_LIMIT_MS });
    const result = await this.#asked(get);
    return isShape(result) ? result : {};
  }

  async close(): Promise<void> {
    this.#isLost = true;
    await this.#transport.close().catch(() => {});
  }

  get #name(): string {
    return this.#spec.entry.name;
  }

  /** Runs a request without side effects, so its errors need not say whether it ran. */
  async #asked<Value>(ask: () => Promise<Value>): Promise<Value> {
    try {
      return await ask();
    } catch (error) {
      throw new McpFailure(this.#failed(this.#meaning(error), error));
    }
  }

  #failure(error: unknown): McpFailure {
    const failed = this.#meaning(error);
    const words = this.#failed(failed, error);
    const text = `${words}${words.endsWith("\n") ? "" : " "}${failed.hasRun ? MAY_HAVE_RUN : NOT_RUN}`;
    return failed.isSessionOver === true ? new SessionEnded(text) : new McpFailure(text);
  }

  #meaning(error: unknown): Meaning {
    // 403 in the middle of a session can mean only this one call.
    const isForbidden = error instanceof SdkHttpError && error.status === 403;
    const login = isForbidden ? undefined : needsLogin(error, this.#spec);
    return login === undefined ? meaning(error) : { what: login.message, hasRun: false, isLost: false };
  }

  /** Says what went wrong. Gives up the connection if it is lost. */
  #failed({ what, isLost, isSessionOver }: Meaning, error: unknown): string {
    const why = this.#isLost && isConnectionClosed(error) ? this.#whyEnded() : what;
    if (isLost) this.#lost(why, isSessionOver === true ? "session-ended" : undefined);
    return `The MCP server ${this.#name} failed: ${why}${why.endsWith("\n") ? "" : "."}`;
  }

  #whyEnded(): string {
    if (!(this.#transport instanceof StdioTransport)) return "the connection was closed";
    const { fault, stderr } = this.#transport;
    const said = stderr.text === "" ? "" : `; last lines of its stderr:\n${stderr.text}\n`;
    return `${fault === "" ? "it was stopped" : fault}${said}`;
  }

  #lost(why: string, how?: "session-ended"): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#spec.onLost(why, how);
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
  /** Whether the connection cannot be used any more. */
  readonly isLost: boolean;
  /** Whether a new session is all that is needed. */
  readonly isSessionOver?: boolean;
}

/** Errors that mean that the server did not start the call. */
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
  // The SDK rejects a request that comes after the end of the connection with a plain Error.
  if (what === "Not connected") return { what: "the connection is closed", hasRun: false, isLost: true };
  const code = codeOf((error as { cause?: unknown } | undefined)?.cause);
  const isUnreached = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN"].includes(code);
  const why = networkReason(error) ?? (code === "" ? what : `${what} (${code})`);
  return { what: why, hasRun: !isUnreached, isLost: code !== "" };
}

function httpMeaning({ status }: SdkHttpError, what: string): Meaning {
  const isRefused = status >= 400 && status < 500;
  // 404: the server no longer knows the session, so a new one is needed.
  const isSessionOver = status === 404;
  return { what: `HTTP ${status}: ${what}`, hasRun: !isRefused, isLost: isSessionOver, isSessionOver };
}

function isConnectionClosed(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed;
}

/**
 * The session of the older transport ends with its stream; that of the newer one when its stream cannot be reopened, which
 * the SDK reports with a plain Error.
 */
function isEndOfConnection(error: Error): boolean {
  return error instanceof SseError || error.message.startsWith("Maximum reconnection attempts");
}
