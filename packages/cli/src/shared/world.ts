/** The surroundings of the program. They are passed in so that tests can replace them. */

import type { Surroundings } from "@runahead/harness";

export interface Input {
  /** Reads standard input, unless it is a terminal. */
  read(): AsyncIterable<Buffer>;
  readonly isTerminal: boolean;
  /** Aborted by a signal that ends the program. Its reason is the exit code. */
  readonly signal: AbortSignal;
}

export interface World extends Surroundings {
  /** Prints whole lines. Adds the final line break if the text has none. */
  readonly print: (text: string) => void;
  readonly complain: (text: string) => void;
  /** Prints an answer that a program can read. Default: `print`. */
  readonly answer?: (text: string) => void;
  /** Default: the input of this process. */
  readonly input?: Input;
}
