/** Outputs too large for one message: written in parts, fetched in parts, kept for a while. */

import type { Redis } from "ioredis";
import type { Link } from "./connection.ts";
import { LIMITS } from "./limits.ts";

type KeyOf = (part: number) => string;

/** Gives how many there are. One is on its way at a time, so that the server's and our buffers stay small. */
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

/** Undefined where one of them is no longer there or cannot be fetched. Those that were fetched are forgotten. */
export async function readParts(link: Link, keyOf: KeyOf, parts: number): Promise<string | undefined> {
  const fetched: Buffer[] = [];
  for (let part = 0; part < parts; part++) {
    const bytes = await fetchPart(link, keyOf(part));
    if (bytes === undefined) return undefined;
    fetched.push(bytes);
  }
  const keys = fetched.map((_, part) => keyOf(part));
  // They end by themselves where this does not arrive.
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
