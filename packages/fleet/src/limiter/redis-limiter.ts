/** Limits that the agents of many processes share, through Redis. */

import type { Limiter, LimiterOptions } from "@runahead/agent";
import { LIMITER_OPTIONS, limiterOn } from "@runahead/agent/internal";
import { aString, anything, checkOptions, required } from "@runahead/base";
import { type RedisConnection, connectRedis } from "../redis-connection.ts";
import { RedisWindow, type SharedSpent } from "./redis-window.ts";

/** Options of {@link createRedisLimiter}. All processes must set the same limits. */
export interface RedisLimiterOptions extends LimiterOptions {
  /** The Redis server. */
  readonly connection: RedisConnection;
  /** Which limits: processes with the same name on the same server share them. Default: `default`. */
  readonly name?: string;
}

/** Limits that all processes with the same name share. */
export interface RedisLimiter extends Limiter {
  /** Returns what the models of all processes have used. `spent` is what this process has used. */
  total(): Promise<RedisLimiterTotal>;
  /** Ends the connections to Redis. Requests that wait fail. */
  close(): Promise<void>;
}

/** What the models of all processes have used since the limits were first used. */
export type RedisLimiterTotal = SharedSpent;

const DEFAULT_WINDOW_MS = 60_000;

/**
 * Makes limits that the agents of many processes share. It works like `createLimiter` of `@runahead/agent`, with the
 * counts in Redis: requests of one process start in their order, and processes take turns.
 *
 * What a process that was killed had sent counts for 15 seconds and a window longer. While Redis cannot be reached,
 * requests wait; they can be aborted.
 *
 * @throws TypeError if an option is unknown or of the wrong type.
 *
 * @example
 * ```ts
 * import { anthropic, createAgent } from "@runahead/agent";
 * import { createRedisLimiter } from "@runahead/fleet";
 *
 * const limiter = createRedisLimiter({ connection: "redis://127.0.0.1:6379", requests: 50, tokens: 400_000 });
 * const model = limiter.limit(anthropic({ model: "claude-sonnet-4-6" }));
 * const agent = createAgent({ model, tools: [] });
 * ```
 */
export function createRedisLimiter(options: RedisLimiterOptions): RedisLimiter {
  const { connection, name = "default", ...limits } = checked(options);
  const [redis, subscriber] = [connectRedis(connection), connectRedis(connection)];
  const window = new RedisWindow({ redis, subscriber }, name, {
    ...limits,
    windowMs: limits.windowMs ?? DEFAULT_WINDOW_MS,
  });
  const limiter = limiterOn(window, limits);
  return {
    limit: (model) => limiter.limit(model),
    get spent() {
      return limiter.spent;
    },
    get waiting() {
      return limiter.waiting;
    },
    total: () => window.spent(),
    close: async () => {
      window.close();
      subscriber.disconnect();
      // Ends of requests that are still on their way are sent first.
      await redis.quit().catch(() => redis.disconnect());
    },
  };
}

function checked(options: RedisLimiterOptions): RedisLimiterOptions {
  checkOptions(
    options,
    { ...LIMITER_OPTIONS, connection: required(anything), name: aString },
    "createRedisLimiter",
  );
  return options;
}
