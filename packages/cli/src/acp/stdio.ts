/** Reserves standard input and output for the protocol. All other output goes to standard error. */

import { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { onOutputError, takeStdout } from "../shared/terminal-output.ts";

/** How long the client has to read the last messages. */
const LAST_WORDS_MS = 1_000;

export interface Stdio {
  readonly input: ReadableStream<Uint8Array>;
  readonly output: WritableStream<Uint8Array>;
  /** Releases both. Resolves with whether the client has read everything. */
  end(): Promise<boolean>;
}

export function takeStdio(): Stdio {
  const { stdin } = process;
  const stdout = takeStdout();
  // A disconnected client also closes standard input, which ends the program in order.
  const ignore = (): void => {};
  onOutputError(ignore);
  let last: Promise<void> = Promise.resolve();
  const output = new WritableStream<Uint8Array>({
    write: (piece) => {
      const written = new Promise<void>((resolve, reject) =>
        stdout.write(piece, (error) => (error === null || error === undefined ? resolve() : reject(error))),
      );
      last = written.catch(ignore);
      return written;
    },
  });
  return {
    input: Readable.toWeb(stdin) as ReadableStream<Uint8Array>,
    output,
    end: async () => {
      stdin.destroy();
      const isTaken = await Promise.race([last.then(() => true), pause(LAST_WORDS_MS, false)]);
      stdout.giveBack();
      return isTaken;
    },
  };
}
