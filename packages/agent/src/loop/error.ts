/** What an agent rejects with, apart from the errors of models and sessions. */

/** Rejects `send` if the prompt was taken back with `takeBack` or `close` before the agent took it in. */
export class PromptTakenBack extends Error {
  /** The name of the class. */
  override readonly name = "PromptTakenBack";

  constructor() {
    super("The message was taken back.");
  }
}
