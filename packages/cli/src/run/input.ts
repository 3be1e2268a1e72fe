/** Standard input, and the signals that end the program. */

import { EXIT } from "../exit.ts";
import type { Input } from "./headless.ts";

const SIGNALS = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated, SIGHUP: 129 } as const;

/** Of this process. What comes twice ends it at once. */
export function processInput(): Input {
  const told = new AbortController();
  for (const [name, code] of Object.entries(SIGNALS)) {
    process.on(name, () => {
      if (told.signal.aborted) process.exit(code);
      told.abort(code);
    });
  }
  // Whoever reads us may leave: that is no reason for a stack.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(EXIT.error);
  });
  return {
    isTerminal: process.stdin.isTTY,
    signal: told.signal,
    read: () => process.stdin as AsyncIterable<Buffer>,
  };
}
