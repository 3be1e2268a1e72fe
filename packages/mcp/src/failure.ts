/** What is said when a server did not do what was asked: words that a model can act on, and no stack. */

import { codeOf, messageOf } from "@runahead/base";

export class McpFailure extends Error {
  override readonly name = "McpFailure";

  constructor(message: string) {
    super(message);
    this.stack = message;
  }
}

/** Trying again would not help. */
export class Hopeless extends McpFailure {}

export const NOT_RUN = "The call was not run.";
export const MAY_HAVE_RUN = "The call may have run and had effects.";

/** With the innermost cause: that a fetch failed says nothing. */
export function reasonOf(error: unknown): string {
  let inner = error;
  while (inner instanceof Error && inner.cause !== undefined) inner = inner.cause;
  const [outer, cause] = [messageOf(error), codeOf(inner) || messageOf(inner)];
  return outer.includes(cause) ? outer : `${outer} (${cause})`;
}
