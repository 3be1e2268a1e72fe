/** How the program ends, for other programs. */

export const EXIT = {
  done: 0,
  /** It ended in an error, or a check found something wrong. */
  error: 1,
  /** It was not used as it can be. */
  usage: 2,
  /** No key, or one that is not taken. */
  credentials: 3,
  /** A limit of turns or of the budget was reached. */
  limit: 4,
  /** The model cannot be reached. */
  unreachable: 5,
  interrupted: 130,
  terminated: 143,
} as const;
