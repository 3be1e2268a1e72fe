/** How often in a row hooks have kept an agent from stopping (D14). */

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

  /** Counts a block; false where it is one too many. What does not block ends the row. */
  mayBlock(agentId = "", blocks: boolean): boolean {
    const before = this.#blocks.get(agentId) ?? 0;
    const isTooMuch = blocks && before >= StopCount.limit;
    if (blocks && !isTooMuch) this.#blocks.set(agentId, before + 1);
    else this.#blocks.delete(agentId);
    return !isTooMuch;
  }
}
