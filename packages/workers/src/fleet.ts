/** The state of a fleet, for display: its workers, their calls, and the waiting calls. */

import { type Check, aString, checkOptions, redisAddress, required } from "@runahead/base";
import { type Connection, Link, aConnection } from "./connection.ts";
import { LIMITS } from "./limits.ts";
import { type WorkerRecord, parseRecord } from "./message.ts";
import { type Names, checkName, namesOf } from "./names.ts";

/** Names a queue: the options of {@link fleet} and {@link drainWorker}. */
export interface FleetOptions {
  /** The Redis server. */
  readonly connection: Connection;
  /** The name of the queue. */
  readonly queue: string;
}

/** The workers of a queue and what waits for them, at one moment. */
export interface Fleet {
  /** The name of the queue. */
  readonly queue: string;
  /** The number of calls that no worker has taken yet. */
  readonly waiting: number;
  /** The workers that are alive, in order of their start. */
  readonly workers: readonly WorkerRecord[];
}

const MOST_WORKERS = 10_000;

/**
 * Returns the workers of a queue, their running calls, and the number of waiting calls.
 *
 * Rejects with a TypeError for invalid options, and with an Error if the server cannot be reached.
 *
 * @example
 * ```ts
 * import { fleet } from "@runahead/workers";
 *
 * const { waiting, workers } = await fleet({ connection: "redis://127.0.0.1:6379", queue: "tools" });
 * console.log(waiting, workers.map(({ id, state }) => `${id} ${state}`));
 * ```
 */
export async function fleet(options: FleetOptions): Promise<Fleet> {
  checkOptions(options, OPTIONS, "fleet");
  return withServer(options, async (link, names) => {
    const ids = await link.redis.zrange(names.workers, 0, String(MOST_WORKERS - 1));
    const texts = ids.length === 0 ? [] : await link.redis.mget(ids.map((id) => names.record(id)));
    const workers = texts.flatMap((text) => {
      const parsed = parseRecord(text ?? "");
      return parsed.ok ? [parsed.value] : [];
    });
    const queues = [names.shared, ...workers.map(({ id }) => names.ownOf(id))];
    const depths = await Promise.all(queues.map((queue) => link.redis.llen(names.waiting(queue))));
    return {
      queue: options.queue,
      waiting: depths.reduce((sum, depth) => sum + depth, 0),
      workers: workers.toSorted((one, other) => one.startedAt - other.startedAt),
    };
  });
}

/**
 * Asks a worker to finish its calls, take no new ones, and exit. The worker reacts within about a second.
 *
 * Resolves with false if there is no such worker. Rejects with an Error if the server cannot be reached.
 *
 * @example
 * ```ts
 * import { drainWorker, fleet } from "@runahead/workers";
 *
 * const where = { connection: "redis://127.0.0.1:6379", queue: "tools" };
 * for (const { id } of (await fleet(where)).workers) await drainWorker(where, id);
 * ```
 */
export async function drainWorker(options: FleetOptions, worker: string): Promise<boolean> {
  checkOptions(options, OPTIONS, "drainWorker");
  required(aString)(worker, "drainWorker: the id of the worker");
  return withServer(options, async (link, names) => {
    if ((await link.redis.exists(names.record(worker))) === 0) return false;
    await link.redis.set(names.drain(worker), "1", "PX", LIMITS.keepMs);
    return true;
  });
}

const OPTIONS: Readonly<Record<keyof FleetOptions, Check>> = {
  connection: required(aConnection),
  queue: required(aString),
};

async function withServer<Value>(
  { connection, queue }: FleetOptions,
  use: (link: Link, names: Names) => Promise<Value>,
): Promise<Value> {
  const names = namesOf(checkName(queue, "The name of a queue"));
  const link = new Link(connection);
  try {
    if (await link.up(LIMITS.silenceMs)) return await use(link, names);
    throw new Error(`Cannot connect to the Redis server at ${redisAddress(connection)}: ${link.problem}.`);
  } finally {
    await link.close();
  }
}
