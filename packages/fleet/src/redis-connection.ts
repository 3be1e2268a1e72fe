/** A connection to Redis that is restored by itself. */

import { redisAddress, redisProblem } from "@runahead/base";
import { Redis, type RedisOptions } from "ioredis";

/** The Redis server: `redis://user:password@host:port/database`, `rediss://…` for TLS, or ioredis options. */
export type RedisConnection = string | RedisOptions;

/** How long BullMQ blocks for a job, in seconds. Must be less than the silence that ends a connection. */
export const BLOCK_S = 2.5;
/** A connection without a byte for this long, while a reply is due, counts as dead. */
const SILENCE_MS = 4_000;
const URL_START = /^rediss?:\/\//;

/** Throws a TypeError for an address that is not one of Redis: ioredis would take it for a host name. */
export function checkRedisUrl(connection: RedisConnection | undefined, what: string): void {
  if (typeof connection === "string" && !(URL_START.test(connection) && URL.canParse(connection)))
    throw new TypeError(`${what} must be an address such as redis://127.0.0.1:6379.`);
}

export function connectRedis(connection: RedisConnection, more: RedisOptions = {}): Redis {
  const options = {
    ...more,
    maxRetriesPerRequest: null,
    socketTimeout: SILENCE_MS,
    connectTimeout: SILENCE_MS,
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

/** Reports once when the server cannot be reached, and once when it is back. */
export function reportOutages(
  redis: Redis,
  connection: RedisConnection,
  onNotice: (message: string) => void,
): void {
  const server = `the Redis server at ${redisAddress(connection)}`;
  let isAway = false;
  let problem = "the connection was lost";
  redis.on("error", (error: Error) => (problem = redisProblem(error)));
  redis.on("reconnecting", () => {
    if (isAway) return;
    isAway = true;
    onNotice(
      `Cannot reach ${server}: ${problem.replace(/\.$/, "")}. No session is started until it responds.`,
    );
  });
  redis.on("ready", () => {
    if (isAway) onNotice(`Connected to ${server} again.`);
    isAway = false;
    problem = "the connection was lost";
  });
}
