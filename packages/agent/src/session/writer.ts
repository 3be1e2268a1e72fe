/**
 * The only writer of a session's file. It batches entries and does one write at a time, so that lines never interleave
 * (E08); concurrent syncs share one `fdatasync`. A failing disk never throws: it is reported once, unwritten entries are
 * buffered up to a limit and retried, and `isSaved` is true only for what is on disk (E12).
 */

import { messageOf } from "@runahead/base";
import { whyNotSaved } from "./failure.ts";
import type { JournalFile, JournalFiles } from "./files.ts";
import type { Notice } from "./folder.ts";
import { LINE_BYTES } from "./read.ts";

export interface WriterOptions {
  readonly path: string;
  readonly files: JournalFiles;
  /** The first line of a new file. */
  readonly header: string;
  /** Runs before the file is opened: creates its folder and takes the lock. */
  readonly prepare: () => Promise<void>;
  readonly onNotice: Notice;
  /** What the file contains already: nothing, complete lines, or a last line without a newline. */
  readonly found: "nothing" | "lines" | "torn";
  readonly limits?: Partial<WriterLimits>;
}

export interface WriterLimits {
  /** How much is buffered while the disk fails. Above that, the session is no longer saved. */
  readonly keptBytes: number;
  /** The time between two attempts on a failing disk. */
  readonly retryMs: number;
  /** A disk that does not respond for this long is reported and no longer waited for. */
  readonly answerMs: number;
  /** An idle file is closed after this time. */
  readonly idleMs: number;
}

const DEFAULTS: WriterLimits = { keptBytes: 4_000_000, retryMs: 1_000, answerMs: 10_000, idleMs: 5_000 };
const NEWLINE = Buffer.from("\n");

export class Writer {
  readonly #options: WriterOptions;
  readonly #limits: WriterLimits;
  readonly #header: Buffer;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #waiters: (() => void)[] = [];
  #file: JournalFile | undefined;
  #isRunning = false;
  /** Whether the file has content, and whether its last line lacks the newline. */
  #hasBegun: boolean;
  #isTorn: boolean;
  /** Something was written and not synced yet. */
  #isUnsynced = false;
  /** When the last attempt failed, on the monotonic clock. */
  #failedAt: number | undefined;
  /** The disk does not respond. */
  #isStuck = false;
  /** Some entry can no longer reach the disk. */
  #hasLost = false;
  #hasStopped = false;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#limits = { ...DEFAULTS, ...options.limits };
    this.#header = Buffer.from(`${options.header}\n`);
    this.#hasBegun = options.found !== "nothing";
    this.#isTorn = options.found === "torn";
  }

  /** Whether all that was appended is known to be on disk. */
  get isSaved(): boolean {
    const { length } = this.#pending;
    return !this.#hasLost && !this.#hasStopped && !this.#isUnsynced && length === 0;
  }

  append(line: string): void {
    if (this.#hasStopped) return;
    const bytes = Buffer.from(`${line}\n`);
    // The reader would skip it.
    if (bytes.length > LINE_BYTES) return this.lose(new Error(`it is larger than ${LINE_BYTES} bytes`));
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    this.#checkKept();
    this.#start();
  }

  /** Reports an entry that cannot be written at all. */
  lose(error: unknown): void {
    this.#hasLost = true;
    this.#report(`Cannot save an entry of ${this.#options.path}: ${messageOf(error)}`);
  }

  /** Resolves when everything that was appended is on disk or was reported as not saved. */
  sync(): Promise<void> {
    const isIdle = !this.#isRunning && this.#pending.length === 0 && !this.#isUnsynced;
    if (this.#hasStopped || this.#isStuck || isIdle) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiters.push(resolve);
      this.#start();
    });
  }

  /** Makes one last attempt, even if the retry time has not passed. */
  async close(): Promise<void> {
    if (this.#failedAt !== undefined) this.#failedAt = Number.NEGATIVE_INFINITY;
    await this.sync();
    clearTimeout(this.#idle);
    this.#hasStopped ||= this.#pending.length > 0;
    // With a disk that does not respond, closing would hang; the end of the process closes the file.
    if (!this.#isStuck) await this.#closeFile();
  }

  /** Stops saving and reports why. */
  stop(message: string): void {
    if (this.#hasStopped) return;
    this.#hasStopped = true;
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#report(message);
  }

  #start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.#run();
  }

  async #run(): Promise<void> {
    // Entries appended in the same tick join the batch.
    await Promise.resolve();
    while (this.#hasWork() && this.#isDue()) {
      const waiters = this.#waiters;
      this.#waiters = [];
      await this.#attempt(waiters);
      release(waiters);
      if (this.#failedAt !== undefined) break;
    }
    this.#isRunning = false;
    release(this.#waiters.splice(0));
    this.#rest();
  }

  #hasWork(): boolean {
    const mustSync = this.#waiters.length > 0 && this.#isUnsynced;
    return !this.#hasStopped && (this.#pending.length > 0 || mustSync);
  }

  #isDue(): boolean {
    return this.#failedAt === undefined || performance.now() - this.#failedAt >= this.#limits.retryMs;
  }

  async #attempt(waiters: readonly (() => void)[]): Promise<void> {
    const patience = setTimeout(() => this.#stuck(waiters), this.#limits.answerMs);
    try {
      this.#file ??= await this.#open();
      await this.#write(this.#file);
      if (waiters.length > 0) await this.#datasync(this.#file);
      this.#succeeded();
    } catch (error) {
      await this.#failed(error);
    } finally {
      clearTimeout(patience);
      this.#isStuck = false;
    }
  }

  async #open(): Promise<JournalFile> {
    const { path, files, prepare } = this.#options;
    await prepare();
    const file = await files.open(path);
    if (file.isNew && this.#hasBegun) {
      this.#hasLost = true;
      this.#report(
        `${path} was deleted or moved. A new file was started; it does not contain the earlier entries.`,
      );
    }
    if (file.isNew) {
      this.#isTorn = false;
      if (this.#pending[0] !== this.#header) this.#pending.unshift(this.#header);
    }
    this.#hasBegun = !file.isNew;
    return file;
  }

  /** Writes the batch, in several writes if the disk accepts only part of it. */
  async #write(file: JournalFile): Promise<void> {
    const batch = this.#isTorn ? [NEWLINE, ...this.#pending] : [...this.#pending];
    const bytes = Buffer.concat(batch);
    let written = 0;
    try {
      while (written < bytes.length) {
        const count = await file.write(bytes.subarray(written));
        if (count <= 0) throw new Error("the file accepts no more bytes");
        written += count;
      }
      this.#isTorn = false;
    } catch (error) {
      this.#isTorn = true;
      throw error;
    } finally {
      this.#hasBegun ||= written > 0;
      this.#isUnsynced ||= written > 0;
      this.#drop(batch, written);
    }
  }

  /** Removes the entries that are completely in the file from the pending list. */
  #drop(batch: readonly Buffer[], written: number): void {
    if (this.#hasStopped) return;
    let end = 0;
    // A line that lacks only its newline counts as complete: the next attempt starts with the newline.
    const whole = batch.filter((bytes) => (end += bytes.length) - 1 <= written && bytes !== NEWLINE);
    this.#pending.splice(0, whole.length);
    for (const bytes of whole) if (bytes !== this.#header) this.#pendingBytes -= bytes.length;
  }

  async #datasync(file: JournalFile): Promise<void> {
    try {
      await file.datasync();
    } catch (error) {
      // It is unknown which part is on disk, and writing it again could duplicate it.
      this.#hasLost = true;
      this.#isUnsynced = false;
      throw error;
    }
    this.#isUnsynced = false;
    if (await file.isInPlace()) return;
    await this.#closeFile();
    this.#file = await this.#open();
    await this.#write(this.#file);
    await this.#file.datasync();
    this.#isUnsynced = false;
  }

  #succeeded(): void {
    if (this.#failedAt === undefined && !this.#isStuck) return;
    this.#failedAt = undefined;
    const { path } = this.#options;
    this.#report(
      this.#hasLost
        ? `The session is saved again, but some entries are missing: ${path}`
        : `The session is saved again: ${path}`,
    );
  }

  async #failed(error: unknown): Promise<void> {
    const isFirst = this.#failedAt === undefined;
    this.#failedAt = performance.now();
    await this.#closeFile();
    const { path } = this.#options;
    if (isFirst) this.#report(`This session is not being saved: ${await whyNotSaved(path, error)}.`);
    this.#checkKept();
  }

  #stuck(waiters: readonly (() => void)[]): void {
    this.#isStuck = true;
    const seconds = this.#limits.answerMs / 1_000;
    this.#report(
      `This session is not being saved: ${this.#options.path}: the disk has not responded for ${seconds} s.`,
    );
    release(waiters);
    release(this.#waiters.splice(0));
  }

  #checkKept(): void {
    const { keptBytes } = this.#limits;
    if ((this.#failedAt === undefined && !this.#isStuck) || this.#pendingBytes <= keptBytes) return;
    this.stop(
      `This session is no longer saved: more than ${keptBytes} bytes could not be written to ${this.#options.path}. ` +
        "You can resume it up to that point.",
    );
  }

  #rest(): void {
    if (this.#file === undefined) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.#sleep(), this.#limits.idleMs);
    this.#idle.unref();
  }

  async #sleep(): Promise<void> {
    if (this.#isRunning) return;
    await this.sync();
    if (!this.#isRunning && this.#pending.length === 0) await this.#closeFile();
  }

  async #closeFile(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close().catch(() => {});
  }

  #report(message: string): void {
    this.#options.onNotice(message);
  }
}

function release(waiters: readonly (() => void)[]): void {
  for (const resolve of waiters) resolve();
}
