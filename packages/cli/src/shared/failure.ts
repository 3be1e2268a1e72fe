/** Errors as text for users and as exit codes for programs. */

import { NoSuchSession, SessionExists, SessionLocked, SessionTooNew } from "@runahead/harness";
import { NoModel, UsageError } from "@runahead/harness";
import { EXIT } from "./exit.ts";

/** Errors that the user can fix. */
const FIXABLE = [UsageError, NoSuchSession, SessionExists, SessionLocked, SessionTooNew];

/** What the usual codes of the file system mean, because users should not have to look them up. */
const FILE_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: "the file does not exist",
  EACCES: "permission denied",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of its path is not a folder",
  ENOSPC: "no space left on the disk",
  EROFS: "the file system is read-only",
};

export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, syscall } = error as NodeJS.ErrnoException;
  const isOfFile = code !== undefined && syscall !== undefined && syscall !== "connect";
  return (isOfFile ? FILE_ERRORS[code] : undefined) ?? error.message;
}

/** Returns the exit code for an error that the user can fix. Rethrows any other error, which is a bug. */
export function codeOf(error: unknown): number {
  if (error instanceof NoModel) return EXIT.credentials;
  if (FIXABLE.some((kind) => error instanceof kind)) return EXIT.usage;
  throw error;
}
