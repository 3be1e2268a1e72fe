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

/** The server no longer knows the session, so it did not run the call. A new session can. */
export class SessionEnded extends McpFailure {}

export const NOT_RUN = "The call was not run.";
export const MAY_HAVE_RUN = "The call may have run and had effects.";

/** Network errors in words, because users should not have to look up their codes. */
const NETWORK_ERRORS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "the connection was reset",
  ENOTFOUND: "host not found",
  EAI_AGAIN: "the host name could not be resolved",
  ETIMEDOUT: "the connection timed out",
  UND_ERR_CONNECT_TIMEOUT: "the connection timed out",
  UND_ERR_SOCKET: "the connection was closed",
};

/** Returns what a network error means; undefined if the error has another cause. */
export function networkReason(error: unknown): string | undefined {
  return NETWORK_ERRORS[codeOf(innermost(error))];
}

function innermost(error: unknown): unknown {
  let inner = error;
  while (inner instanceof Error && inner.cause !== undefined) inner = inner.cause;
  return inner;
}

/** Adds the innermost cause, because "fetch failed" alone explains nothing. */
export function reasonOf(error: unknown): string {
  const inner = innermost(error);
  const [outer, cause] = [messageOf(error), codeOf(inner) || messageOf(inner)];
  return outer.includes(cause) ? outer : `${outer} (${cause})`;
}
