/** Counts how often in a row hooks kept an agent from stopping (D14). */

export class StopCount {
  static readonly limit = 8;
  readonly #blocks = new Map<string, number>();

  /** A new prompt begins a new count. */
  reset(): void {
    this.#blocks.clear();
  }

  isActive(agentId = ""): boolean {
    return this.#blocks.has(agentId);
  }

  /** Counts a block. Returns false if the limit is exceeded. An answer without a block resets the count. */
  canBlock(agentId = "", blocks: boolean): boolean {
    const before = this.#blocks.get(agentId) ?? 0;
    const isTooMuch = blocks && before >= StopCount.limit;
    if (blocks && !isTooMuch) this.#blocks.set(agentId, before + 1);
    else this.#blocks.delete(agentId);
    return !isTooMuch;
  }
}
