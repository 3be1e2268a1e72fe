/** The worker processes of a chaos test: started, killed, stopped for a while and replaced. */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";

const LOOK_MS = 100;

export interface CrewOptions {
  readonly script: string;
  readonly args: readonly string[];
  readonly size: number;
}

export class Crew {
  readonly #options: CrewOptions;
  readonly #children = new Set<ChildProcess>();
  /** Those that work, or are stopped. */
  readonly #ready = new Set<ChildProcess>();
  /** Those that are stopped, with the timers that let them continue. */
  readonly #stopped = new Map<ChildProcess, NodeJS.Timeout>();
  #isOver = false;

  constructor(options: CrewOptions) {
    this.#options = options;
  }

  async begin(): Promise<void> {
    await Promise.all(Array.from({ length: this.#options.size }, () => this.#start()));
  }

  /**
   * Ends one of them in this way; another is started. `pick` is between 0 and 1. Returns false if half of them are still
   * starting, or too few would be left: on a busy machine, no worker would live long enough to work.
   */
  replace(pick: number, signal: "SIGKILL" | "SIGTERM"): boolean {
    const child = this.#spare(pick);
    if (child === undefined || this.#ready.size * 2 <= this.#options.size) return false;
    this.#ready.delete(child);
    child.kill(signal);
    void this.#start();
    return true;
  }

  /** Stops one of them for a while, as a machine does that is suspended. At most half of them are stopped. */
  stop(pick: number, forMs: number): boolean {
    const child = this.#spare(pick);
    if (child === undefined || (this.#stopped.size + 1) * 2 > this.#options.size) return false;
    child.kill("SIGSTOP");
    this.#stopped.set(
      child,
      setTimeout(() => {
        this.#stopped.delete(child);
        child.kill("SIGCONT");
      }, forMs),
    );
    return true;
  }

  /** Resolves when those that were stopped have continued, and have found that others took over their work. */
  async allAwake(): Promise<void> {
    while (this.#stopped.size > 0) await pause(LOOK_MS);
  }

  /** Asks all of them to finish what they do and end. */
  async drain(): Promise<void> {
    this.#isOver = true;
    const children = [...this.#children];
    const ended = children.map((child) => once(child, "exit"));
    for (const child of children) child.kill("SIGTERM");
    await Promise.all(ended);
  }

  close(): void {
    this.#isOver = true;
    for (const timer of this.#stopped.values()) clearTimeout(timer);
    for (const child of this.#children) child.kill("SIGKILL");
  }

  /** One that works. Undefined if less than a quarter would be left: then nothing can be said about how long work waits. */
  #spare(pick: number): ChildProcess | undefined {
    const awake = [...this.#ready].filter((child) => !this.#stopped.has(child));
    if ((awake.length - 1) * 4 < this.#options.size) return undefined;
    return awake[Math.floor(pick * awake.length)];
  }

  /** Resolves when it is ready. One that cannot start, because a server is away, is started again. */
  async #start(): Promise<void> {
    while (!this.#isOver && !(await this.#tryStart()));
  }

  async #tryStart(): Promise<boolean> {
    const { script, args } = this.#options;
    const child = fork(script, [...args], { execArgv: [], stdio: ["ignore", "ignore", "ignore", "ipc"] });
    this.#children.add(child);
    child.once("exit", () => {
      this.#children.delete(child);
      this.#ready.delete(child);
    });
    return new Promise((resolve) => {
      child.once("message", () => {
        this.#ready.add(child);
        resolve(true);
      });
      child.once("exit", () => resolve(false));
    });
  }
}
