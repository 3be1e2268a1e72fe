/**
 * The limits of tenants in Redis. A session that runs holds a slot of its tenant. If all slots are taken, the session is put
 * aside, and one that frees its slot wakes it: a long line of one tenant costs the workers nothing while it waits.
 */

import { randomBytes } from "node:crypto";
import type { Redis } from "ioredis";
import { redisScript, runScript } from "../redis-script.ts";
import { type Taken, keyOf } from "./dispatcher.ts";

/** How long a session counts for the limit of its tenant without renewal. */
const SLOT_MS = 10_000;

/**
 * Takes, renews or frees a slot, and returns whether the session has one, and sessions that are aside for which there are slots,
 * each with its rank. The clocks of workers can differ, so that of Redis counts. After Redis has lost its data, slots are
 * taken again as they are renewed.
 */
const SLOT = redisScript(`
local slots, aside, counts = KEYS[1], KEYS[2], KEYS[3]
local action, member, id, tenant = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local rank, limit = tonumber(ARGV[5]), tonumber(ARGV[6])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', slots, 0, now)
local has = 0
if action == 'free' then
  redis.call('ZREM', slots, member)
elseif redis.call('ZSCORE', slots, member) or redis.call('ZCARD', slots) < limit then
  has = 1
  redis.call('ZADD', slots, now + ${SLOT_MS}, member)
  redis.call('PEXPIRE', slots, 3600000)
  redis.call('ZREM', aside, id)
elseif action == 'take' then
  redis.call('ZADD', aside, 'NX', rank, id)
end
local found = { has }
local left = limit - redis.call('ZCARD', slots)
if left > 0 then
  for _, value in ipairs(redis.call('ZPOPMIN', aside, left)) do found[#found + 1] = value end
end
local waiting = redis.call('ZCARD', aside)
if waiting > 0 then redis.call('HSET', counts, tenant, waiting) else redis.call('HDEL', counts, tenant) end
return found`);

/**
 * Returns how many sessions are aside. Forgets those of tenants that have no slots: the limit was removed, or the workers are
 * gone, and the sessions are found in the store.
 */
const ASIDE = redisScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local sum = 0
for at = 1, #ARGV do
  local slots, aside = KEYS[at * 2], KEYS[at * 2 + 1]
  if redis.call('ZCOUNT', slots, now, '+inf') > 0 then
    sum = sum + redis.call('ZCARD', aside)
  else
    redis.call('DEL', aside)
    redis.call('HDEL', KEYS[1], ARGV[at])
  end
end
return sum`);

export interface SlotKeys {
  /** The slots of a tenant that are taken, by the time until which they are. */
  readonly slots: string;
  /** The sessions of a tenant that wait for a slot, by their rank. */
  readonly aside: string;
  /** How many sessions of each tenant wait for a slot. */
  readonly counts: string;
}

/** A session that was put aside, and the rank that its wake-up had. */
export interface Aside extends Taken {
  readonly rank: number;
}

export interface TenantSlotsOptions {
  readonly redis: Redis;
  readonly keysOf: (tenant: string) => SlotKeys;
  /** Wakes sessions for which there are slots now. */
  readonly wake: (sessions: readonly Aside[]) => Promise<void>;
}

export class TenantSlots {
  readonly #options: TenantSlotsOptions;

  constructor(options: TenantSlotsOptions) {
    this.#options = options;
  }

  /** Resolves with the function that frees the slot; undefined if the session was put aside. */
  async take(session: Aside, limit: number): Promise<(() => Promise<void>) | undefined> {
    if (limit === Number.POSITIVE_INFINITY) return async () => {};
    const member = `${keyOf(session)}.${randomBytes(6).toString("hex")}`;
    const act = (action: string): Promise<boolean> => this.#act(action, { ...session, member, limit });
    if (!(await act("take"))) return undefined;
    const renewal = setInterval(() => void act("renew").catch(() => {}), SLOT_MS / 4);
    return async () => {
      clearInterval(renewal);
      // If it cannot be freed, it expires.
      await act("free").catch(() => {});
    };
  }

  /** Resolves with the number of sessions of all tenants that wait for a slot. */
  async aside(): Promise<number> {
    const { redis, keysOf } = this.#options;
    const { counts } = keysOf("");
    const values = await redis.hkeys(counts);
    const places = values.map((tenant) => keysOf(tenant));
    const keys = [counts, ...places.flatMap(({ slots, aside }) => [slots, aside])];
    return Number(await runScript(redis, ASIDE, { keys, values }));
  }

  async #act(
    action: string,
    { tenant, id, rank, member, limit }: Aside & { readonly member: string; readonly limit: number },
  ): Promise<boolean> {
    const { redis, keysOf, wake } = this.#options;
    const { slots, aside, counts } = keysOf(tenant);
    const input = { keys: [slots, aside, counts], values: [action, member, id, tenant, rank, limit] };
    const [has, ...found] = (await runScript(redis, SLOT, input)) as unknown[];
    const woken = pairs(found).map(([other, score]) => ({ tenant, id: other, rank: Number(score) }));
    if (woken.length > 0) await wake(woken);
    return Number(has) === 1;
  }
}

function pairs(flat: readonly unknown[]): [string, string][] {
  const found: [string, string][] = [];
  for (let at = 0; at + 1 < flat.length; at += 2) found.push([String(flat[at]), String(flat[at + 1])]);
  return found;
}
