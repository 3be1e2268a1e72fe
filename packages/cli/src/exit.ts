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

  constructor() {
    super(
      [
        "There is no model to talk to. One of these gives you one:",
        "  export ANTHROPIC_API_KEY=…                   Claude",
        "  export OPENAI_API_KEY=…                      GPT, or with OPENAI_BASE_URL any server that speaks its API",
        "  export OLLAMA_HOST=localhost:11434           a model of your own: runahead --model NAME",
        "  runahead --replay FILE                       a recording",
      ].join("\n"),
    );
  }
}
