/** The error for a snapshot that cannot be taken or restored, with a message for the user. */

export class SnapshotFailure extends Error {
  override readonly name = "SnapshotFailure";
}

/** Returns the message of a failure or a cancellation; throws any other error, which is a bug. */
export function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return "it was cancelled";
  if (error instanceof SnapshotFailure) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  if (typeof code === "string" && /^E[A-Z0-9]+$/.test(code))
    return message.replace(/, \w+ '\/proc\/self\/fd.*$/s, "");
  throw error;
}
