/** What a running call reports, on its way to the caller: at once, but never more often or more than is bounded. */

import { LIMITS } from "./limits.ts";

export interface Reported {
  readonly progress?: unknown[];
  /** How many were left out. */
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

  /** Never waits, never throws. What is given is written down now, since its owner may go on changing it. */
  add(data: unknown): void {
    if (this.#ended) return;
    const text = written(data);
    if (text === undefined || this.#bytes + text.length > LIMITS.progressBytes) this.#dropped++;
    else this.#keep(text);
    if (this.#timer === undefined) this.#flush();
  }

  /** What has not been sent yet; nothing is sent any more. */
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
