/**
 * The clock of the core. It advances with every request, and when the rules or the shared context change. A verdict
 * that was requested before a change that affects it is stale.
 */

export class Epochs {
  #now = 0;
  #rulesChangedAt = 0;
  /**
   * Changes of the context, with epoch and call. A change by an earlier call affects all calls that a change by a later
   * one affects, so older changes of later calls are dropped, and the indices in the list ascend.
   */
  readonly #changedAt: number[] = [];
  readonly #changedBy: number[] = [];

  /** Returns a new epoch, later than all earlier ones. */
  next(): number {
    return ++this.#now;
  }

  rulesChanged(): void {
    this.#rulesChangedAt = this.next();
  }

  /** Records that the call with this index changed the context of later calls. */
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
