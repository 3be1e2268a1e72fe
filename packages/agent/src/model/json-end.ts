/** Detects the end of a JSON object that arrives in pieces. It does not validate the object. */

export class JsonEnd {
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  #isOver = false;

  /** Returns true once the bracket that closes the object has arrived. */
  push(text: string): boolean {
    for (let at = 0; at < text.length && !this.#isOver; at++) this.#take(text[at] as string);
    return this.#isOver;
  }

  #take(character: string): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (this.#inString) {
      if (character === "\\") this.#isEscaped = true;
      else if (character === '"') this.#inString = false;
    } else if (character === '"') this.#inString = true;
    else if (character === "{" || character === "[") this.#depth += 1;
    else if (character === "}" || character === "]") {
      this.#depth -= 1;
      this.#isOver = this.#depth <= 0;
    }
  }
}
