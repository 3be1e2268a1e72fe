/**
 * The order of wake-ups: start-time fair queueing. The priority of a job is its tenant's virtual time, which never falls behind
 * that of the job that was taken last. So a tenant with many jobs does not delay one with few, and is not starved by it either.
 */

import type { Redis } from "ioredis";
import { redisScript, runScript } from "../redis-script.ts";

/** BullMQ has priorities up to 2,097,151. */
const MOST = 2_000_000;
/** So far apart are only ranks from before a restart and from after it. */
const FAR = MOST / 2;
/** Sessions that are taken within this time are reported together. */
const TAKEN_MS = 10;

/**
 * Takes the next rank of a tenant, and marks the session as woken. Returns 0 if an earlier wake-up of the session still waits: the
 * worker that takes it finds everything that was stored until then. When the ranks are used up, they restart: everything that
 * waits moves down by the virtual time and keeps its order. If the virtual time is low, because one tenant has that many jobs,
 * its further jobs share the last rank. A session that waited for a slot of its tenant keeps its rank. BullMQ stores the
 * priority of a job in its hash, and times 2^32 in the score.
 */
const RANK = redisScript(`
local woken = string.match(redis.call('GET', KEYS[3]) or '', '^%d+ (.+)$')
local kept = tonumber(ARGV[5])
if ARGV[4] == '0' and kept == 0 and woken and redis.call('ZSCORE', KEYS[4], woken) then return { 0, 0 } end
local now = tonumber(redis.call('GET', KEYS[1]) or '0')
local mark = redis.call('TIME')[1] .. ' ' .. ARGV[3]
if kept > 0 then
  redis.call('SET', KEYS[3], mark, 'PX', ARGV[2])
  return { math.min(kept, now + 1), tonumber(redis.call('GET', KEYS[7]) or '0') }
end
local last = tonumber(redis.call('HGET', KEYS[2], ARGV[1]) or '0')
local rank = math.max(now, last) + 1
if rank > ${MOST} and now >= ${FAR} then
  for _, set in ipairs({ KEYS[4], KEYS[5] }) do
    for _, job in ipairs(redis.call('ZRANGE', set, 0, -1)) do
      local before = tonumber(redis.call('HGET', KEYS[6] .. job, 'priority') or '0')
      local after = math.max(1, before - now)
      if before > 0 then
        redis.call('HSET', KEYS[6] .. job, 'priority', after)
        if set == KEYS[4] then
          redis.call('ZINCRBY', set, string.format('%.0f', (after - before) * 4294967296), job)
        end
      end
    end
  end
  local tenants = redis.call('HGETALL', KEYS[2])
  for at = 1, #tenants, 2 do
    local after = tonumber(tenants[at + 1]) - now
    if after > 0 then redis.call('HSET', KEYS[2], tenants[at], after)
    else redis.call('HDEL', KEYS[2], tenants[at]) end
  end
  redis.call('DEL', KEYS[1])
  redis.call('INCR', KEYS[7])
  rank = math.max(0, last - now) + 1
end
rank = math.min(${MOST}, rank)
redis.call('HSET', KEYS[2], ARGV[1], rank)
redis.call('SET', KEYS[3], mark, 'PX', ARGV[2])
return { rank, tonumber(redis.call('GET', KEYS[7]) or '0') }`);

/** The virtual time becomes that of the last session that was taken. A rank from before a restart does not count. */
const TAKEN = redisScript(`
local seconds = redis.call('TIME')[1]
for at = 2, #KEYS do redis.call('SET', KEYS[at], seconds .. ' ', 'PX', ARGV[2]) end
local now = tonumber(redis.call('GET', KEYS[1]) or '0')
local rank = tonumber(ARGV[1])
if rank > now and rank - now < ${FAR} then redis.call('SET', KEYS[1], ARGV[1]) end`);

export interface OrderKeys {
  /** The virtual time. */
  readonly time: string;
  /** The last rank of each tenant. */
  readonly tenants: string;
  /** How often the ranks have restarted. */
  readonly restarts: string;
  /** The jobs of BullMQ that wait, and those that wait for their time. */
  readonly prioritized: string;
  readonly delayed: string;
  /** What the keys of jobs begin with. */
  readonly jobs: string;
}

export interface Woken {
  readonly tenant: string;
  readonly job: string;
  /** The key that says when the session was woken or taken last, and by which job. */
  readonly mark: string;
  readonly markMs: number;
  /** Whether it waits for its time. Then it does not matter what waits already. */
  readonly isDelayed: boolean;
  /** The rank of an earlier wake-up, which it keeps. */
  readonly kept?: number;
}

export interface Rank {
  readonly rank: number;
  /** How often the ranks had restarted when it was taken. */
  readonly restarts: number;
}

export class FairOrder {
  readonly #redis: Redis;
  readonly #keys: OrderKeys;
  readonly #takenMs: number;
  #taken: { rank: number; readonly marks: Set<string> } | undefined;

  /** `takenMs` is how long the mark of a session is kept that was taken. */
  constructor(redis: Redis, keys: OrderKeys, takenMs: number) {
    this.#redis = redis;
    this.#keys = keys;
    this.#takenMs = takenMs;
  }

  /** Undefined if an earlier wake-up of the session still waits. */
  async rank({ tenant, job, mark, markMs, isDelayed, kept = 0 }: Woken): Promise<Rank | undefined> {
    const { time, tenants, prioritized, delayed, jobs, restarts: counter } = this.#keys;
    const keys = [time, tenants, mark, prioritized, delayed, jobs, counter];
    const found = await runScript(this.#redis, RANK, {
      keys,
      values: [tenant, markMs, job, Number(isDelayed), kept],
    });
    const [rank = 1, restarts = 0] = (found as unknown[]).map(Number);
    return rank === 0 ? undefined : { rank, restarts };
  }

  /** After the job was added: returns another rank if the ranks restarted in between, or the job would wait for all others. */
  async corrected({ rank, restarts }: Rank): Promise<number | undefined> {
    if (rank < FAR) return undefined;
    const { time, restarts: counter } = this.#keys;
    const [now, count] = (await this.#redis.mget(time, counter)).map(Number);
    return count === restarts ? undefined : (now ?? 0) + 1;
  }

  /** Nobody waits for it: if the report is lost, somebody looks at the session once more. */
  taken(rank: number, mark: string): void {
    if (this.#taken === undefined) setTimeout(() => this.#report(), TAKEN_MS).unref();
    this.#taken ??= { rank, marks: new Set() };
    this.#taken.rank = Math.max(this.#taken.rank, rank);
    this.#taken.marks.add(mark);
  }

  #report(): void {
    const { rank, marks } = this.#taken ?? { rank: 0, marks: [] };
    this.#taken = undefined;
    const input = { keys: [this.#keys.time, ...marks], values: [rank, this.#takenMs] };
    runScript(this.#redis, TAKEN, input).catch(() => {});
  }
}
