/** When to send a failed request again. */

import { setTimeout as pause } from "node:timers/promises";
import { LONGEST_TIMER_MS, type ModelError } from "../model/error.ts";

/** How often and after which waits a failed request is sent again. */
export interface RetryPolicy {
  /** The maximum number of attempts, including the first. */
  readonly attempts: number;
  /** The wait after the first failure; it doubles with each failure. */
  readonly firstWaitMs: number;
  /** The longest wait, unless the server asks for a longer one. */
  readonly longestWaitMs: number;
  /** If the server asks for a longer wait than this, the request fails instead. Default: no limit. */
  readonly longestServerWaitMs?: number;
  /** Returns uniformly distributed numbers in [0, 1), which add jitter to the waits. */
  readonly random: () => number;
}

export const DEFAULT_RETRY: RetryPolicy = {
  attempts: 10,
  firstWaitMs: 500,
  longestWaitMs: 32_000,
  random: Math.random,
};

/** Returns how long to wait: what the server asks for, or exponential backoff with jitter. */
export function waitBefore(attempt: number, error: ModelError, policy: RetryPolicy): number {
  if (error.retryAfterMs !== undefined && error.retryAfterMs > 0) return error.retryAfterMs;
  const wait = Math.min(policy.longestWaitMs, policy.firstWaitMs * 2 ** (attempt - 1));
  return Math.min(LONGEST_TIMER_MS, wait * (0.75 + policy.random() / 4));
}

/** Whether the server asks for a longer wait than the policy allows. */
export function asksTooLong({ retryAfterMs = 0 }: ModelError, policy: RetryPolicy): boolean {
  return retryAfterMs > (policy.longestServerWaitMs ?? Number.POSITIVE_INFINITY);
}

export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return pause(ms, undefined, { signal });
}
