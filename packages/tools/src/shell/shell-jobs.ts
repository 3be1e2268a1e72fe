/** Background commands as other parts of a program see them: to list, watch, read and stop them. */

import { setTimeout as pause } from "node:timers/promises";
import { type EndedJob, allOutput, endedJob } from "./background-output.ts";
import { type Job, type Shells, isRunning } from "./background.ts";

/** A command that runs in the background. */
export interface ShellJob {
  /** Its id, such as `bash_1`. */
  readonly id: string;
  /** What it is, among other kinds of background work. */
  readonly kind: "command";
  /** The command. */
  readonly description: string;
  /** Whether it or a process that it started is still running. */
  readonly state: "running" | "ended";
  /** Resolves when it and all its processes have ended. Never rejects. */
  readonly ended: Promise<EndedJob>;
  /** Resolves with what it printed so far; the middle of a long output is left out. Does not count as read by the model. */
  output(): Promise<string>;
  /** Ends it with all its processes. Rejects if a process cannot be killed. */
  stop(): Promise<void>;
}

/** What became of a command that was to be moved to the background. */
export type MovedCommand =
  | {
      /** It goes on as a background job, and its call returns at once. */
      readonly type: "moved";
      /** Id of the call. */
      readonly callId: string;
    }
  | {
      readonly type: "refused";
      /** Why, for a person. */
      readonly reason: string;
    };

/** A command that runs in the foreground: its call waits for it. */
export interface ForegroundCommand {
  /** Id of the call. */
  readonly callId: string;
  /** The command. */
  readonly command: string;
}

/** How often a job whose shell has ended is checked for remaining processes. */
const LOOK_MS = 250;

const made = new WeakMap<Job, ShellJob>();

/** Returns the same object for the same job. */
export function shellJob(job: Job, shells: Shells): ShellJob {
  const known = made.get(job);
  if (known !== undefined) return known;
  let ended: Promise<EndedJob> | undefined;
  const created: ShellJob = {
    id: job.id,
    kind: "command",
    description: job.command,
    get state() {
      return isRunning(job) ? "running" : "ended";
    },
    get ended() {
      ended ??= untilEnded(job).then(() => endedJob(job));
      return ended;
    },
    output: () => allOutput(job),
    stop: async () => void (await shells.kill(job)),
  };
  made.set(job, created);
  return created;
}

/** Processes that the shell left running are not our children, so nothing reports their end. */
async function untilEnded(job: Job): Promise<void> {
  await job.run.ended;
  while (isRunning(job)) await pause(LOOK_MS, undefined, { ref: false });
}
