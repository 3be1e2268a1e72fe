/** The background jobs of one agent: those that run, those that ended, and the listeners for their end. */

import { type Job, isRunning, untilEnded } from "./job.ts";
import type { JobNumbers } from "./job-numbers.ts";
import type { Run } from "./process-run.ts";
import { Refusal } from "../shared/refusal.ts";

const MAX_JOBS = 16;
/** This many ended jobs are remembered; the output files of older ones stay. */
const ENDED_JOBS = 64;

export class Jobs {
  readonly #numbers: JobNumbers;
  readonly #limit: number;
  readonly #jobs = new Map<string, Job>();
  readonly #listeners = new Set<(job: Job) => void>();
  #isClosing = false;

  constructor(numbers: JobNumbers, limit = MAX_JOBS) {
    this.#numbers = numbers;
    this.#limit = limit;
  }

  get hasRoom(): boolean {
    return this.#running().length < this.#limit;
  }

  /** Throws if the limit is reached. Called before a job is started. */
  checkRoom(): void {
    if (this.hasRoom) return;
    const running = this.#running();
    const names = running.map(({ id }) => id).join(", ");
    throw new Refusal(
      `Not run: the limit of ${running.length} background jobs is reached (${names}). End one with KillShell first.`,
    );
  }

  /** Registers a command as a job. Returns undefined if the limit is reached. */
  keep(command: string, run: Run): Job | undefined {
    if (!this.hasRoom) return undefined;
    const job: Job = {
      id: this.#numbers.next(),
      command,
      run,
      shownBytes: 0,
      wasKilled: false,
      isEndKnown: false,
    };
    this.#jobs.set(job.id, job);
    this.#forgetOld();
    void untilEnded(job).then(() => this.#ended(job));
    return job;
  }

  /** Throws if there is no such job. */
  find(id: string): Job {
    const job = this.#jobs.get(id);
    if (job !== undefined) return job;
    const known = [...this.#jobs.keys()].slice(-10).join(", ");
    throw new Refusal(
      `There is no background job ${id}. ${known === "" ? "None was started." : `Known jobs: ${known}.`}`,
    );
  }

  /** All jobs that are remembered, oldest first. */
  list(): readonly Job[] {
    return [...this.#jobs.values()];
  }

  /** Returns the jobs that ended since the last call, except those whose end the model has seen. */
  takeEnded(): Job[] {
    const ended = this.list().filter((job) => !job.isEndKnown && !isRunning(job));
    for (const job of ended) job.isEndKnown = true;
    return ended;
  }

  /** Calls the listener when a job ends by itself and the model does not know it. Returns the unsubscriber. */
  onEnded(listener: (job: Job) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** All processes are being ended, which is not news. */
  close(): void {
    this.#isClosing = true;
  }

  #ended(job: Job): void {
    if (job.isEndKnown || isRunning(job) || this.#isClosing) return;
    for (const listener of this.#listeners) listener(job);
  }

  #running(): Job[] {
    return this.list().filter(isRunning);
  }

  #forgetOld(): void {
    const ended = this.list().filter((job) => !isRunning(job));
    for (const { id } of ended.slice(0, Math.max(0, ended.length - ENDED_JOBS))) this.#jobs.delete(id);
  }
}
