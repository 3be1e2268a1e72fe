/** JSON-RPC between us and one language server. Nothing that the server sends, or does not send, can block us. */

import type { Readable, Writable } from "node:stream";
import { isShape } from "@runahead/base";
import { MessageReader, frame } from "./framing.ts";

/** What a server sends in a window of time before it counts as broken. */
const FLOOD_BYTES = 64 * 1024 * 1024;
const FLOOD_MS = 10_000;
/** A server that reads nothing makes us hold what we send. */
const UNREAD_BYTES = 32 * 1024 * 1024;

const METHOD_NOT_FOUND = -32_601;

/** An error that a server answered with. */
export class ServerError extends Error {
  override readonly name = "ServerError";
  readonly code: number;

  constructor(message: string, code: number) {
    super(message);
    this.code = code;
  }
}

/** The server did not answer in time. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

export interface RpcParts {
  readonly input: Writable;
  readonly output: Readable;
  readonly onNotification: (method: string, params: unknown) => void;
  /** Returns the answer to a request of the server; undefined: the method is not supported. */
  readonly onRequest: (method: string, params: unknown) => unknown;
  /** Called once if the server breaks the protocol. */
  readonly onBroken: (why: string) => void;
}

export interface RequestLimits {
  readonly limitMs: number;
  readonly signal?: AbortSignal;
}

interface Pending {
  readonly done: (result: unknown) => void;
  readonly fail: (error: Error) => void;
}

export class RpcLink {
  readonly #parts: RpcParts;
  readonly #reader = new MessageReader();
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #closed: string | undefined;
  #windowStart = Date.now();
  #windowBytes = 0;

  constructor(parts: RpcParts) {
    this.#parts = parts;
    parts.output.on("data", (bytes: Buffer) => this.#receive(bytes));
  }

  /** Rejects with `NoAnswer` after the limit, with `ServerError` if the server refuses, or when the link is closed. */
  request(method: string, params: unknown, { limitMs, signal }: RequestLimits): Promise<unknown> {
    if (this.#closed !== undefined) return Promise.reject(new NoAnswer(this.#closed));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const stop = (): void => end(() => reject(signal?.reason as Error), true);
      const timer = setTimeout(
        () =>
          end(() => reject(new NoAnswer(`it did not answer ${method} within ${limitMs / 1_000} s`)), true),
        limitMs,
      );
      const end = (settle: () => void, isGivenUp: boolean): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", stop);
        if (this.#pending.delete(id) && isGivenUp) this.notify("$/cancelRequest", { id });
        settle();
      };
      this.#pending.set(id, {
        done: (result) => end(() => resolve(result), false),
        fail: (error) => end(() => reject(error), false),
      });
      signal?.addEventListener("abort", stop, { once: true });
      if (signal?.aborted === true) return stop();
      this.#send({ id, method, ...(params === undefined ? {} : { params }) });
    });
  }

  notify(method: string, params: unknown): void {
    this.#send({ method, ...(params === undefined ? {} : { params }) });
  }

  /** Rejects all requests that wait. Can be called more than once. */
  close(why: string): void {
    this.#closed ??= why;
    for (const { fail } of this.#pending.values()) fail(new NoAnswer(why));
  }

  #break(why: string): void {
    if (this.#closed !== undefined) return;
    this.close(why);
    this.#parts.onBroken(why);
  }

  #send(message: object): void {
    if (this.#closed !== undefined) return;
    const { input } = this.#parts;
    if (input.writableLength > UNREAD_BYTES) return this.#break("it does not read what it is sent");
    input.write(frame(message));
  }

  #receive(bytes: Buffer): void {
    if (this.#closed !== undefined) return;
    if (this.#isFlooded(bytes.length)) return this.#break("it sends more than can be read");
    try {
      for (const message of this.#reader.push(bytes)) this.#handle(message);
    } catch (error) {
      this.#break((error as Error).message);
    }
  }

  #isFlooded(bytes: number): boolean {
    const now = Date.now();
    if (now - this.#windowStart > FLOOD_MS) {
      this.#windowStart = now;
      this.#windowBytes = 0;
    }
    this.#windowBytes += bytes;
    return this.#windowBytes > FLOOD_BYTES;
  }

  #handle(message: unknown): void {
    if (!isShape(message)) throw new Error("it sent a message that is not an object");
    const { id, method, params, result, error } = message;
    if (typeof method !== "string") return this.#answered(id, result, error);
    if (id === undefined) return this.#parts.onNotification(method, params);
    const answer = this.#parts.onRequest(method, params);
    if (answer !== undefined) return this.#send({ id, result: answer });
    this.#send({ id, error: { code: METHOD_NOT_FOUND, message: `${method} is not supported` } });
  }

  #answered(id: unknown, result: unknown, error: unknown): void {
    const pending = typeof id === "number" ? this.#pending.get(id) : undefined;
    if (pending === undefined) return;
    if (error === undefined || error === null) return pending.done(result);
    const { message = "an error", code = 0 } = isShape(error) ? error : {};
    pending.fail(new ServerError(String(message), Number(code)));
  }
}
