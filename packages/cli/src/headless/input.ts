/** Standard input, and the signals that end the program. */

import { EXIT } from "../shared/exit.ts";
import { onOutputError } from "../shared/terminal-output.ts";
import type { Input } from "../shared/world.ts";

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
  // Nobody reads any more: everything of ours ends (I02).
  onOutputError(() => told.abort(EXIT.error));
  return { isTerminal: process.stdin.isTTY, signal: told.signal, read: () => readUntil(told.signal) };
}

/** Who waits for input that never comes must hear that it is over. */
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
