/**
 * The one clock of the core. It ticks when something is asked, and when something changes that answers depend on:
 * the rules, or the context that calls share. What was asked for before a change that concerns it is stale.
 */

export class Epochs {
  #now = 0;
  #rulesChangedAt = 0;
  /**
   * Changes of the context: when, and by which call. A change by an earlier call concerns all that a change by a
   * later one concerns, so those before it are dropped, and the indices in the list ascend.
   */
  readonly #changedAt: number[] = [];
  readonly #changedBy: number[] = [];

  /** A new epoch, later than all before. */
  next(): number {
    return ++this.#now;
  }

  rulesChanged(): void {
    this.#rulesChangedAt = this.next();
  }

  /** The call with this index has changed the context of those after it. */
  contextChanged(index: number): void {
    while (this.#changedBy.length > 0 && (this.#changedBy.at(-1) as number) >= index) {
      this.#changedBy.pop();
      this.#changedAt.pop();
    }
    this.#changedBy.push(index);
    this.#changedAt.push(this.next());
  }

  haveRulesChangedSince(epoch: number): boolean {
    return this.#rulesChangedAt > epoch;
  }

  /** Whether a call before the one with this index has changed the context since. */
  hasContextChangedSince(epoch: number, index: number): boolean {
    const changed = this.#changedAt;
    if (changed.length === 0 || (changed.at(-1) as number) <= epoch) return false;
    let low = 0;
    let high = changed.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((changed[middle] as number) > epoch) high = middle;
      else low = middle + 1;
    }
    return (this.#changedBy[low] as number) < index;
  }
}
