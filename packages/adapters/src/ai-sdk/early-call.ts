/** One call of a response that an AI SDK reads: begun by us, joined by the SDK. */

import type { Outcome, ResultContent } from "@runahead/engine";

/** What the SDK hands to its tools beside their input, as far as it is used; the rest is passed on as it is. */
export interface AiSdkOptions {
  readonly toolCallId: string;
  readonly messages?: unknown;
  readonly abortSignal?: AbortSignal | undefined;
}

/** Is thrown to the SDK for a call that did not run or was stopped. The message is what the model reads. */
export class EarlyError extends Error {
  /** Always `EarlyError`. */
  override readonly name = "EarlyError";
  /** How the call ended. */
  readonly outcome: Outcome;

  constructor(message: string, outcome: Outcome) {
    super(message);
    this.stack = message;
    this.outcome = outcome;
  }
}

/** How it ended, what the tool gave back, and what the model would read of it. */
interface Settled {
  readonly outcome: Outcome;
  readonly output: unknown;
  readonly content: ResultContent;
}

export class EarlyCall {
  readonly options: AiSdkOptions;
  /** The SDK has asked for it: it may run, whatever is known of its response. */
  isAsked = false;
  /** The tool's own code has been entered. */
  isEntered = false;
  isSettled = false;
  readonly settled: Promise<void>;
  readonly #stopping = new AbortController();
  /** What the tool itself threw, if it did. */
  #thrown: { readonly error: unknown } | undefined;
  #result: Settled | undefined;
  #settle!: () => void;
  /** Of a tool that gives several values: the last one, how many there were, and who waits for the next. */
  #latest: unknown;
  #given = 0;
  #wake: (() => void) | undefined;

  constructor(options: AiSdkOptions) {
    this.options = options;
    this.settled = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** For the tool: aborted when the engine stops the call, or when the SDK does. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  follow(signal: AbortSignal | undefined): void {
    const stop = (): void => this.#stopping.abort(signal?.reason);
    if (signal?.aborted === true) stop();
    signal?.addEventListener("abort", stop, { once: true, signal: this.signal });
    void this.settled.then(() => signal?.removeEventListener("abort", stop));
  }

  threw(error: unknown): void {
    this.#thrown = { error };
  }

  gave(value: unknown): void {
    this.#latest = value;
    this.#given++;
    this.#wake?.();
  }

  settle(result: Settled): void {
    this.#result = result;
    this.isSettled = true;
    this.#settle();
    this.#wake?.();
  }

  /** What the tool gave back; what it threw, or why it did not come to its end, is thrown. */
  async output(): Promise<unknown> {
    await this.settled;
    const { outcome, output, content } = this.#result as Settled;
    if (outcome.type === "succeeded") return output;
    if (outcome.type === "failed" && this.#thrown !== undefined) throw this.#thrown.error;
    throw new EarlyError(textOf(content), outcome);
  }

  /** The values as they come; of those that came before they were asked for, the latest. */
  async *values(): AsyncGenerator<unknown, void, undefined> {
    for (let seen = 0; ; ) {
      if (this.#given > seen) {
        seen = this.#given;
        const latest = this.#latest;
        yield latest;
      } else if (this.isSettled) break;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
    await this.output();
  }
}

function textOf(content: ResultContent): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
}
