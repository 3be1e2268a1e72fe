/** What is around the program: given, so that a test can give another. */

import type { Surroundings } from "@runahead/harness";

export interface Input {
  /** Standard input, as far as it is no terminal. */
  read(): AsyncIterable<Buffer>;
  readonly isTerminal: boolean;
  /** Aborted when the program is told to end, with the exit code as its reason. */
  readonly signal: AbortSignal;
}

export interface World extends Surroundings {
  /** A text of whole lines; ends one that has no end. */
  readonly print: (text: string) => void;
  readonly complain: (text: string) => void;
  /** An answer that a program may read; printed by `print` by default. */
  readonly answer?: (text: string) => void;
  /** That of the process where absent. */
  readonly input?: Input;
}
