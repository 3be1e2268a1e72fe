/** Results on their way out: in order, recorded first, and within what the results of a turn may have together. */

import type { Outbox, Update } from "./outbox.ts";
import { DEFAULT_TURN_CHARS, bound, contentChars } from "./output.ts";
import type { Results } from "./ports.ts";

type ResultUpdate = Extract<Update, { type: "result" }>;

/** Above the turn's budget, results larger than this go to the store. */
const SMALL_CHARS = 4_000;

export class Delivery {
  readonly #outbox: Outbox;
  readonly #results: Results;
  readonly #onFailure: (callId: string, toolName: string, message: string) => void;
  /** Deliveries that wait for the journal or the store; later ones queue behind them. */
  #pending = 0;
  #chain: Promise<void> = Promise.resolve();
  #total = 0;

  constructor(
    outbox: Outbox,
    results: Results,
    onFailure: (callId: string, toolName: string, message: string) => void,
  ) {
    this.#outbox = outbox;
    this.#results = results;
    this.#onFailure = onFailure;
  }

  get isIdle(): boolean {
    return this.#pending === 0;
  }

  /** Hands a result out once it is saved. Called in the model's order. */
  deliver(toolName: string, update: ResultUpdate, saved: Promise<void> | undefined): void {
    const chars = contentChars(update.result.content);
    const fits =
      this.#total + chars <= (this.#results.turnChars ?? DEFAULT_TURN_CHARS) || chars <= SMALL_CHARS;
    this.#total += Math.min(chars, fits ? chars : SMALL_CHARS);
    if (fits && saved === undefined && this.isIdle) return this.#outbox.result(update);
    this.#pending++;
    this.#chain = this.#chain.then(async () => {
      await saved;
      const ready = fits ? update : await this.#shorten(toolName, update);
      this.#pending--;
      this.#outbox.result(ready);
    });
  }

  async #shorten(toolName: string, update: ResultUpdate): Promise<ResultUpdate> {
    const { callId, result } = update;
    const onFailure = (message: string): void => this.#onFailure(callId, toolName, message);
    const bounding = { callId, toolName, maxChars: SMALL_CHARS, results: this.#results, onFailure };
    return { ...update, result: { ...result, content: await bound(result.content, bounding) } };
  }
}
