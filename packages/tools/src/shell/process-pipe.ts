/**
 * Real pipes. Node gives its children sockets, and `echo … > /dev/stderr` or `tee /dev/stderr`, which many scripts do,
 * cannot open those again. Both outputs share one pipe, so that they stay in the order in which they were written.
 */

import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, constants, existsSync, openSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

export interface Pipe {
  /** Does not wait when there is nothing to read. */
  readonly readEnd: number;
  readonly writeEnd: number;
}

/** Making one takes a process, so some are made at a time. */
const AT_A_TIME = 8;
const run = promisify(execFile);

export class Pipes {
  readonly #folder: string;
  #ready: string[] = [];

  constructor(folder: string) {
    this.#folder = folder;
  }

  async take(): Promise<Pipe> {
    // Somebody may have tidied up.
    this.#ready = this.#ready.filter(existsSync);
    const path = this.#ready.pop() ?? (await this.#make());
    let readEnd: number | undefined;
    try {
      // The reader first: a writer alone would wait for one.
      readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      return { readEnd, writeEnd: openSync(path, constants.O_WRONLY) };
    } catch (error) {
      if (readEnd !== undefined) closeSync(readEnd);
      throw error;
    } finally {
      unlinkSync(path);
    }
  }

  async #make(): Promise<string> {
    const paths = Array.from({ length: AT_A_TIME }, () => join(this.#folder, `${randomUUID()}.pipe`));
    await run("mkfifo", ["-m", "600", "--", ...paths]);
    const [first, ...others] = paths as [string, ...string[]];
    this.#ready.push(...others);
    return first;
  }
}
