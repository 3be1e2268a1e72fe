/** The context that calls share: changes apply in the model's order, whatever order the calls end in. */

import type { SharedContext } from "./tool.ts";

type Modify<Context> = (context: Context) => Context;

interface Change<Context> {
  readonly index: number;
  readonly modify: readonly Modify<Context>[];
}

export class ContextLine<Context extends SharedContext> {
  /** With the changes of every delivered call. */
  #base: Context;
  /** Of calls that are settled and not delivered, by index. */
  #changes: Change<Context>[] = [];
  readonly #onFailure: (error: unknown) => void;
  readonly #failed = new WeakSet<Modify<Context>>();

  constructor(initial: Context, onFailure: (error: unknown) => void) {
    this.#base = initial;
    this.#onFailure = onFailure;
  }

  /** As the calls before this one have left it. */
  before(index: number): Context {
    return this.#changes.length === 0 ? this.#base : this.#fold((change) => change.index < index);
  }

  get latest(): Context {
    return this.#changes.length === 0 ? this.#base : this.#fold(() => true);
  }

  settled(index: number, modify: readonly Modify<Context>[]): void {
    this.#changes.push({ index, modify });
    this.#changes.sort((one, other) => one.index - other.index);
  }

  delivered(index: number): void {
    if (this.#changes.length === 0) return;
    this.#base = this.#fold((change) => change.index <= index);
    this.#changes = this.#changes.filter((change) => change.index > index);
  }

  #fold(wanted: (change: Change<Context>) => boolean): Context {
    return this.#changes
      .filter(wanted)
      .flatMap((change) => change.modify)
      .reduce(this.#apply, this.#base);
  }

  readonly #apply = (context: Context, modify: Modify<Context>): Context => {
    try {
      const changed = modify(context);
      if (typeof changed !== "object" || changed === null)
        throw new TypeError("a change must give a context");
      return changed;
    } catch (error) {
      // It is applied whenever someone looks, and told once.
      if (!this.#failed.has(modify)) this.#onFailure(error);
      this.#failed.add(modify);
      return context;
    }
  };
}
