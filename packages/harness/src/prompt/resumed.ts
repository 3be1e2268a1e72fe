/** What the model learns when a session is resumed: how much later it is, and what ended in the meantime. */

import type { SessionState } from "@runahead/agent";
import { isShape, stringOf } from "@runahead/base";
import type { SavedJobs } from "@runahead/tools";

type Job = SavedJobs["running"][number];

interface Saved {
  /** When the last turn ended, in ISO 8601. */
  readonly at: string;
  readonly jobs: SavedJobs;
}

/** Where the facts come from. */
export interface ResumeSources {
  readonly now: () => Date;
  readonly jobs: { readonly save: () => SavedJobs; readonly restore: (saved: unknown) => void };
  /** The git branch now; undefined outside of a repository, empty with a detached HEAD. */
  readonly branch: string | undefined;
}

const SHOWN_JOBS = 10;
const COMMAND_CHARS = 200;

/** Saves when a session was last used and which jobs ran. Returns one note after it is resumed. */
export class ResumeNote implements SessionState {
  readonly #sources: ResumeSources;
  #text: string | undefined;

  constructor(sources: ResumeSources) {
    this.#sources = sources;
  }

  save(): Saved {
    const { now, jobs } = this.#sources;
    return { at: now().toISOString(), jobs: jobs.save() };
  }

  restore(data: unknown): void {
    if (!isShape(data)) return;
    const { now, jobs, branch } = this.#sources;
    jobs.restore(data["jobs"]);
    const left = new Date(stringOf(data["at"]));
    const parts = [
      Number.isNaN(left.getTime()) ? "This session was resumed." : resumedText(left, now()),
      branchText(branch),
      jobsText(runningIn(data["jobs"])),
    ];
    this.#text = parts.filter((part) => part !== "").join(" ");
  }

  /** Returns the note the first time after the session was resumed. */
  take(): string | undefined {
    const text = this.#text;
    this.#text = undefined;
    return text;
  }
}

function resumedText(left: Date, now: Date): string {
  return `This session was resumed at ${now.toISOString()}, ${duration(now.getTime() - left.getTime())} after its last turn.`;
}

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const;

function duration(ms: number): string {
  const [name, size] = UNITS.find(([, unit]) => ms >= 2 * unit) ?? ["second", 1_000];
  const count = Math.max(0, Math.round(ms / size));
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}

function branchText(branch: string | undefined): string {
  if (branch === undefined) return "";
  return branch === "" ? "There is no current git branch (detached HEAD)." : `The git branch is ${branch}.`;
}

function runningIn(jobs: unknown): readonly Job[] {
  const running = isShape(jobs) ? jobs["running"] : undefined;
  if (!Array.isArray(running)) return [];
  return running.flatMap((job: unknown) =>
    isShape(job) ? [{ id: stringOf(job["id"]), command: stringOf(job["command"]) }] : [],
  );
}

function jobsText(jobs: readonly Job[]): string {
  if (jobs.length === 0) return "";
  const shown = jobs
    .slice(0, SHOWN_JOBS)
    .map(({ id, command }) => `${id}: ${command.slice(0, COMMAND_CHARS)}`);
  const more = jobs.length - shown.length;
  const all = [...shown, ...(more > 0 ? [`… and ${more} more`] : [])].join("\n");
  return `These background jobs ended with the previous process; start them again if you need them:\n${all}`;
}
