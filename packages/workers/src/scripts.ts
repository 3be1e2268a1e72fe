/** Lua scripts for atomic steps on the server. */

import type { Redis } from "ioredis";

/** Takes three keys per call: its holder, BullMQ's lock, BullMQ's entry. */
const LOOK = `
local seen = {}
for at = 1, #KEYS, 3 do
  local entry = redis.call("HMGET", KEYS[at + 2], "ats", "pb", "timestamp")
  table.insert(seen, redis.call("GET", KEYS[at]) or "")
  table.insert(seen, redis.call("EXISTS", KEYS[at + 1]))
  table.insert(seen, entry[3] and 1 or 0)
  table.insert(seen, entry[1] or "0")
  table.insert(seen, entry[2] or "")
end
return seen`;

/** Removes a call from a queue if no worker ever took it, so that it has not started and never will. */
const WITHDRAW = `
local taken = redis.call("HGET", KEYS[1], "ats")
if taken and taken ~= "0" then return 0 end
if redis.call("LREM", KEYS[2], 0, ARGV[1]) == 0 then return 0 end
redis.call("DEL", KEYS[1])
return 1`;

/** Returns the worker that holds a workspace. A free workspace goes to the worker that asks. */
const CLAIM = `
local holder = redis.call("GET", KEYS[1])
if holder and holder ~= ARGV[1] then return holder end
redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2])
return ARGV[1]`;

const RELEASE = `
if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end
return 0`;

/** The state of a call, as the server knows it. */
export type Standing =
  /** In the queue; no worker has taken it. */
  | { readonly type: "waiting" }
  | { readonly type: "running"; readonly worker: string }
  /** A worker took it and no longer holds it. */
  | { readonly type: "let go"; readonly worker: string }
  /** Not in the queue: it has ended, or never arrived. */
  | { readonly type: "gone" };

export interface Looked {
  readonly holding: string;
  readonly lock: string;
  readonly entry: string;
}

export async function look(redis: Redis, keys: readonly Looked[]): Promise<Standing[]> {
  const flat = keys.flatMap(({ holding, lock, entry }) => [holding, lock, entry]);
  const seen = (await redis.eval(LOOK, flat.length, ...flat)) as (string | number)[];
  return keys.map((_, at) => standing(seen.slice(at * 5, at * 5 + 5)));
}

function standing([holder, isLocked, exists, taken, takenBy]: readonly (string | number)[]): Standing {
  if (holder !== "") return { type: "running", worker: String(holder) };
  if (isLocked === 1) return { type: "running", worker: String(takenBy) };
  if (exists !== 1) return { type: "gone" };
  if (Number(taken) === 0) return { type: "waiting" };
  return { type: "let go", worker: String(takenBy) };
}

export async function withdraw(redis: Redis, entry: string, list: string): Promise<boolean> {
  const job = entry.slice(entry.lastIndexOf(":") + 1);
  return (await redis.eval(WITHDRAW, 2, entry, list, job)) === 1;
}

export interface Lease {
  readonly key: string;
  readonly worker: string;
  readonly forMs: number;
}

export async function claim(redis: Redis, { key, worker, forMs }: Lease): Promise<string> {
  return String(await redis.eval(CLAIM, 1, key, worker, forMs));
}

export async function release(redis: Redis, key: string, worker: string): Promise<void> {
  await redis.eval(RELEASE, 1, key, worker);
}
