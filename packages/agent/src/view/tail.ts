/** The end of a long text. */

export class Tail {
  readonly #limit: number;
  #text = "";

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Cutting copies the text, so it is cut only at twice the limit. */
  add(text: string): void {
    this.#text += text;
    if (this.#text.length > 2 * this.#limit) this.#text = this.text;
  }

  get text(): string {
    return this.#text.slice(-this.#limit);
  }

  clear(): void {
    this.#text = "";
  }
}
