/** Large outputs: written and fetched in parts, which expire. */

import type { Redis } from "ioredis";
import type { Link } from "./connection.ts";
import { LIMITS } from "./limits.ts";

type KeyOf = (part: number) => string;

/** Returns the number of parts. Sends one at a time to keep buffers small. */
export async function writeParts(redis: Redis, keyOf: KeyOf, text: string): Promise<number> {
  const bytes = Buffer.from(text, "utf8");
  let parts = 0;
  for (let at = 0; at < bytes.length; at += LIMITS.partBytes) {
    await redis.set(keyOf(parts), bytes.subarray(at, at + LIMITS.partBytes), "PX", LIMITS.keepMs);
    parts++;
  }
  return parts;
}

const FETCHES = 5;

/** Returns undefined if a part is missing or cannot be fetched. Deletes the parts after reading. */
export async function readParts(link: Link, keyOf: KeyOf, parts: number): Promise<string | undefined> {
  const fetched: Buffer[] = [];
  for (let part = 0; part < parts; part++) {
    const bytes = await fetchPart(link, keyOf(part));
    if (bytes === undefined) return undefined;
    fetched.push(bytes);
  }
  const keys = fetched.map((_, part) => keyOf(part));
  // If this fails, they expire.
  link.redis.unlink(...keys).catch(() => {});
  return Buffer.concat(fetched).toString("utf8");
}

async function fetchPart(link: Link, key: string): Promise<Buffer | undefined> {
  for (let times = 0; times < FETCHES; times++) {
    try {
      return (await link.redis.getBuffer(key)) ?? undefined;
    } catch {
      await link.up(LIMITS.silenceMs);
    }
  }
  return undefined;
}
