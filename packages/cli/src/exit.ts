/** How the program ends, for other programs. */

export const EXIT = {
  done: 0,
  /** It ended in an error, or a check found something wrong. */
  error: 1,
  /** It was not used as it can be. */
  usage: 2,
  /** No key, or one that is not taken. */
  credentials: 3,
  /** A limit of turns or of the budget was reached. */
  limit: 4,
  /** The model cannot be reached. */
  unreachable: 5,
  interrupted: 130,
  terminated: 143,
} as const;

/** Told to the person in its own words, without a stack. */
export class UsageError extends Error {
  override readonly name: string = "UsageError";
}

/** There is no model to talk to. */
export class NoModel extends Error {
  override readonly name = "NoModel";
  /** For programs: one line. */
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
