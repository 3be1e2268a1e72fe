/** Batches the progress reports of a running call, with limits on rate and size. */

import { LIMITS } from "./limits.ts";

export interface Reported {
  readonly progress?: unknown[];
  /** How many were dropped. */
  readonly dropped?: number;
}

const NOTHING: Reported = {};

export class Reports {
  readonly #send: (reported: Reported) => void;
  #texts: string[] = [];
  #bytes = 0;
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(send: (reported: Reported) => void) {
    this.#send = send;
  }

  /** Never waits, never throws. Serializes now, because the tool can change the object later. */
  add(data: unknown): void {
    if (this.#ended) return;
    const text = written(data);
    if (text === undefined || this.#bytes + text.length > LIMITS.progressBytes) this.#dropped++;
    else this.#keep(text);
    if (this.#timer === undefined) this.#flush();
  }

  /** Stops sending and returns what was not sent yet. */
  end(): Reported {
    this.#ended = true;
    clearTimeout(this.#timer);
    return this.#take();
  }

  #keep(text: string): void {
    this.#texts.push(text);
    this.#bytes += text.length;
  }

  #flush(): void {
    this.#timer = undefined;
    if (this.#texts.length === 0 && this.#dropped === 0) return;
    this.#send(this.#take());
    this.#timer = setTimeout(() => this.#flush(), LIMITS.progressMs);
  }

  #take(): Reported {
    if (this.#texts.length === 0 && this.#dropped === 0) return NOTHING;
    const reported = {
      progress: this.#texts.map((text) => JSON.parse(text) as unknown),
      dropped: this.#dropped,
    };
    this.#texts = [];
    this.#bytes = 0;
    this.#dropped = 0;
    return reported;
  }
}

function written(data: unknown): string | undefined {
  try {
    return JSON.stringify(data);
  } catch {
    return undefined;
  }
}
