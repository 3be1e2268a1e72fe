/**
 * Creates real pipes. Node gives child processes sockets, which `echo … > /dev/stderr` and `tee /dev/stderr` in many
 * scripts cannot reopen. stdout and stderr share one pipe, so that their order is kept.
 */

import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, constants, existsSync, openSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

export interface Pipe {
  /** Non-blocking. */
  readonly readEnd: number;
  readonly writeEnd: number;
}

/** Creating a pipe takes a process, so several are created at once. */
const AT_A_TIME = 8;
const run = promisify(execFile);

export class Pipes {
  readonly #folder: string;
  #ready: string[] = [];

  constructor(folder: string) {
    this.#folder = folder;
  }

  async take(): Promise<Pipe> {
    // They may have been deleted meanwhile.
    this.#ready = this.#ready.filter(existsSync);
    const path = this.#ready.pop() ?? (await this.#make());
    let readEnd: number | undefined;
    try {
      // The read end first: opening the write end alone would block.
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
    await run("mkfifo", ["-m", "600", "--", ...paths]).catch((error: unknown) => {
      const stderr = (error as { stderr?: unknown }).stderr;
      // The message would repeat all paths.
      throw typeof stderr === "string" && stderr !== "" ? new Error(stderr.split("\n", 1)[0]) : error;
    });
    const [first, ...others] = paths as [string, ...string[]];
    this.#ready.push(...others);
    return first;
  }
}
