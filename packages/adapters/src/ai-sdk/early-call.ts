/** One call of an AI SDK response. We start it, and the SDK later waits for its output. */

import type { Outcome, ResultContent } from "@runahead/engine";

/** The second argument of the SDK's tools, with the fields that we use. The rest is passed on unchanged. */
export interface AiSdkOptions {
  readonly toolCallId: string;
  readonly messages?: unknown;
  readonly abortSignal?: AbortSignal | undefined;
}

/** Thrown to the SDK for a call that did not run or was stopped. The message is what the model reads. */
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

/** Has a signal, which can be created on first use. */
interface StopSource {
  readonly signal: AbortSignal | undefined;
}

/** How the call ended, what the tool returned, and what the model would read. */
interface Settled {
  readonly outcome: Outcome;
  readonly output: unknown;
  readonly content: ResultContent;
}

export class EarlyCall {
  readonly options: AiSdkOptions;
  /** Set when the SDK has asked for the call. It can then run, whatever the state of its response. */
  isAsked = false;
  /** Set when the tool's own code has been called. */
  isEntered = false;
  isSettled = false;
  readonly settled: Promise<void>;
  /** What stops the call. Most tools do not look at their signal, so it is created on first use. */
  readonly #sources: StopSource[] = [];
  #stopping: AbortController | undefined;
  /** What the tool itself threw. */
  #thrown: { readonly error: unknown } | undefined;
  #result: Settled | undefined;
  #settle!: () => void;
  /** For a tool that yields several values: the last one, how many there were, and the callbacks that wait for the next. */
  #latest: unknown;
  #given = 0;
  #wake: (() => void) | undefined;

  constructor(options: AiSdkOptions) {
    this.options = options;
    this.settled = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** The signal for the tool. Aborted when the engine or the SDK stops the call. */
  get signal(): AbortSignal {
    if (this.#stopping === undefined) {
      this.#stopping = new AbortController();
      for (const source of this.#sources.splice(0)) this.#obey(source, this.#stopping);
    }
    return this.#stopping.signal;
  }

  follow(source: StopSource): void {
    if (this.#stopping === undefined) this.#sources.push(source);
    else this.#obey(source, this.#stopping);
  }

  #obey(source: StopSource, stopping: AbortController): void {
    const { signal } = source;
    const stop = (): void => stopping.abort(signal?.reason);
    if (signal?.aborted === true) stop();
    signal?.addEventListener("abort", stop, { once: true, signal: stopping.signal });
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

  /** Returns what the tool returned. Throws what the tool threw, or an error that says why it did not finish. */
  async output(): Promise<unknown> {
    await this.settled;
    const { outcome, output, content } = this.#result as Settled;
    if (outcome.type === "succeeded") return output;
    if (outcome.type === "failed" && this.#thrown !== undefined) throw this.#thrown.error;
    throw new EarlyError(textOf(content), outcome);
  }

  /** Yields the values as they arrive. Of those that arrived before the SDK asked, only the latest. */
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
