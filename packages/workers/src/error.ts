/** What a caller gets where a call has no output. The engine shows the message, and the stack if there is one. */

/** Thrown by a remote tool: it failed on its worker. Has the message and the stack of the worker. */
export class RemoteError extends Error {
  /** The name of the class. */
  override readonly name: string = "RemoteError";

  constructor(message: string, stack = "") {
    super(message);
    // Where our own code stood says nothing of the tool's.
    this.stack = `Error: ${message}\n${stack}`.trimEnd();
  }
}

/** Thrown by a remote tool: no worker has run the call, and none will. */
export class NotRunError extends RemoteError {
  /** The name of the class. */
  override readonly name = "NotRunError";

  constructor(reason: string) {
    super(`Not run: ${reason}`);
  }
}

/** Thrown by a remote tool: the call ran in part or in full, or not at all. It can have had effects. */
export class OutcomeUnknownError extends RemoteError {
  /** The name of the class. */
  override readonly name = "OutcomeUnknownError";

  constructor(reason: string) {
    super(`Outcome unknown: ${reason} It may have had effects, and its output is lost.`);
  }
}
