/** A connection to the Redis server: reconnects automatically, detects silence, and identifies the server instance. */

import type { Socket as NetStream } from "node:net";
import { Redis, type RedisOptions } from "ioredis";
import { type Check, redisProblem, wrong } from "@runahead/base";
import { LIMITS } from "./limits.ts";

/** The Redis server: `redis://user:password@host:port/database`, `rediss://…` for TLS, or ioredis options. */
export type Connection = string | RedisOptions;

export const aConnection: Check = (value, what) => {
  if (typeof value !== "string" && (typeof value !== "object" || value === null))
    throw wrong(what, "a Redis URL such as redis://127.0.0.1:6379, or the options of ioredis", value);
};

export interface LinkOptions {
  /** If false, commands whose reply was lost with the connection fail, because the server may have executed them. */
  readonly resend?: boolean;
}

export class Link {
  readonly redis: Redis;
  /** When this connection became usable, in monotonic time. */
  #upSince: number | undefined;
  #server: Promise<string> = Promise.resolve("");
  #problem = "not connected yet";
  #isTogether = false;
  readonly #waiting = new Set<() => void>();

  constructor(connection: Connection, { resend = true }: LinkOptions = {}) {
    this.redis = open(connection, {
      maxRetriesPerRequest: resend ? null : 0,
      socketTimeout: LIMITS.silenceMs,
      connectTimeout: LIMITS.silenceMs,
      retryStrategy: (times) => Math.min(50 * 2 ** Math.min(times, 5), 1_000),
    });
    this.redis.on("error", (error: Error) => (this.#problem = redisProblem(error)));
    this.redis.on("ready", () => this.#ready());
    this.redis.on("close", () => (this.#upSince = undefined));
  }

  get upSince(): number | undefined {
    return this.#upSince;
  }

  /** Why it cannot be used. */
  get problem(): string {
    return this.#problem;
  }

  /** The run id of the server: differs after every restart and between servers. Empty if unknown. */
  get server(): Promise<string> {
    return this.#server;
  }

  /** Resolves with false if the time is up or the signal aborts before the connection is usable. */
  async up(limitMs: number, signal?: AbortSignal): Promise<boolean> {
    if (this.#upSince !== undefined) return true;
    if (signal?.aborted === true) return false;
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        this.#waiting.delete(done);
        resolve(this.#upSince !== undefined);
      };
      const timer = setTimeout(done, limitMs);
      signal?.addEventListener("abort", done);
      this.#waiting.add(done);
    });
  }

  /** Batches everything that is sent in this tick of the event loop into one system call. */
  together(): void {
    const stream = this.redis.stream as Partial<NetStream> | undefined;
    if (this.#isTogether || stream?.cork === undefined) return;
    this.#isTogether = true;
    stream.cork();
    setImmediate(() => {
      this.#isTogether = false;
      stream.uncork?.();
    });
  }

  /** Closes the connection without waiting for replies. */
  async close(): Promise<void> {
    if (this.redis.status === "end") return;
    const ended = new Promise<void>((resolve) => this.redis.once("end", () => resolve()));
    this.redis.disconnect();
    for (const done of this.#waiting) done();
    if (this.#upSince === undefined) return;
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 1_000).unref())]);
  }

  #ready(): void {
    this.#upSince = performance.now();
    this.#problem = "the connection was lost";
    const asked = this.redis.info("server").then(
      (info) => /^run_id:(\w+)/m.exec(info)?.[1] ?? "",
      () => "",
    );
    this.#server = asked;
    for (const done of this.#waiting) done();
  }
}

function open(connection: Connection, options: RedisOptions): Redis {
  // BullMQ expects this reply format.
  const replyMapping = "legacy";
  if (typeof connection === "string") return new Redis(connection, { ...options, replyMapping });
  return new Redis({ ...connection, ...options, replyMapping });
}

/** Waits at most `limitMs`; resolves with undefined after that. */
export async function within<Value>(limitMs: number, value: Promise<Value>): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), limitMs)));
  // A late rejection has no handler otherwise.
  value.catch(() => {});
  try {
    return await Promise.race([value, late]);
  } finally {
    clearTimeout(timer);
  }
}
