/** A model that can be exchanged for another one between two requests. */

import type { Model, ModelEvent, ModelFacts, ModelRequest } from "@runahead/agent";

export class ExchangeableModel implements Model {
  readonly #first: Model;
  #usual: Model;
  #chosen: Model | undefined;

  constructor(first: Model) {
    this.#first = first;
    this.#usual = first;
  }

  get name(): string {
    return this.#current.name;
  }

  get facts(): ModelFacts | undefined {
    return this.#current.facts;
  }

  /** The model that answers the next request. */
  get current(): Model {
    return this.#current;
  }

  /** Uses another model for the next requests; undefined for the usual one. */
  use(model: Model | undefined): void {
    this.#chosen = model;
  }

  /** Makes another model the usual one; undefined for the model of the start. */
  exchange(model: Model | undefined): void {
    this.#usual = model ?? this.#first;
  }

  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
    return this.#current.stream(request, signal);
  }

  get #current(): Model {
    return this.#chosen ?? this.#usual;
  }
}
