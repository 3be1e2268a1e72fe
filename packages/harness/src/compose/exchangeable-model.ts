/** A model that can be replaced while one prompt is answered. */

import type { Model, ModelEvent, ModelRequest } from "@runahead/agent";

/** Asks the chosen model, or the usual one. */
export class ExchangeableModel implements Model {
  readonly #usual: Model;
  #chosen: Model | undefined;

  constructor(usual: Model) {
    this.#usual = usual;
  }

  get name(): string {
    return (this.#chosen ?? this.#usual).name;
  }

  /** Uses another model for the next requests; undefined for the usual one. */
  use(model: Model | undefined): void {
    this.#chosen = model;
  }

  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
    return (this.#chosen ?? this.#usual).stream(request, signal);
  }
}
