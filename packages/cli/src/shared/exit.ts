/** Exit codes of the program. */

export const EXIT = {
  done: 0,
  /** The run failed, or a check found a problem. */
  error: 1,
  /** Invalid usage. */
  usage: 2,
  /** The API key is missing or was refused. */
  credentials: 3,
  /** The turn limit or the budget was reached. */
  limit: 4,
  /** The model cannot be reached. */
  unreachable: 5,
  interrupted: 130,
  terminated: 143,
} as const;
