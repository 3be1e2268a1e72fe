/** The end of a long text. */

export class Tail {
  readonly #limit: number;
  #text = "";

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Text after a carriage return replaces the last line, as in a terminal. Cutting copies the text, so it is cut only at
   * twice the limit.
   */
  add(text: string): void {
    if (text.startsWith("\r")) {
      this.#text = this.#text.slice(0, this.#text.lastIndexOf("\n") + 1);
      return this.add(text.slice(1));
    }
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
