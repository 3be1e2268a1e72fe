/** What a worker looks after on the server: that it keeps what it is given, and what dead workers have left. */

import type { Link } from "./connection.ts";
import { type Names, PREFIX } from "./names.ts";

/** A server that forgets calls, or throws them away when it is full, is said to be one. */
export async function checkServer({ redis }: Link, onNotice: (message: string) => void): Promise<void> {
  const info = `${await redis.info("memory")}\n${await redis.info("persistence")}`;
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1];
  if (policy !== undefined && policy !== "noeviction")
    onNotice(`The server throws keys away when it is full (${policy}). Set maxmemory-policy noeviction.`);
  if (/^aof_enabled:0/m.test(info))
    onNotice("The server has no append-only file: what it knows is lost when it ends. Set appendonly yes.");
}

const OLD_MS = 3_600_000;
const SWEPT_AT_ONCE = 100;
/** What the queue engine keeps for a queue that has no calls. */
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

/** Queues of single workers that have not been seen for an hour, unless somebody still has a call there. */
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
