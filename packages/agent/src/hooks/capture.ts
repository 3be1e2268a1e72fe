/** Keeps the output of a process up to a limit. The rest is read and dropped, so the process never blocks. */

import type { Readable } from "node:stream";

const KEPT_BYTES = 1_000_000;

export class Capture {
  readonly ended: Promise<void>;
  readonly #stream: Readable;
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;
  /** All bytes received, kept or not. */
  bytes = 0;

  constructor(stream: Readable, onData?: () => void) {
    this.#stream = stream;
    this.ended = new Promise((resolve) => stream.once("close", resolve));
    // A broken pipe means the same as its end.
    stream.on("error", () => {});
    stream.on("data", (chunk: Buffer) => {
      this.#take(chunk);
      onData?.();
    });
  }

  get isCut(): boolean {
    return this.bytes > this.#keptBytes;
  }

  /** The output without NULs and invalid UTF-8. */
  get text(): string {
    return Buffer.concat(this.#kept).toString("utf8").replaceAll("\0", "");
  }

  /** Closes the pipe, even if another process still holds the other end. */
  close(): void {
    this.#stream.destroy();
  }

  #take(chunk: Buffer): void {
    this.bytes += chunk.length;
    const room = KEPT_BYTES - this.#keptBytes;
    if (room <= 0) return;
    const piece = chunk.subarray(0, room);
    this.#kept.push(piece);
    this.#keptBytes += piece.length;
  }
}
