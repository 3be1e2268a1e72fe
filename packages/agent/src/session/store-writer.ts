/**
 * Writes a session's entries to a store: in order, in batches, one batch at a time. Unlike the writer of files it never
 * gives up saving: `sync` resolves only when everything is durable and the lease is valid, and rejects if the lease is lost.
 */

import { messageOf } from "@runahead/base";
import { StoreRefused, isLeaseLost } from "./error.ts";
import type { Notice } from "./folder.ts";
import { LINE_BYTES } from "./read.ts";
import type { EntryWriter } from "./session.ts";
import type { AppendBatch, SessionLease } from "./store.ts";

/** How long entries that nobody waits for can wait for others, so that they are stored in one step. */
const LAZY_MS = 10;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 2_000;
/** How long a store can answer and refuse the same lines. Some of it passes, such as a full disk. */
const REFUSED_MS = 30_000;
/** The last attempts while a session is closed and the store does not respond. */
const CLOSE_MS = 10_000;

export interface StoreWriterOptions {
  readonly lease: Pick<SessionLease, "id" | "append" | "renew" | "validUntil">;
  readonly journal?: string;
  /** The end of the journal. */
  readonly at: number;
  readonly onNotice: Notice;
  /** How long entries that nobody waits for can wait, in milliseconds. Default: 10. */
  readonly lazyMs?: number;
  /** How long the store can answer and refuse the same lines, in milliseconds. Default: 30,000. */
  readonly refusedMs?: number;
  /** True: `close` does nothing, because `finish` returns what is left. Default: false. */
  readonly endsWithLease?: boolean;
  /** Called with what was stored, and with the end of the journal after it. */
  readonly onStored?: (stored: StoredBatch) => void;
}

/** Lines that are durable. */
export interface StoredBatch {
  readonly at: number;
  readonly end: number;
  readonly lines: readonly string[];
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
  #batch: Pending[] = [];
  #waiters: Waiter[] = [];
  #isRunning = false;
  #timer: NodeJS.Timeout | undefined;
  #hasLost = false;
  #hasReported = false;
  /** When to give up, on the monotonic clock; only while closing. */
  #deadline = Number.POSITIVE_INFINITY;

  constructor(options: StoreWriterOptions) {
    this.#options = options;
    this.#at = options.at;
  }

  /** Aborted when nothing can be written any more: the lease is lost, or the store refuses the lines. */
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
    this.#startSoon();
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
    if (this.#options.endsWithLease === true) return;
    this.#deadline = performance.now() + CLOSE_MS;
    // What could not be saved was reported, and the next process finds the session as it is in the store.
    await this.sync().catch(() => {});
  }

  /** Ends the writing: waits for what is being stored, and returns what is left for the step that releases the lease. */
  async finish(): Promise<AppendBatch | undefined> {
    this.#deadline = performance.now() + CLOSE_MS;
    if (this.#isRunning) await this.sync().catch(() => {});
    clearTimeout(this.#timer);
    const left = [...this.#batch.splice(0), ...this.#pending.splice(0)];
    return left.length === 0 ? undefined : this.#batchOf(left);
  }

  /** Reports that nothing can be written any more. What waits is rejected. */
  fail(error: Error): void {
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

  /** A reader of the store sees the entries soon, even if nobody waits for them. */
  #startSoon(): void {
    if (this.#isRunning) return;
    this.#timer ??= setTimeout(() => this.#start(), this.#options.lazyMs ?? LAZY_MS);
  }

  #start(): void {
    if (this.#isRunning) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isRunning = true;
    void this.#run();
  }

  async #run(): Promise<void> {
    // Entries that are appended at the same moment join the batch.
    await new Promise((resolve) => setImmediate(resolve));
    for (let isFirst = true; !this.lost.aborted && (isFirst || this.#waiters.length > 0); isFirst = false) {
      const waiters = this.#waiters.splice(0);
      const error = await this.#attempt();
      if (error === undefined) for (const { resolve } of waiters) resolve();
      // Also those that came during the attempt, such as `close`: there is no other.
      else for (const { reject } of [...waiters, ...this.#waiters.splice(0)]) reject(error);
      if (error !== undefined && !this.lost.aborted) break;
    }
    this.#isRunning = false;
    if (this.#hasUnsaved() && !this.#isClosing && !this.lost.aborted) this.#startSoon();
  }

  /** Returns why it cannot be saved: the lease is lost, the store refuses it, or the time to close is up. */
  async #attempt(): Promise<Error | undefined> {
    let refusedSince: number | undefined;
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
        const now = performance.now();
        const isRefused = await this.#responds();
        const isRefusedAgain = isRefused && refusedSince !== undefined;
        if (now > this.#deadline || (isRefusedAgain && this.#isClosing)) return new Error(messageOf(error));
        refusedSince = isRefused ? (refusedSince ?? now) : undefined;
        if (refusedSince !== undefined && now - refusedSince > (this.#options.refusedMs ?? REFUSED_MS))
          this.fail(new StoreRefused(this.#options.lease.id, messageOf(error)));
        if (this.lost.aborted) return this.#reason();
        this.#failed(error);
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    }
  }

  get #isClosing(): boolean {
    return this.#deadline !== Number.POSITIVE_INFINITY;
  }

  /** Whether the store answers at all. */
  async #responds(): Promise<boolean> {
    try {
      await this.#options.lease.renew();
      return true;
    } catch (error) {
      if (isLeaseLost(error)) this.fail(error);
      return false;
    }
  }

  async #store(): Promise<void> {
    const { lease, onStored } = this.#options;
    if (this.#batch.length === 0) this.#batch = this.#pending.splice(0);
    if (this.#batch.length === 0) return;
    const batch = this.#batchOf(this.#batch);
    const end = await lease.append(batch);
    this.#at = end;
    this.#batch = [];
    onStored?.({ at: batch.at, end, lines: batch.lines });
  }

  #batchOf(entries: readonly Pending[]): AppendBatch {
    const { journal } = this.#options;
    const taken = entries.flatMap((one) => one.taken ?? []);
    return {
      at: this.#at,
      lines: entries.map(({ line }) => line),
      ...(journal === undefined ? {} : { journal }),
      ...(taken.length === 0 ? {} : { taken }),
    };
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
