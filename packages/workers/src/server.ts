/** What a worker does on the server besides running calls: checks its settings and removes queues of dead workers. */

import type { Link } from "./connection.ts";
import { type Names, PREFIX } from "./names.ts";

/** Warns if the server can lose calls: no persistence, or eviction when memory is full. */
export async function checkServer({ redis }: Link, onNotice: (message: string) => void): Promise<void> {
  const info = `${await redis.info("memory")}\n${await redis.info("persistence")}`;
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1];
  if (policy !== undefined && policy !== "noeviction")
    onNotice(
      `Redis evicts keys when its memory is full (maxmemory-policy ${policy}), so calls can get lost. Set maxmemory-policy noeviction.`,
    );
  if (/^aof_enabled:0/m.test(info))
    onNotice("Redis has no append-only file, so calls are lost when it restarts. Set appendonly yes.");
}

const OLD_MS = 3_600_000;
const SWEPT_AT_ONCE = 100;
/** The keys that BullMQ keeps for an empty queue. */
const QUEUE_KEYS = [
  "meta",
  "active",
  "events",
  "marker",
  "id",
  "stalled",
  "stalled-check",
  "failed",
  "completed",
  "pc",
];

/** Removes the queues of workers that were not seen for an hour, unless calls are waiting there. */
export async function sweepOld({ redis }: Link, names: Names): Promise<void> {
  const before = Date.now() - OLD_MS;
  const old = await redis.zrangebyscore(names.workers, 0, before, "LIMIT", 0, SWEPT_AT_ONCE);
  for (const worker of old) {
    const queue = names.ownOf(worker);
    if ((await redis.exists(names.waiting(queue), names.record(worker))) > 0) continue;
    const taken = await redis.lrange(`${PREFIX}:${queue}:active`, 0, -1);
    for (const job of taken) await redis.unlink(names.jobKey(queue, job));
    await redis.unlink(QUEUE_KEYS.map((key) => `${PREFIX}:${queue}:${key}`));
    await redis.zrem(names.workers, worker);
  }
}
