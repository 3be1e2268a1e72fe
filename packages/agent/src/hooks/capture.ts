/** What a process prints, kept up to a limit: the rest is read and dropped, so that it never waits and memory never grows. */

import type { Readable } from "node:stream";

const KEPT_BYTES = 1_000_000;

export class Capture {
  readonly ended: Promise<void>;
  readonly #stream: Readable;
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;
  /** All that has come, kept or not. */
  bytes = 0;

  constructor(stream: Readable) {
    this.#stream = stream;
    this.ended = new Promise((resolve) => stream.once("close", resolve));
    // A pipe that breaks says no more than that it has ended.
    stream.on("error", () => {});
    stream.on("data", (chunk: Buffer) => this.#take(chunk));
  }

  get isCut(): boolean {
    return this.bytes > this.#keptBytes;
  }

  /** Without what no text may hold: NULs, and bytes that are no characters. */
  get text(): string {
    return Buffer.concat(this.#kept).toString("utf8").replaceAll("\0", "");
  }

  /** Lets go of the pipe, whoever may still hold its other end. */
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
