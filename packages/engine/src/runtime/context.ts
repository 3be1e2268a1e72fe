/** The context that calls share: changes apply in the model's order, whatever order the calls end in. */

import type { SharedContext } from "./tool.ts";
import { isThenable } from "./thenable.ts";
import { isObject } from "../wire/shape.ts";

export type Modify<Context> = (context: Context) => Context;

/** The change of one call, and the context with it and all earlier changes, once it was computed. */
interface Change<Context> {
  readonly index: number;
  readonly modify: readonly Modify<Context>[];
  result: Context | undefined;
}

/**
 * Each change caches the context that it leads to, so that reading costs a search and not a replay. A change that is
 * inserted before others invalidates theirs: they are applied again on the next read.
 */
export class ContextLine<Context extends SharedContext> {
  /** With the changes of every delivered call. */
  #base: Context;
  /** The changes of calls that are settled and not delivered, by index. Those before `#first` are in the base. */
  #changes: Change<Context>[] = [];
  #first = 0;
  /** Those before it have their result. */
  #known = 0;
  readonly #onFailure: (error: unknown) => void;
  readonly #failed = new WeakSet<Modify<Context>>();

  constructor(initial: Context, onFailure: (error: unknown) => void) {
    this.#base = initial;
    this.#onFailure = onFailure;
  }

  /** Returns the context as the earlier calls left it. */
  before(index: number): Context {
    return this.#upTo(this.#firstFrom(index));
  }

  get latest(): Context {
    return this.#upTo(this.#changes.length);
  }

  settled(index: number, modify: readonly Modify<Context>[]): void {
    const at = this.#firstFrom(index);
    this.#changes.splice(at, 0, { index, modify, result: undefined });
    this.#known = Math.min(this.#known, at);
  }

  delivered(index: number): void {
    const end = this.#firstFrom(index + 1);
    if (end === this.#first) return;
    this.#base = this.#upTo(end);
    this.#first = end;
    this.#known = Math.max(this.#known, end);
    if (this.#first < 32 || this.#first * 2 < this.#changes.length) return;
    this.#changes = this.#changes.slice(this.#first);
    this.#known -= this.#first;
    this.#first = 0;
  }

  /** The position of the first change of a call that is not earlier than this one. */
  #firstFrom(index: number): number {
    let low = this.#first;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#changes[middle] as Change<Context>).index >= index) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #upTo(end: number): Context {
    if (end <= this.#first) return this.#base;
    let context = this.#known > this.#first ? this.#resultAt(Math.min(this.#known, end) - 1) : this.#base;
    for (; this.#known < end; this.#known++) {
      const change = this.#changes[this.#known] as Change<Context>;
      context = change.result = change.modify.reduce(this.#apply, context);
    }
    return context;
  }

  #resultAt(position: number): Context {
    return (this.#changes[position] as Change<Context>).result as Context;
  }

  readonly #apply = (context: Context, modify: Modify<Context>): Context => {
    try {
      return checked(modify(context));
    } catch (error) {
      // A change is applied again when an earlier call changes the context, but a failure is reported once.
      if (!this.#failed.has(modify)) this.#onFailure(error);
      this.#failed.add(modify);
      return context;
    }
  };
}

/** A change comes from a tool, so the result may not be a valid context. */
function checked<Context extends SharedContext>(changed: Context): Context {
  if (isThenable(changed)) {
    Promise.resolve(changed).catch(() => {});
    throw new TypeError("change() takes a function that returns the new context at once, not a promise");
  }
  if (!isObject(changed) || typeof changed.cwd !== "string")
    throw new TypeError("change() takes a function that returns a context with a cwd");
  return changed;
}

/** A change that changes nothing concerns nobody. */
export function sameContext(one: object, other: object): boolean {
  if (one === other) return true;
  const keys = Object.keys(one);
  const isSame = (key: string): boolean =>
    Object.hasOwn(other, key) &&
    Object.is((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key]);
  return keys.length === Object.keys(other).length && keys.every(isSame);
}
