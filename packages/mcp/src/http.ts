/**
 * The transport to a server on the network. It adds two things to the client's own: a size limit for answers (H04), and
 * an error for a request whose stream ended without an answer, which would otherwise never settle (H02).
 */

import {
  type JSONRPCMessage,
  type MessageExtraInfo,
  type OAuthClientProvider,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
  type TransportSendOptions,
} from "@modelcontextprotocol/client";

/** A code that JSON-RPC does not use itself. */
export const STREAM_ENDED = -32_901;
const GOODBYE_MS = 1_000;
const STREAM_RETRIES = 2;

export interface HttpSpec {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly mostMessageBytes: number;
  /** Milliseconds before a broken stream is reopened. */
  readonly retryMs: number;
  readonly mostRetryMs: number;
  /** Adds the token of a login, and refreshes it. */
  readonly authProvider: OAuthClientProvider | undefined;
}

type Id = number | string;

export class HttpTransport implements Transport {
  readonly hasPerRequestStream = true;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage, extra?: MessageExtraInfo) => void;
  readonly #inner: StreamableHTTPClientTransport;
  /** Requests without an answer, with the controller that closes their stream. */
  readonly #open = new Map<Id, AbortController>();
  #goodbye: Promise<void> | undefined;
  /** The reason for the next answer that breaks off. */
  #tooMuch: string | undefined;

  constructor({ url, headers, mostMessageBytes, retryMs, mostRetryMs, authProvider }: HttpSpec) {
    this.#inner = new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers },
      ...(authProvider === undefined ? {} : { authProvider }),
      fetch: boundedFetch(mostMessageBytes, (why) => (this.#tooMuch = why)),
      reconnectionOptions: {
        initialReconnectionDelay: retryMs,
        maxReconnectionDelay: mostRetryMs,
        reconnectionDelayGrowFactor: 2,
        maxRetries: STREAM_RETRIES,
      },
      reconnectionScheduler(reconnect, delayMs) {
        const timer = setTimeout(reconnect, delayMs).unref();
        return () => clearTimeout(timer);
      },
    });
    Object.assign(this.#inner, {
      onclose: () => this.onclose?.(),
      onerror: (error: Error) => this.onerror?.(error),
      onmessage: (message: JSONRPCMessage, extra?: MessageExtraInfo) => {
        if (!("method" in message) && message.id !== undefined) this.#open.delete(message.id);
        this.onmessage?.(message, extra);
      },
    } satisfies Partial<Transport>);
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion(version);
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  async send(message: JSONRPCMessage, options: TransportSendOptions = {}): Promise<void> {
    if (!("method" in message) || !("id" in message)) {
      await this.#inner.send(message, present(options));
      return this.#letGo(message);
    }
    const { id } = message;
    const controller = new AbortController();
    this.#open.set(id, controller);
    const { requestSignal } = options;
    const signals = requestSignal === undefined ? [controller.signal] : [requestSignal, controller.signal];
    const own = { requestSignal: AbortSignal.any(signals), onRequestStreamEnd: () => this.#ended(id) };
    try {
      await this.#inner.send(message, present({ ...options, ...own }));
    } catch (error) {
      this.#open.delete(id);
      throw error;
    }
  }

  /** Ends the session at the server, without waiting long for it. */
  close(): Promise<void> {
    this.#goodbye ??= this.#close();
    return this.#goodbye;
  }

  async #close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, GOODBYE_MS)));
    await Promise.race([this.#inner.terminateSession().catch(() => {}), limit]);
    clearTimeout(timer);
    await this.#inner.close();
  }

  #ended(id: Id): void {
    if (!this.#open.delete(id)) return;
    const message = this.#tooMuch ?? "the connection closed before the answer was complete";
    this.#tooMuch = undefined;
    this.onmessage?.({ jsonrpc: "2.0", id, error: { code: STREAM_ENDED, message } });
  }

  /** A cancelled request gets no answer, so the server could keep its stream open forever. */
  #letGo(message: JSONRPCMessage): void {
    if (!("method" in message) || message.method !== "notifications/cancelled") return;
    const id = (message.params as { requestId?: Id } | undefined)?.requestId;
    if (id === undefined) return;
    this.#open.get(id)?.abort();
    this.#open.delete(id);
  }
}

/** The client's type does not accept members with the value undefined. */
function present(options: TransportSendOptions): Parameters<StreamableHTTPClientTransport["send"]>[1] {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** The transport that preceded streamable HTTP, for servers that support nothing else. */
export function sseTransport({ url, headers, mostMessageBytes, authProvider }: HttpSpec): Transport {
  return new SSEClientTransport(new URL(url), {
    requestInit: { headers },
    ...(authProvider === undefined ? {} : { authProvider }),
    fetch: boundedFetch(mostMessageBytes),
  });
}

function boundedFetch(mostBytes: number, onTooMuch?: (why: string) => void): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    const { status, statusText, headers } = response;
    const body = response.body.pipeThrough(bounded({ mostBytes, isStream, onTooMuch }));
    const copy = new Response(body, { status, statusText, headers });
    Object.defineProperty(copy, "url", { value: response.url });
    return copy;
  };
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;

interface Bound {
  readonly mostBytes: number;
  readonly isStream: boolean;
  readonly onTooMuch: ((why: string) => void) | undefined;
}

/** Fails if one event of a stream, or the whole body of another response, exceeds the limit. */
function bounded({ mostBytes, isStream, onTooMuch }: Bound): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  let isLineEmpty = true;
  const count = (chunk: Uint8Array): void => {
    bytes += chunk.length;
    if (!isStream) return;
    for (const [at, byte] of chunk.entries()) {
      if (byte === NEWLINE && isLineEmpty) bytes = chunk.length - at - 1;
      if (byte !== RETURN) isLineEmpty = byte === NEWLINE;
    }
  };
  return new TransformStream({
    transform(chunk, controller) {
      count(chunk);
      if (bytes <= mostBytes) return controller.enqueue(chunk);
      const why = `it sent a message larger than ${mostBytes} bytes`;
      onTooMuch?.(why);
      controller.error(new Error(why));
    },
  });
}
