/** Streams output to a listener: at most twenty pieces a second, each of limited size. */

import { Ends } from "./process-output.ts";
import { LiveText, cleanOutput, decodeTail } from "./process-text.ts";

const EVERY_MS = 50;
/** How much of each end of the output since the last piece is shown. */
const SHOWN_BYTES = 4_096;

export class Live {
  readonly #show: (text: string) => void;
  readonly #text = new LiveText();
  #gathered = new Ends(SHOWN_BYTES);
  #timer: NodeJS.Timeout | undefined;
  #shownAt = Number.NEGATIVE_INFINITY;

  constructor(show: (text: string) => void) {
    this.#show = show;
  }

  add(piece: Uint8Array): void {
    this.#gathered.add(piece);
    if (this.#timer !== undefined) return;
    const waitMs = EVERY_MS - (performance.now() - this.#shownAt);
    if (waitMs <= 0) this.flush();
    else this.#timer = setTimeout(() => this.flush(), waitMs);
  }

  /** Shows the rest now. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const gathered = this.#gathered;
    if (gathered.bytes === 0) return;
    this.#gathered = new Ends(SHOWN_BYTES);
    this.#shownAt = performance.now();
    const text = this.#textOf(gathered);
    if (text !== "") this.#show(text);
  }

  #textOf(gathered: Ends): string {
    if (gathered.droppedBytes === 0) return this.#text.push(Buffer.concat([gathered.head, gathered.tail]));
    // The first bytes can be the rest of a character of the piece before.
    const head = this.#text.push(gathered.head);
    this.#text.restart();
    return `${head}\n[… ${gathered.droppedBytes} bytes left out …]\n${cleanOutput(decodeTail(gathered.tail))}`;
  }
}
