/** A model that can be exchanged for another one between two requests. */

import type { Model } from "@runahead/agent";

export class SwitchingModel implements Model {
  readonly #first: Model;
  #current: Model;

  constructor(first: Model) {
    this.#first = first;
    this.#current = first;
  }

  get name(): string {
    return this.#current.name;
  }

  readonly stream: Model["stream"] = (request, signal) => this.#current.stream(request, signal);

  /** Applies to the next request. Undefined: the model of the start. */
  use(model: Model | undefined): void {
    this.#current = model ?? this.#first;
  }
}
