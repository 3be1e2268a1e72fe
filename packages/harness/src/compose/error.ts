/** Errors that a person can fix. */

/** The options or the command line are invalid. The message is for a person: it says what is wrong and what to do. */
export class UsageError extends Error {
  /** The class name, for code that compares names instead of classes. */
  override readonly name: string = "UsageError";
}

/** Neither the options nor the environment name a model. The message lists the ways to set one. */
export class NoModel extends Error {
  /** The class name, for code that compares names instead of classes. */
  override readonly name = "NoModel";
  /** The same in one line, for output that programs read. */
  readonly brief =
    "There is no model to talk to: set ANTHROPIC_API_KEY or OPENAI_API_KEY, or OLLAMA_HOST with --model NAME.";

  constructor() {
    super(
      [
        "There is no model to talk to. Each of these gives you one:",
        "  export ANTHROPIC_API_KEY=…            Claude",
        "  export OPENAI_API_KEY=…               GPT; with OPENAI_BASE_URL any server that speaks its API",
        "  export OLLAMA_HOST=localhost:11434    a model on this machine: runahead --model NAME",
        "Without any, `runahead demo` shows what it does.",
      ].join("\n"),
    );
  }
}
