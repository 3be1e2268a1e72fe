/** Lua scripts that Redis knows by their hash, so that their text is not sent and hashed for each call. */

import { createHash } from "node:crypto";
import { messageOf } from "@runahead/base";
import type { Redis } from "ioredis";

export interface RedisScript {
  readonly lua: string;
  readonly sha: string;
}

export interface ScriptInput {
  readonly keys: readonly string[];
  readonly values: readonly (string | number)[];
}

export function redisScript(lua: string): RedisScript {
  return { lua, sha: createHash("sha1").update(lua).digest("hex") };
}

/** Runs a script. Sends its text only if Redis does not know it, such as after a restart. */
export async function runScript(
  redis: Redis,
  { lua, sha }: RedisScript,
  { keys, values }: ScriptInput,
): Promise<unknown> {
  const rest = [...keys, ...values];
  try {
    return await redis.evalsha(sha, keys.length, ...rest);
  } catch (error) {
    // Redis has no other code: it begins its errors with this word.
    if (!messageOf(error).startsWith("NOSCRIPT")) throw error;
    return redis.eval(lua, keys.length, ...rest);
  }
}
