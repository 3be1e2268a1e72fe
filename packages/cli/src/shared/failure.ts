/** What went wrong, in words for the person and as a code for other programs. */

import { NoSuchSession, SessionExists, SessionLocked, SessionTooNew } from "@runahead/harness";
import { NoModel, UsageError } from "@runahead/harness";
import { EXIT } from "./exit.ts";

const MENDABLE = [UsageError, NoSuchSession, SessionExists, SessionLocked, SessionTooNew];

export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What is the person's to mend has a code of its own; a bug is thrown on. */
export function codeOf(error: unknown): number {
  if (error instanceof NoModel) return EXIT.credentials;
  if (MENDABLE.some((kind) => error instanceof kind)) return EXIT.usage;
  throw error;
}
