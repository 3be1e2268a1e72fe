/** What is around the program: given, so that a test can give another. */

import { EXIT } from "./exit.ts";
import type { Input } from "./run/headless.ts";

export interface World {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A text of whole lines; ends one that has no end. */
  readonly print: (text: string) => void;
  readonly complain: (text: string) => void;
  /** That of the process where absent. */
  readonly input?: Input;
}

/** Whoever reads may leave: that is no reason for a stack, but for an exit code (I02). */
export function terminal(stream: NodeJS.WriteStream): (text: string) => void {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // A pipe that nobody reads, a terminal that is gone.
    if (error.code !== "EPIPE" && error.code !== "EIO") throw error;
    process.once("exit", () => (process.exitCode ||= EXIT.error));
  });
  return (text) => void stream.write(text.endsWith("\n") ? text : `${text}\n`);
}
