/** Errors of servers: a message that a model can act on, without a stack. */

import { codeOf, messageOf } from "@runahead/base";

export class McpFailure extends Error {
  override readonly name = "McpFailure";

  constructor(message: string) {
    super(message);
    this.stack = message;
  }
}

/** A failure that a retry would not fix. */
export class Hopeless extends McpFailure {}

export const NOT_RUN = "The call was not run.";
export const MAY_HAVE_RUN = "The call may have run and had effects.";

/** Adds the innermost cause, because "fetch failed" alone explains nothing. */
export function reasonOf(error: unknown): string {
  let inner = error;
  while (inner instanceof Error && inner.cause !== undefined) inner = inner.cause;
  const [outer, cause] = [messageOf(error), codeOf(inner) || messageOf(inner)];
  return outer.includes(cause) ? outer : `${outer} (${cause})`;
}
