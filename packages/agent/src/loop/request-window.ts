/** Lets requests through so that no window of time has more of them, or of their tokens, than the limits allow. */

interface Limits {
  readonly requests?: number;
  readonly tokens?: number;
  readonly windowMs?: number;
  readonly concurrent?: number;
}

/** A request that was let through. */
export interface Taken {
  /** The server has begun to answer, so it has counted the request by now. */
  answered(): void;
  /** The request has ended and used so many tokens, and so many US dollars if the price is known. */
  end(tokens: number, costUsd?: number): void;
}

/** Where the requests of a limiter wait: in this process, or in a store that processes share. */
export interface RequestWindow {
  /** The number of requests that wait in this process. */
  readonly waiting: number;
  /**
   * Resolves when a request with so many tokens can be sent, in the order of asking. Rejects with the reason of the signal,
   * or with what `check` throws when it is the request's turn. A window that counts the cost of other processes too passes
   * it to `check`.
   */
  take(tokens: number, signal: AbortSignal, check: (spentUsd?: number) => void): Promise<Taken>;
  /** Nothing is sent for so long. */
  pause(ms: number): void;
}

/** A request counts until the window after the moment when the server has certainly counted it. */
interface Sent {
  tokens: number;
  /** When the server had counted the request, and when it had counted the last token. */
  answeredAt: number | undefined;
  endedAt: number | undefined;
}

interface Waiting {
  readonly tokens: number;
  readonly start: () => void;
}

const DEFAULT_WINDOW_MS = 60_000;
/** Timers can fire a little early. */
const LATE_MS = 5;

export class LocalWindow implements RequestWindow {
  readonly #limits: Limits;
  readonly #windowMs: number;
  #sent: Sent[] = [];
  readonly #line: Waiting[] = [];
  #running = 0;
  #pausedUntil = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(limits: Limits) {
    this.#limits = limits;
    this.#windowMs = limits.windowMs ?? DEFAULT_WINDOW_MS;
  }

  get waiting(): number {
    return this.#line.length;
  }

  take(tokens: number, signal: AbortSignal, check: () => void): Promise<Taken> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error);
      const leave = (): void => {
        this.#line.splice(this.#line.indexOf(entry), 1);
        reject(signal.reason as Error);
        this.#go();
      };
      const start = (): void => {
        signal.removeEventListener("abort", leave);
        try {
          check();
          resolve(this.#begin(tokens));
        } catch (error) {
          reject(error);
        }
      };
      const entry: Waiting = { tokens, start };
      signal.addEventListener("abort", leave, { once: true });
      this.#line.push(entry);
      this.#go();
    });
  }

  pause(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + ms);
  }

  #begin(tokens: number): Taken {
    const sent: Sent = { tokens, answeredAt: undefined, endedAt: undefined };
    this.#sent.push(sent);
    this.#running++;
    return {
      answered: () => {
        if (sent.answeredAt !== undefined) return;
        sent.answeredAt = performance.now();
        this.#go();
      },
      end: (used) => {
        sent.tokens = used;
        sent.endedAt = performance.now();
        sent.answeredAt ??= sent.endedAt;
        this.#running--;
        this.#go();
      },
    };
  }

  /** Starts what has room, in order, and looks again when more can have room. */
  #go(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#forget();
    for (let first = this.#line[0]; first !== undefined; first = this.#line[0]) {
      const waitMs = this.#waitOf(first);
      if (waitMs > 0) {
        // Without a time, the end of a request lets it go on.
        if (waitMs !== Infinity) this.#timer = setTimeout(() => this.#go(), waitMs + LATE_MS);
        return;
      }
      this.#line.shift();
      first.start();
    }
  }

  /** How long the first request has to wait at least; `Infinity` until another one has ended. */
  #waitOf({ tokens }: Waiting): number {
    const { concurrent = Infinity } = this.#limits;
    if (this.#running >= concurrent) return Infinity;
    const paused = this.#pausedUntil - performance.now();
    return Math.max(0, paused, this.#requestWait(), this.#tokenWait(tokens));
  }

  #requestWait(): number {
    const { requests = Infinity } = this.#limits;
    const counted = this.#sent.filter(({ answeredAt }) => this.#leftOf(answeredAt) > 0);
    if (counted.length < requests) return 0;
    return Math.min(...counted.map(({ answeredAt }) => this.#leftOf(answeredAt)));
  }

  /** A request that is larger than the limit is sent when nothing else counts. */
  #tokenWait(tokens: number): number {
    const { tokens: limit = Infinity } = this.#limits;
    const counted = this.#sent.filter((sent) => sent.tokens > 0 && this.#leftOf(sent.endedAt) > 0);
    const used = counted.reduce((sum, sent) => sum + sent.tokens, 0);
    if (used === 0 || used + tokens <= limit) return 0;
    return Math.min(...counted.map(({ endedAt }) => this.#leftOf(endedAt)));
  }

  /** How long something that was counted at this time still counts. */
  #leftOf(at: number | undefined): number {
    return at === undefined ? Infinity : at + this.#windowMs - performance.now();
  }

  #forget(): void {
    this.#sent = this.#sent.filter(({ endedAt }) => this.#leftOf(endedAt) > 0);
  }
}
