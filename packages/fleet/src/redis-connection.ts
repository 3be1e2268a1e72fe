/** A connection to Redis that is restored by itself. */

import { Redis, type RedisOptions } from "ioredis";

/** The Redis server: `redis://user:password@host:port/database`, `rediss://…` for TLS, or ioredis options. */
export type RedisConnection = string | RedisOptions;

export function connectRedis(connection: RedisConnection, more: RedisOptions = {}): Redis {
  const options = {
    ...more,
    maxRetriesPerRequest: null,
    retryStrategy: (times: number) => Math.min(50 * 2 ** Math.min(times, 5), 1_000),
    // BullMQ expects this reply format.
    replyMapping: "legacy",
  } as const;
  const redis =
    typeof connection === "string"
      ? new Redis(connection, options)
      : new Redis({ ...connection, ...options });
  // Commands wait until the server is back, so an error has no further effect.
  redis.on("error", () => {});
  return redis;
}
