/** What a caller gets where a call has no output. The engine shows the message, and the stack if there is one. */

/** The tool failed on its worker: its own message and stack. */
export class RemoteError extends Error {
  override readonly name: string = "RemoteError";

  constructor(message: string, stack = "") {
    super(message);
    // Where our own code stood says nothing of the tool's.
    this.stack = `Error: ${message}\n${stack}`.trimEnd();
  }
}

/** No worker has run it, and none will. */
export class NotRunError extends RemoteError {
  override readonly name = "NotRunError";

  constructor(reason: string) {
    super(`Not run: ${reason}`);
  }
}

/** It may have run, in part or in full. */
export class OutcomeUnknownError extends RemoteError {
  override readonly name = "OutcomeUnknownError";

  constructor(reason: string) {
    super(`Outcome unknown: ${reason} It may have had effects, and its output is lost.`);
  }
}
