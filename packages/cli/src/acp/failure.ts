/** Converts errors to responses for the client. */

import { RequestError } from "@agentclientprotocol/sdk";
import { NoSuchSession, SessionLocked, SessionTooNew } from "@runahead/harness";
import { NoModel, UsageError } from "@runahead/harness";

const INVALID_PARAMS = -32602;
const INTERNAL = -32603;
export const NOT_FOUND = -32002;

/** An unexpected error is a bug, so its stack trace also goes to standard error. */
export function toRequestError(error: unknown, complain: (text: string) => void): RequestError {
  if (error instanceof RequestError) return error;
  if (error instanceof NoSuchSession) return new RequestError(NOT_FOUND, error.message);
  if (error instanceof UsageError || error instanceof SessionLocked || error instanceof SessionTooNew)
    return new RequestError(INVALID_PARAMS, error.message);
  if (error instanceof NoModel) return new RequestError(INTERNAL, error.message);
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
  complain(`runahead: ${words}`);
  return new RequestError(INTERNAL, error instanceof Error ? error.message : String(error));
}
