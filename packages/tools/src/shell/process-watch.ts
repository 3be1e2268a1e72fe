/** Ends a command that starts processes without end (F13). The machine's count is looked at often, its own only then. */

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
      run.limitReached = `It had more than ${this.#most} processes at a time, which is the limit, and was killed.`;
      run.tree.kill();
      void run.stop();
    }
  }
}
