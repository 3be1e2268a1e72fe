/** Errors of agents, apart from those of models and sessions. */

/** Rejects `send` if `takeBack` or `close` removed the prompt before the agent started on it. */
export class PromptTakenBack extends Error {
  /** The name of the class. */
  override readonly name = "PromptTakenBack";

  constructor() {
    super("The prompt was removed by takeBack() or close() before the agent started on it.");
  }
}
