/** Calls whose tool failed and that are tried again. */

import { onAbort } from "./cancellation.ts";
import type { Clock } from "./clock.ts";
import { digestNumber } from "./idempotency.ts";
import type { Run } from "./run.ts";
import { messageOf } from "./serialise.ts";
import { COUNT, checkFunctions, rejectUnknown, wrongRange, wrongType } from "./shapes.ts";
import type { ToolRetry } from "./tool.ts";
import { isObject } from "../wire/shape.ts";

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
  const timer = timers.after(waitMs, () => {
    stopListening();
    again();
  });
  const stopListening = onAbort(run.signal, () => {
    timers.cancel(timer);
    stopped();
  });
}

const OPTIONS = ["attempts", "backoffMs", "maxBackoffMs", "jitter", "on", "writes"];

/** Throws if the policy of a tool is wrong. */
export function checkRetry(retry: unknown, tool: string): void {
  if (retry === undefined) return;
  const where = `${tool}: retry`;
  if (!isObject(retry)) throw wrongType(where, "an object such as { attempts: 3 }", retry);
  rejectUnknown(retry, OPTIONS, where);
  checkFunctions(retry, ["on"], where);
  const { attempts = 1, backoffMs = 0, maxBackoffMs = 0, jitter = 0, writes } = retry as ToolRetry;
  if (!Number.isInteger(attempts) || attempts < 1) throw wrongRange(`${where}: attempts`, COUNT, attempts);
  for (const [name, value] of Object.entries({ backoffMs, maxBackoffMs }))
    if (!(value >= 0 && Number.isFinite(value)))
      throw wrongRange(`${where}: ${name}`, "a number of at least 0", value);
  if (!(jitter >= 0 && jitter <= 1)) throw wrongRange(`${where}: jitter`, "a number from 0 to 1", jitter);
  if (writes !== undefined && typeof writes !== "boolean")
    throw wrongType(`${where}: writes`, "true or false", writes);
}
