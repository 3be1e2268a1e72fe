/**
 * Writes a session's entries to a store: in order, in batches, one batch at a time. Unlike the writer of files it never
 * gives up saving: `sync` resolves only when everything is durable and the lease is valid, and rejects if the lease is lost.
 */

import { messageOf } from "@runahead/base";
import { type LeaseLost, isLeaseLost } from "./error.ts";
import type { Notice } from "./folder.ts";
import { LINE_BYTES } from "./read.ts";
import type { EntryWriter } from "./session.ts";
import type { SessionLease } from "./store.ts";

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 2_000;
/** The last attempts while a session is closed and the store does not respond. */
const CLOSE_MS = 10_000;

export interface StoreWriterOptions {
  readonly lease: Pick<SessionLease, "id" | "append" | "renew" | "validUntil">;
  readonly journal?: string;
  /** The end of the journal. */
  readonly at: number;
  readonly onNotice: Notice;
}

interface Pending {
  readonly line: string;
  readonly taken: string | undefined;
}

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class StoreWriter implements EntryWriter {
  readonly #options: StoreWriterOptions;
  readonly #lost = new AbortController();
  #at: number;
  #pending: Pending[] = [];
  /** The batch that is being stored. It stays the same until it is: a lost reply must not store it twice. */
  #batch: readonly Pending[] = [];
  #waiters: Waiter[] = [];
  #isRunning = false;
  #hasLost = false;
  #hasReported = false;
  /** When to give up, on the monotonic clock; only while closing. */
  #deadline = Number.POSITIVE_INFINITY;

  constructor(options: StoreWriterOptions) {
    this.#options = options;
    this.#at = options.at;
  }

  /** Aborted when the lease is lost. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  get isSaved(): boolean {
    return !this.#hasLost && !this.lost.aborted && !this.#hasUnsaved();
  }

  append(line: string, taken?: string): void {
    if (this.lost.aborted) return;
    // The readers of files skip longer lines, and a session can move between stores.
    if (Buffer.byteLength(line) > LINE_BYTES)
      return this.lose(new Error(`it is larger than ${LINE_BYTES} bytes`));
    this.#pending.push({ line, taken });
    this.#start();
  }

  lose(error: unknown): void {
    this.#hasLost = true;
    this.#options.onNotice(`Cannot save an entry of session ${this.#options.lease.id}: ${messageOf(error)}`);
  }

  sync(): Promise<void> {
    if (this.lost.aborted) return Promise.reject(this.#reason());
    if (!this.#isRunning && !this.#hasUnsaved() && this.#isValid()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      this.#start();
    });
  }

  async close(): Promise<void> {
    this.#deadline = performance.now() + CLOSE_MS;
    // What could not be saved was reported, and the next process finds the session as it is in the store.
    await this.sync().catch(() => {});
  }

  /** Reports that the lease is lost. Whatever waits is rejected. */
  fail(error: LeaseLost): void {
    if (this.lost.aborted) return;
    this.#pending = [];
    this.#batch = [];
    this.#lost.abort(error);
    this.#options.onNotice(error.message);
    for (const { reject } of this.#waiters.splice(0)) reject(error);
  }

  #reason(): Error {
    return this.lost.reason as Error;
  }

  #hasUnsaved(): boolean {
    return this.#pending.length + this.#batch.length > 0;
  }

  #isValid(): boolean {
    return performance.now() < this.#options.lease.validUntil;
  }

  #start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.#run();
  }

  async #run(): Promise<void> {
    // Entries appended in the same tick join the batch.
    await Promise.resolve();
    while (!this.lost.aborted && (this.#hasUnsaved() || this.#waiters.length > 0)) {
      const waiters = this.#waiters.splice(0);
      const error = await this.#attempt();
      if (error === undefined) for (const { resolve } of waiters) resolve();
      else for (const { reject } of waiters) reject(error);
      if (error !== undefined && !this.lost.aborted) break;
    }
    this.#isRunning = false;
  }

  /** Returns why it cannot be saved: the lease is lost, or the time to close is up. */
  async #attempt(): Promise<Error | undefined> {
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
      try {
        await this.#store();
        // A process that was paused since the write finds out here that its time is up.
        while (!this.#isValid()) await this.#options.lease.renew();
        this.#succeeded();
        return undefined;
      } catch (error) {
        if (isLeaseLost(error)) this.fail(error);
        if (this.lost.aborted) return this.#reason();
        if (performance.now() > this.#deadline) return new Error(messageOf(error));
        this.#failed(error);
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    }
  }

  async #store(): Promise<void> {
    const { lease, journal } = this.#options;
    if (this.#batch.length === 0) this.#batch = this.#pending.splice(0);
    const batch = this.#batch;
    if (batch.length === 0) return;
    const taken = batch.flatMap((one) => one.taken ?? []);
    this.#at = await lease.append({
      at: this.#at,
      lines: batch.map(({ line }) => line),
      ...(journal === undefined ? {} : { journal }),
      ...(taken.length === 0 ? {} : { taken }),
    });
    this.#batch = [];
  }

  #failed(error: unknown): void {
    if (this.#hasReported) return;
    this.#hasReported = true;
    this.#options.onNotice(
      `Session ${this.#options.lease.id} waits for its store: ${messageOf(error)}. It continues when the store responds.`,
    );
  }

  #succeeded(): void {
    if (!this.#hasReported) return;
    this.#hasReported = false;
    this.#options.onNotice(`The store responds again. Session ${this.#options.lease.id} continues.`);
  }
}
