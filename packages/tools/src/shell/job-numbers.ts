/** Numbers the background jobs of a session. A resumed session goes on counting, because the model knows the old ids. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LAST_JOB_FILE } from "@runahead/base";
import { readText } from "../shared/owner-folder.ts";

export class JobNumbers {
  readonly #folder: string;
  #last = 0;

  /** @param folder The session's folder, where the last number is kept. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns the next id, such as `bash_1`. */
  next(): string {
    const path = join(this.#folder, LAST_JOB_FILE);
    const kept = Number.parseInt(readText(path), 10);
    this.#last = Math.max(this.#last, Number.isSafeInteger(kept) && kept > 0 ? kept : 0) + 1;
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      writeFileSync(path, `${this.#last}\n`, { mode: 0o600 });
    } catch {
      // Then the next process starts at 1 again.
    }
    return `bash_${this.#last}`;
  }
}
