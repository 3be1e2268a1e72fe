/**
 * The one writer of a session's file. Entries that come together are written together, by one write at a time, so
 * lines cannot be torn by one another (E08); many that wait share one sync. A disk that fails never throws here: it
 * is told once, what was not written is kept up to a limit and tried again, and nothing is said to be saved that is
 * not (E12).
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
  /** Makes ready what the file needs around it, before it is opened. */
  readonly prepare: () => Promise<void>;
  readonly onNotice: Notice;
  /** What is there already: nothing, whole lines, or a last line without an end. */
  readonly found: "nothing" | "lines" | "torn";
  readonly limits?: Partial<WriterLimits>;
}

export interface WriterLimits {
  /** How much is kept while it cannot be written; beyond that the session is not saved any more. */
  readonly keptBytes: number;
  /** Between two attempts on a disk that fails. */
  readonly retryMs: number;
  /** A disk that does not answer for so long is told, and no longer waited for. */
  readonly answerMs: number;
  /** An idle file is closed after this. */
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
  /** Whether the file has begun, and whether its last line has no end. */
  #hasBegun: boolean;
  #isTorn: boolean;
  /** Written, and not yet known to be on disk. */
  #isUnsynced = false;
  /** When the last attempt failed, on the monotonic clock. */
  #failedAt: number | undefined;
  /** It does not answer. */
  #isStuck = false;
  /** Something of it can no longer be on disk. */
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
    // Nobody could read it back.
    if (bytes.length > LINE_BYTES) return this.lose(new Error(`it is larger than ${LINE_BYTES} bytes`));
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    this.#checkKept();
    this.#start();
  }

  /** Something that was to be appended could not even become a line. */
  lose(error: unknown): void {
    this.#hasLost = true;
    this.#tell(`An entry of ${this.#options.path} could not be saved: ${messageOf(error)}`);
  }

  /** Resolves when all that was appended is on disk, or has been told as not saved. */
  sync(): Promise<void> {
    const isIdle = !this.#isRunning && this.#pending.length === 0 && !this.#isUnsynced;
    if (this.#hasStopped || this.#isStuck || isIdle) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiters.push(resolve);
      this.#start();
    });
  }

  /** One last attempt, whenever the one before was. */
  async close(): Promise<void> {
    if (this.#failedAt !== undefined) this.#failedAt = Number.NEGATIVE_INFINITY;
    await this.sync();
    clearTimeout(this.#idle);
    this.#hasStopped ||= this.#pending.length > 0;
    // A disk that does not answer keeps the file, which the end of the process closes.
    if (!this.#isStuck) await this.#closeFile();
  }

  /** Nothing is saved from now on; why, is told. */
  stop(message: string): void {
    if (this.#hasStopped) return;
    this.#hasStopped = true;
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#tell(message);
  }

  #start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.#run();
  }

  async #run(): Promise<void> {
    // What comes in the same breath joins the batch.
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
      this.#tell(
        `${path} was deleted or moved away. A new one is begun; what was in it is not in the new one.`,
      );
    }
    if (file.isNew) {
      this.#isTorn = false;
      if (this.#pending[0] !== this.#header) this.#pending.unshift(this.#header);
    }
    this.#hasBegun = !file.isNew;
    return file;
  }

  /** One write, or several where the disk takes it in parts. A line that was cut loses only itself. */
  async #write(file: JournalFile): Promise<void> {
    const batch = this.#isTorn ? [NEWLINE, ...this.#pending] : [...this.#pending];
    const bytes = Buffer.concat(batch);
    let written = 0;
    try {
      while (written < bytes.length) {
        const count = await file.write(bytes.subarray(written));
        if (count <= 0) throw new Error("the file takes no more bytes");
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

  /** Takes what is whole in the file off the list of what is not. */
  #drop(batch: readonly Buffer[], written: number): void {
    if (this.#hasStopped) return;
    let end = 0;
    // A line that lacks only its end is whole: the next attempt begins with that.
    const whole = batch.filter((bytes) => (end += bytes.length) - 1 <= written && bytes !== NEWLINE);
    this.#pending.splice(0, whole.length);
    for (const bytes of whole) if (bytes !== this.#header) this.#pendingBytes -= bytes.length;
  }

  async #datasync(file: JournalFile): Promise<void> {
    try {
      await file.datasync();
    } catch (error) {
      // Nobody knows what of it is on disk, and to write it again could put it there twice.
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
    this.#tell(
      this.#hasLost ? `${path} is written again, but not whole.` : `The session is saved again: ${path}`,
    );
  }

  async #failed(error: unknown): Promise<void> {
    const isFirst = this.#failedAt === undefined;
    this.#failedAt = performance.now();
    await this.#closeFile();
    const { path } = this.#options;
    if (isFirst) this.#tell(`This session is not being saved: ${await whyNotSaved(path, error)}.`);
    this.#checkKept();
  }

  #stuck(waiters: readonly (() => void)[]): void {
    this.#isStuck = true;
    const seconds = this.#limits.answerMs / 1_000;
    this.#tell(
      `This session is not being saved: ${this.#options.path}: the disk has not answered for ${seconds} s.`,
    );
    release(waiters);
    release(this.#waiters.splice(0));
  }

  #checkKept(): void {
    const { keptBytes } = this.#limits;
    if ((this.#failedAt === undefined && !this.#isStuck) || this.#pendingBytes <= keptBytes) return;
    this.stop(
      `${this.#options.path} is not saved any more: more than ${keptBytes} bytes could not be written. ` +
        "What it holds up to there can be resumed.",
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

  #tell(message: string): void {
    this.#options.onNotice(message);
  }
}

function release(waiters: readonly (() => void)[]): void {
  for (const resolve of waiters) resolve();
}
