/** Errors that the user can fix. */

/** The options or the command line are invalid. The message is for the user: it says what is wrong and what to do. */
export class UsageError extends Error {
  /** The class name, for code that compares names instead of classes. */
  override readonly name: string = "UsageError";
}

/** No model is named, or there is no key or address for the one that is. The message lists the ways to set one. */
export class NoModel extends Error {
  /** The class name, for code that compares names instead of classes. */
  override readonly name = "NoModel";
  /** The message in one line, for output that programs read. */
  readonly brief: string;

  /** `model`: the model that was named. */
  constructor(model?: string) {
    const problem =
      model === undefined
        ? "No model is configured"
        : `There is no API key and no address for the model "${model}"`;
    super(
      [
        `${problem}. Set one of these:`,
        "  export ANTHROPIC_API_KEY=…            Claude",
        "  export OPENAI_API_KEY=…               GPT; with OPENAI_BASE_URL any compatible server",
        "  export OLLAMA_HOST=localhost:11434    a local model: runahead --model NAME",
        "Or run `runahead demo`, which needs no model.",
      ].join("\n"),
    );
    this.brief = `${problem}: set ANTHROPIC_API_KEY or OPENAI_API_KEY, or OLLAMA_HOST with --model NAME.`;
  }
}
