/** Kills commands that exceed the process limit (F13). Counts a command's own processes only if the machine's total grew. */

import type { Run } from "./process-run.ts";
import { tasksOfMachine } from "@runahead/base";

const EVERY_MS = 250;

export class ProcessWatch {
  readonly #most: number;
  readonly #runs = new Set<Run>();
  #timer: NodeJS.Timeout | undefined;
  #fewest = Number.POSITIVE_INFINITY;

  constructor(mostProcesses: number) {
    this.#most = mostProcesses;
  }

  watch(run: Run): void {
    this.#runs.add(run);
    this.#timer ??= setInterval(() => this.#look(), EVERY_MS).unref();
    void run.ended.then(() => this.#forget(run));
  }

  #forget(run: Run): void {
    this.#runs.delete(run);
    if (this.#runs.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#fewest = Number.POSITIVE_INFINITY;
  }

  #look(): void {
    const tasks = tasksOfMachine();
    this.#fewest = Math.min(this.#fewest, tasks);
    if (tasks - this.#fewest < this.#most / 2) return;
    for (const run of this.#runs) {
      if (run.tree.members().length <= this.#most) continue;
      run.limitReached = `Killed: the command exceeded the limit of ${this.#most} processes at a time.`;
      run.tree.kill();
      void run.stop();
    }
  }
}
