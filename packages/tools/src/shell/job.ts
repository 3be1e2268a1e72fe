/** A command that runs, and a background job. */

import { setTimeout as pause } from "node:timers/promises";
import type { Confinement } from "@runahead/permissions";
import type { Run } from "./process-run.ts";

/** Where a command runs: as usual, or in the read-only sandbox with these files hidden. */
export interface CommandPlan {
  readonly cwd: string;
  readonly callId: string;
  readonly confinement: Confinement | undefined;
}

/** Whether shell commands that only read can run in the read-only sandbox. `unknown`: not tried yet. */
export type ReadConfinement =
  | { readonly type: "unknown" }
  | { readonly type: "ready" }
  | {
      readonly type: "unavailable";
      /** Why, for a person. */
      readonly why: string;
    };

export interface Job {
  readonly id: string;
  readonly command: string;
  readonly run: Run;
  /** How much BashOutput has already shown. */
  shownBytes: number;
  wasKilled: boolean;
  /** Whether the model knows that it ended. */
  isEndKnown: boolean;
}

/** How often a job whose shell has ended is checked for remaining processes. */
const LOOK_MS = 250;

/** A job also counts as running while processes that its shell started are running. */
export function isRunning({ run }: Job): boolean {
  if (run.ending === undefined) return true;
  return run.left.length > 0 && run.tree.members().length > 0;
}

/** The state of a job, as a background task has it. */
export function stateOf(job: Job): string {
  const { ending } = job.run;
  if (job.wasKilled) return "stopped";
  if (ending === undefined || isRunning(job)) return "running";
  if (job.run.limitReached !== undefined) return "failed";
  return ending.type === "exited" && ending.code === 0 ? "ended" : "failed";
}

/** Processes that the shell left running are not our children, so nothing reports their end. */
export async function untilEnded(job: Job): Promise<void> {
  await job.run.ended;
  while (isRunning(job)) await pause(LOOK_MS, undefined, { ref: false });
}
