/** A call that a caller waits for. */

import type { WireCall } from "./message.ts";
import type { Workspace } from "./workspace.ts";

/** What is sent of a call; the caller adds who it is and which server it talks to. */
export type Dispatched = Omit<WireCall, "protocol" | "caller" | "server" | "workspace"> & {
  /** Set where it touches files. */
  readonly workspace: Workspace | undefined;
  /** How long it may wait for a worker. */
  readonly waitMs: number;
  /** How often it may be tried, if it only reads. */
  readonly tries: number;
};

/** What a worker has answered. */
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
  /** Its id in the queue: another for each try. */
  job = "";
  queue = "";
  /** Undefined until the queue has it, or may have it. */
  sentAt: number | undefined;
  /** The queue has said that it has it. */
  isAccepted = false;
  server = "";
  tries = 0;
  moves = 0;
  /** Since when it waits for a worker, over all tries. */
  readonly waitingSince: number = performance.now();
  /** The first worker that was seen to have it. */
  worker = "";
  /** Since when nobody seems to hold it. */
  missingSince: number | undefined;
  isStopping = false;
  hasEnded = false;
  readonly #progress: (data: unknown) => void;
  #told = "";
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

  /** What it waits for, once for each change. */
  tell(message: string): void {
    if (message === this.#told) return;
    this.#told = message;
    this.report({ type: "status", message });
  }

  /** For the model, where the engine itself ends the call and shows what was printed. */
  note(words: string): void {
    this.report({ type: "output", content: `${words}\n` });
  }
}
