/** Limits of commands that the program can change. */

import type { ShellsOptions } from "./shells-options.ts";

export interface BashLimits {
  /** Time limit of a command that names none. */
  readonly defaultMs: number;
  readonly mostMs: number;
  /** Longer output is cut to its start and its end. */
  readonly shownChars: number;
}

const DEFAULT_MS = 120_000;
const MOST_MS = 600_000;
const LONGEST_MS = 2_147_483_647;
const SHOWN_CHARS = 25_000;
const LEAST_CHARS = 1_000;
/** No more than this is held in memory. */
const MOST_CHARS = 60_000;

export const USUAL_LIMITS: BashLimits = { defaultMs: DEFAULT_MS, mostMs: MOST_MS, shownChars: SHOWN_CHARS };

export function bashLimits({
  defaultTimeoutMs: defaultMs = DEFAULT_MS,
  maxTimeoutMs = MOST_MS,
  maxShownChars = SHOWN_CHARS,
}: Pick<ShellsOptions, "defaultTimeoutMs" | "maxTimeoutMs" | "maxShownChars">): BashLimits {
  return {
    defaultMs: Math.min(defaultMs, LONGEST_MS),
    mostMs: Math.min(Math.max(maxTimeoutMs, defaultMs), LONGEST_MS),
    shownChars: Math.min(Math.max(maxShownChars, LEAST_CHARS), MOST_CHARS),
  };
}

/** The time limit of one command. */
export function limitOf(
  { timeout }: { readonly timeout?: number | undefined },
  { defaultMs, mostMs }: BashLimits,
): number {
  return Math.min(timeout ?? defaultMs, mostMs);
}
