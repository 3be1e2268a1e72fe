/** Errors as text for users and as exit codes for programs. */

import { NoSuchSession, SessionExists, SessionLocked, SessionTooNew } from "@runahead/harness";
import { NoModel, UsageError } from "@runahead/harness";
import { EXIT } from "./exit.ts";

/** Errors that the user can fix. */
const FIXABLE = [UsageError, NoSuchSession, SessionExists, SessionLocked, SessionTooNew];

export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the exit code for an error that the user can fix. Rethrows any other error, which is a bug. */
export function codeOf(error: unknown): number {
  if (error instanceof NoModel) return EXIT.credentials;
  if (FIXABLE.some((kind) => error instanceof kind)) return EXIT.usage;
  throw error;
}
