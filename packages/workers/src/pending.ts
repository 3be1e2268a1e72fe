/** A call that a caller is waiting for. */

import type { WireCall } from "./message.ts";
import type { Workspace } from "./workspace.ts";

/** What is sent of a call; the sender adds the ids of the caller and the server. */
export type Dispatched = Omit<WireCall, "protocol" | "caller" | "server" | "workspace"> & {
  /** Set if it touches files. */
  readonly workspace: Workspace | undefined;
  /** How long it can wait for a worker. */
  readonly waitMs: number;
  /** How often it can be tried, if it is read-only. */
  readonly tries: number;
};

/** The answer of a worker. */
export type Answered = {
  readonly changes: Readonly<Record<string, unknown>>;
  readonly worker: string;
} & ({ readonly output: unknown } | { readonly error: Error });

export interface PendingOptions {
  readonly dispatched: Dispatched;
  readonly progress: (data: unknown) => void;
  readonly signal: AbortSignal;
}

export class Pending {
  readonly dispatched: Dispatched;
  readonly signal: AbortSignal;
  readonly answered: Promise<Answered>;
  /** Its job id; a new one for each try. */
  job = "";
  queue = "";
  /** Undefined until the queue may have it. */
  sentAt: number | undefined;
  /** The queue has confirmed it. */
  isAccepted = false;
  server = "";
  tries = 0;
  moves = 0;
  /** When it started to wait for a worker, over all tries. */
  readonly waitingSince: number = performance.now();
  /** The first worker that was seen to hold it. */
  worker = "";
  /** Since when no worker seems to hold it. */
  missingSince: number | undefined;
  isStopping = false;
  hasEnded = false;
  readonly #progress: (data: unknown) => void;
  #lastStatus = "";
  #resolve: (answered: Answered) => void = () => {};
  #reject: (error: Error) => void = () => {};

  constructor({ dispatched, progress, signal }: PendingOptions) {
    this.dispatched = dispatched;
    this.signal = signal;
    this.#progress = progress;
    this.answered = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  settle(answered: Answered): void {
    this.hasEnded = true;
    this.#resolve(answered);
  }

  fail(error: Error): void {
    this.hasEnded = true;
    this.#reject(error);
  }

  report(data: unknown): void {
    if (!this.hasEnded) this.#progress(data);
  }

  /** Reports what it is waiting for, once per change. */
  status(message: string): void {
    if (message === this.#lastStatus) return;
    this.#lastStatus = message;
    this.report({ type: "status", message });
  }

  /** Adds output for the model, for calls that the engine itself ends with the output so far. */
  note(words: string): void {
    this.report({ type: "output", content: `${words}\n` });
  }
}
