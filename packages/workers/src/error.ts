/** The errors of remote calls. The engine shows the message, and the stack if there is one. */

/** Thrown by a remote tool: it failed on its worker. Has the message and the stack of the worker. */
export class RemoteError extends Error {
  /** The name of the class. */
  override readonly name: string = "RemoteError";

  constructor(message: string, stack = "") {
    super(message);
    // The local stack does not help; only the worker's does.
    this.stack = `Error: ${message}\n${stack}`.trimEnd();
  }
}

/** Thrown by a remote tool: no worker ran the call, and none will. */
export class NotRunError extends RemoteError {
  /** The name of the class. */
  override readonly name = "NotRunError";

  constructor(reason: string) {
    super(`Not run: ${reason}`);
  }
}

/** Thrown by a remote tool: the call may have run partly, completely or not at all. */
export class OutcomeUnknownError extends RemoteError {
  /** The name of the class. */
  override readonly name = "OutcomeUnknownError";

  constructor(reason: string) {
    super(`Outcome unknown: ${reason} It may have had effects, and its output is lost.`);
  }
}
