/** Delivers results: in order, after they are recorded, and within the limit of the turn. */

import type { Outbox, Update } from "./outbox.ts";
import { DEFAULT_TURN_CHARS, type Bounding, bound, contentChars } from "./output.ts";
import type { Results } from "./ports.ts";

type ResultUpdate = Extract<Update, { type: "result" }>;

/** Above the turn's limit, results larger than this go to the store. Notes on stored results are smaller. */
const SMALL_CHARS = 5_000;

export interface DeliveryEvents {
  /** Nothing is being delivered any more. */
  readonly idle: () => void;
  /** The store failed. */
  readonly failed: Bounding["onFailure"];
}

export class Delivery {
  readonly #outbox: Outbox;
  readonly #results: Results;
  readonly #events: DeliveryEvents;
  /** Deliveries that wait for the journal or the store; later ones queue after them. */
  #pending = 0;
  #chain: Promise<void> = Promise.resolve();
  #total = 0;

  constructor(outbox: Outbox, results: Results, events: DeliveryEvents) {
    this.#outbox = outbox;
    this.#results = results;
    this.#events = events;
  }

  get isIdle(): boolean {
    return this.#pending === 0;
  }

  /** Delivers a result once it is saved. Called in the model's order. */
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
      if (this.isIdle) this.#events.idle();
    });
  }

  async #shorten(toolName: string, update: ResultUpdate): Promise<ResultUpdate> {
    const { callId, result } = update;
    const { failed: onFailure } = this.#events;
    const bounding = { callId, toolName, maxChars: SMALL_CHARS, results: this.#results, onFailure };
    return { ...update, result: { ...result, content: await bound(result.content, bounding) } };
  }
}
