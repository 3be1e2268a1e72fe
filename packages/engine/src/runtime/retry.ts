/** Calls whose tool failed and that are tried again. */

import type { Clock } from "./clock.ts";
import { digestNumber } from "./idempotency.ts";
import type { Run } from "./run.ts";
import { messageOf } from "./serialise.ts";
import { rejectUnknown, shown } from "./shapes.ts";
import type { ToolRetry } from "./tool.ts";

const DEFAULT_ATTEMPTS = 3;
const DEFAULT_BACKOFF_MS = 500;
const DEFAULT_MAX_BACKOFF_MS = 30_000;
const DEFAULT_JITTER = 0.5;

/** An attempt that failed, and the wait before the next. */
export interface Attempt {
  /** Its number, from 1. */
  readonly attempt: number;
  readonly waitMs: number;
  /** Why it failed. */
  readonly message: string;
}

/** Returns the attempt that failed if the call is tried again; undefined if it has failed for good. */
export function attemptAgain(run: Run, error: unknown, key: () => string): Attempt | undefined {
  const { retry } = run.taken.tool;
  if (retry === undefined || run.hasEnded || run.isCancelled) return undefined;
  const { attempts = DEFAULT_ATTEMPTS, writes = false } = retry;
  if (run.attempt >= attempts || !(writes || run.call.access.readOnly)) return undefined;
  if (!isWanted(retry, error)) return undefined;
  const { attempt } = run;
  return { attempt, waitMs: waitAfter(attempt, retry, key), message: messageOf(error) };
}

/** A function that throws does not want another attempt. */
function isWanted({ on }: ToolRetry, error: unknown): boolean {
  try {
    return on === undefined || on(error);
  } catch {
    return false;
  }
}

/**
 * Doubles with each attempt. The random part comes from the key of the call, so that calls that failed together do not
 * return together, and a simulation stays the same.
 */
function waitAfter(attempt: number, retry: ToolRetry, key: () => string): number {
  const { backoffMs = DEFAULT_BACKOFF_MS, maxBackoffMs = DEFAULT_MAX_BACKOFF_MS } = retry;
  const { jitter = DEFAULT_JITTER } = retry;
  const wholeMs = Math.min(maxBackoffMs, backoffMs * 2 ** (attempt - 1));
  return jitter === 0 ? wholeMs : Math.round(wholeMs * (1 - jitter * digestNumber(`${key()} ${attempt}`)));
}

/** Calls `again` after the wait, or `stopped` as soon as the call is stopped. */
export function backOff(
  run: Run,
  { clock, waitMs }: { readonly clock: Clock; readonly waitMs: number },
  { again, stopped }: { readonly again: () => void; readonly stopped: () => void },
): void {
  const timers = run.timers(clock);
  const { signal } = run;
  const stop = (): void => {
    timers.cancel(timer);
    stopped();
  };
  const timer = timers.after(waitMs, () => {
    signal.removeEventListener("abort", stop);
    again();
  });
  signal.addEventListener("abort", stop, { once: true });
}

const OPTIONS = ["attempts", "backoffMs", "maxBackoffMs", "jitter", "on", "writes"];

/** Throws if the policy of a tool is wrong. */
export function checkRetry(retry: unknown, tool: string): void {
  if (retry === undefined) return;
  const where = `${tool}: retry`;
  if (typeof retry !== "object" || retry === null)
    throw new TypeError(`${where} must be an object such as { attempts: 3 }, not ${shown(retry)}.`);
  rejectUnknown(retry, OPTIONS, where);
  const { attempts = 1, backoffMs = 0, maxBackoffMs = 0, jitter = 0, on, writes } = retry as ToolRetry;
  if (!Number.isInteger(attempts) || attempts < 1)
    throw new RangeError(`${where}: attempts must be a whole number of at least 1, not ${shown(attempts)}.`);
  for (const [name, value] of Object.entries({ backoffMs, maxBackoffMs }))
    if (!(value >= 0 && Number.isFinite(value)))
      throw new RangeError(`${where}: ${name} must be a number of at least 0, not ${shown(value)}.`);
  if (!(jitter >= 0 && jitter <= 1))
    throw new RangeError(`${where}: jitter must be a number from 0 to 1, not ${shown(jitter)}.`);
  if (on !== undefined && typeof on !== "function")
    throw new TypeError(`${where}: on must be a function, not ${shown(on)}.`);
  if (writes !== undefined && typeof writes !== "boolean")
    throw new TypeError(`${where}: writes must be true or false, not ${shown(writes)}.`);
}
