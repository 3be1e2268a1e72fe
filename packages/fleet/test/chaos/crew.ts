/** The worker processes of a chaos test: started, killed, stopped for a while and replaced. */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

export interface CrewOptions {
  readonly script: string;
  readonly args: readonly string[];
  readonly size: number;
}

export class Crew {
  readonly #options: CrewOptions;
  readonly #children = new Set<ChildProcess>();
  /** Those that are stopped, with the timers that let them continue. */
  readonly #stopped = new Map<ChildProcess, NodeJS.Timeout>();

  constructor(options: CrewOptions) {
    this.#options = options;
  }

  async begin(): Promise<void> {
    await Promise.all(Array.from({ length: this.#options.size }, () => this.#start()));
  }

  /** Ends one of them in this way and starts another. `pick` is between 0 and 1. */
  async replace(pick: number, signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    this.#at(pick)?.kill(signal);
    await this.#start();
  }

  /** Stops one of them for a while, as a machine does that is suspended. At least half of them go on. */
  stop(pick: number, forMs: number): boolean {
    const child = this.#at(pick);
    if (child === undefined || (this.#stopped.size + 1) * 2 > this.#options.size) return false;
    child.kill("SIGSTOP");
    this.#stopped.set(
      child,
      setTimeout(() => this.#continue(child), forMs),
    );
    return true;
  }

  /** Lets those continue that are stopped. They find that others took over their work. */
  continueAll(): void {
    for (const child of this.#stopped.keys()) this.#continue(child);
  }

  /** Asks all of them to finish what they do and end. */
  async drain(): Promise<void> {
    const children = [...this.#children];
    const ended = children.map((child) => once(child, "exit"));
    for (const child of children) child.kill("SIGTERM");
    await Promise.all(ended);
  }

  close(): void {
    for (const timer of this.#stopped.values()) clearTimeout(timer);
    for (const child of this.#children) child.kill("SIGKILL");
  }

  #at(pick: number): ChildProcess | undefined {
    const awake = [...this.#children].filter((child) => !this.#stopped.has(child));
    return awake[Math.floor(pick * awake.length)];
  }

  #continue(child: ChildProcess): void {
    clearTimeout(this.#stopped.get(child));
    this.#stopped.delete(child);
    child.kill("SIGCONT");
  }

  async #start(): Promise<void> {
    const { script, args } = this.#options;
    const child = fork(script, [...args], { execArgv: [], stdio: ["ignore", "ignore", "inherit", "ipc"] });
    this.#children.add(child);
    child.once("exit", () => this.#children.delete(child));
    await new Promise<void>((resolve) => {
      child.once("message", () => resolve());
      child.once("exit", () => resolve());
    });
  }
}
