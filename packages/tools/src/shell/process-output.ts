/**
 * Collects the output of a process: all of it in a file, both ends in memory, and each piece to a listener. Memory use
 * is constant: if the disk is slower than the process, the process waits (C13, F10).
 */

import { closeSync, constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { type NetConnectOpts, Socket, type SocketConstructorOpts } from "node:net";
import { MOST_WAITING_BYTES, type Part, Slabs } from "./process-slab.ts";

/** How much of each end is kept in memory. */
export const END_BYTES = 32_768;
/** The lines of larger outputs are not counted. */
const COUNTED_BYTES = 64 * 1024 * 1024;
const NEWLINE = 0x0a;
const CREATE =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW | constants.O_APPEND;

/** Keeps copies of the two ends of a byte stream. */
export class Ends {
  readonly #limit: number;
  readonly #head: Buffer;
  #headBytes = 0;
  /** A ring buffer, once it is full. */
  #tail = Buffer.alloc(0);
  #tailBytes = 0;
  bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
    this.#head = Buffer.alloc(limit);
  }

  add(piece: Uint8Array): void {
    this.bytes += piece.length;
    const room = Math.min(piece.length, this.#limit - this.#headBytes);
    this.#head.set(piece.subarray(0, room), this.#headBytes);
    this.#headBytes += room;
    if (room < piece.length) this.#addToTail(piece.subarray(room));
  }

  #addToTail(piece: Uint8Array): void {
    if (this.#tail.length === 0) this.#tail = Buffer.alloc(this.#limit);
    const last = piece.subarray(-this.#limit);
    const at = (this.#tailBytes + piece.length - last.length) % this.#limit;
    const first = last.subarray(0, this.#limit - at);
    this.#tail.set(first, at);
    this.#tail.set(last.subarray(first.length), 0);
    this.#tailBytes += piece.length;
  }

  get head(): Uint8Array {
    return this.#head.subarray(0, this.#headBytes);
  }

  get tail(): Uint8Array {
    const at = this.#tailBytes % this.#limit;
    if (this.#tailBytes <= this.#limit) return this.#tail.subarray(0, this.#tailBytes);
    return Buffer.concat([this.#tail.subarray(at), this.#tail.subarray(0, at)]);
  }

  /** How many bytes between the two ends are not kept. */
  get droppedBytes(): number {
    return Math.max(0, this.#tailBytes - this.#limit);
  }
}

/** Writes a file in the background. */
class OutputFile {
  readonly #handle: FileHandle;
  readonly #onWritten: (part: Part) => void;
  #waiting: Part[] = [];
  waitingBytes = 0;
  bytes = 0;
  #writing: Promise<void> | undefined;
  problem: string | undefined;

  constructor(handle: FileHandle, onWritten: (part: Part) => void) {
    this.#handle = handle;
    this.#onWritten = onWritten;
  }

  write(part: Part): void {
    this.#waiting.push(part);
    this.waitingBytes += part.bytes.length;
    this.bytes += part.bytes.length;
    this.#writing ??= this.#writeAll();
  }

  /** Resolves when everything so far is written, or `problem` is set. */
  async flush(): Promise<void> {
    await this.#writing;
  }

  async close(): Promise<void> {
    await this.flush();
    await this.#handle.close().catch(() => {});
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const parts = this.#waiting;
      this.#waiting = [];
      try {
        if (this.problem === undefined) await writeWhole(this.#handle, parts);
      } catch (error) {
        this.problem = (error as Error).message;
      }
      for (const part of parts) {
        this.waitingBytes -= part.bytes.length;
        this.#onWritten(part);
      }
    }
    this.#writing = undefined;
  }
}

/** A write can be partial if the disk is full. */
async function writeWhole(handle: FileHandle, parts: readonly Part[]): Promise<void> {
  const pieces = parts.map(({ bytes }) => bytes);
  const wanted = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const { bytesWritten } = await handle.writev(pieces);
  if (bytesWritten < wanted) await handle.appendFile(Buffer.concat(pieces).subarray(bytesWritten));
}

interface OutputOptions {
  /** The read end of a pipe; closed at the end. */
  readonly pipe: number;
  /** Path of the file for the whole output; must not exist. */
  readonly path: string;
  /** Size limit of the file; the rest is dropped. */
  readonly maxBytes: number;
}

export class Output {
  readonly path: string;
  readonly ends = new Ends(END_BYTES);
  /** Resolves when the write end is closed everywhere and all output was read. */
  readonly ended: Promise<void>;
  onPiece: ((piece: Uint8Array) => void) | undefined;
  readonly #maxBytes: number;
  readonly #pipe: number;
  readonly #slabs = new Slabs();
  #socket: Socket | undefined;
  #file: OutputFile | undefined;
  #problem: string | undefined;
  #closing: Promise<void> | undefined;
  #hasEnded!: () => void;

  constructor({ pipe, path, maxBytes }: OutputOptions) {
    this.path = path;
    this.#pipe = pipe;
    this.#maxBytes = maxBytes;
    this.ended = new Promise((resolve) => (this.#hasEnded = resolve));
  }

  /** If the file cannot be created, the middle of a long output is lost, but the command runs. */
  async start(): Promise<void> {
    try {
      const handle = await open(this.path, CREATE, 0o600);
      this.#file = new OutputFile(handle, (part) => this.#written(part));
    } catch (error) {
      this.#problem = (error as Error).message;
    }
    this.#socket = this.#open();
  }

  #open(): Socket {
    const onread = {
      buffer: () => this.#slabs.room(),
      callback: (length: number) => this.#take(this.#slabs.filled(length)),
    };
    const options: SocketConstructorOpts & Pick<NetConnectOpts, "onread"> = {
      fd: this.#pipe,
      readable: true,
      writable: false,
      onread,
    };
    const socket = new Socket(options);
    // A broken pipe only means that it has ended.
    socket.on("error", () => {});
    socket.once("close", () => {
      this.#hasEnded();
      void this.close();
    });
    return socket.resume();
  }

  /** Why the file is incomplete; undefined if it is complete. */
  get problem(): string | undefined {
    return this.#problem ?? this.#file?.problem;
  }

  get bytes(): number {
    return this.ends.bytes;
  }

  get keptBytes(): number {
    return this.#file?.bytes ?? 0;
  }

  /** Whether reading waits for the disk. */
  get isHeld(): boolean {
    return this.#socket?.isPaused() === true;
  }

  /** Resolves when everything so far is in the file, or `problem` is set. */
  async flush(): Promise<void> {
    await this.#file?.flush();
  }

  /** Reads a part of the file, which may already be closed. */
  async read(from: number, length: number): Promise<Uint8Array> {
    await this.flush();
    const handle = await open(this.path, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      const bytes = Buffer.alloc(length);
      const { bytesRead } = await handle.read(bytes, 0, length, from);
      return bytes.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  }

  /** Counts the newlines of the whole output. Resolves with undefined if the file is incomplete or very large. */
  async newlines(): Promise<number | undefined> {
    await this.flush();
    if (this.problem !== undefined || this.keptBytes < this.bytes || this.bytes > COUNTED_BYTES)
      return undefined;
    let count = 0;
    for (let at = 0; at < this.bytes; ) {
      const part = await this.read(at, Math.min(this.bytes - at, MOST_WAITING_BYTES));
      if (part.length === 0) return undefined;
      for (const byte of part) if (byte === NEWLINE) count++;
      at += part.length;
    }
    return count;
  }

  /** Closes the pipe, even if another process still holds its write end, and the file. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#socket === undefined) closeSync(this.#pipe);
    this.#socket?.destroy();
    await this.#file?.close();
  }

  /** Returns true, so that reading continues with the next buffer. */
  #take(part: Part): boolean {
    this.ends.add(part.bytes);
    this.onPiece?.(part.bytes);
    const file = this.#file;
    const room = file === undefined || file.problem !== undefined ? 0 : this.#maxBytes - file.bytes;
    if (file === undefined || room <= 0) return true;
    this.#slabs.keep(part);
    file.write(room < part.bytes.length ? { ...part, bytes: part.bytes.subarray(0, room) } : part);
    if (file.waitingBytes >= MOST_WAITING_BYTES) this.#socket?.pause();
    return true;
  }

  #written(part: Part): void {
    this.#slabs.giveBack(part);
    if (this.isHeld && (this.#file?.waitingBytes ?? 0) < MOST_WAITING_BYTES / 2) this.#socket?.resume();
  }
}
