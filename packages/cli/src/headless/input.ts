/** Standard input and the signals that end the program. */

import { EXIT } from "../shared/exit.ts";
import { onOutputError } from "../shared/terminal-output.ts";
import type { Input } from "../shared/world.ts";

const SIGNALS = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated, SIGHUP: 129 } as const;

/** The input of this process. A second signal exits immediately. */
export function processInput(): Input {
  const ending = new AbortController();
  for (const [name, code] of Object.entries(SIGNALS)) {
    process.on(name, () => {
      if (ending.signal.aborted) process.exit(code);
      ending.abort(code);
    });
  }
  // The reader of our output has left, so the run ends (I02).
  onOutputError(() => ending.abort(EXIT.error));
  return { isTerminal: process.stdin.isTTY, signal: ending.signal, read: () => readUntil(ending.signal) };
}

/** Stops reading when the signal is aborted, even if no more input ever arrives. */
async function* readUntil(signal: AbortSignal): AsyncGenerator<Buffer> {
  const { stdin } = process;
  const stop = (): void => void stdin.destroy();
  if (signal.aborted) return;
  signal.addEventListener("abort", stop);
  try {
    for await (const piece of stdin) yield piece as Buffer;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
