/** Splits bytes into lines. A line longer than the limit makes reading fail (H04). */

const NEWLINE = 0x0a;

export class LineReader {
  readonly #mostBytes: number;
  readonly #take: (line: string) => void;
  #parts: Uint8Array[] = [];
  #bytes = 0;

  constructor(mostBytes: number, take: (line: string) => void) {
    this.#mostBytes = mostBytes;
    this.#take = take;
  }

  /** Returns false if a line is longer than the limit. */
  add(chunk: Uint8Array): boolean {
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(NEWLINE, from);
      const part = chunk.subarray(from, end === -1 ? chunk.length : end);
      this.#bytes += part.length;
      if (this.#bytes > this.#mostBytes) {
        this.#parts = [];
        return false;
      }
      if (part.length > 0) this.#parts.push(part);
      if (end === -1) return true;
      this.#end();
      from = end + 1;
    }
  }

  #end(): void {
    const line = Buffer.concat(this.#parts).toString("utf8").trim();
    this.#parts = [];
    this.#bytes = 0;
    if (line !== "") this.#take(line);
  }
}
