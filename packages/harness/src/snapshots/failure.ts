/** What keeps a snapshot from being taken or restored, in words for a person. */

export class SnapshotFailure extends Error {
  override readonly name = "SnapshotFailure";
}

/** The words of a failure, or of a cancellation; what is neither is a bug and goes on. */
export function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return "it was cancelled";
  if (error instanceof SnapshotFailure) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  if (typeof code === "string" && /^E[A-Z0-9]+$/.test(code))
    return message.replace(/, \w+ '\/proc\/self\/fd.*$/s, "");
  throw error;
}
