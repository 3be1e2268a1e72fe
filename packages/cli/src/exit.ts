/** How the program ends, for other programs. */

export const EXIT = {
  done: 0,
  /** It ended in an error, or a check found something wrong. */
  error: 1,
  /** It was not used as it can be. */
  usage: 2,
} as const;

/** Told to the person in its own words, without a stack. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
