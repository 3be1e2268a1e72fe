/** The background jobs of a shell as tasks that other tools can read and stop. */

import type { BackgroundTask, BackgroundTasks } from "@runahead/base";
import { readJob } from "./background-output.ts";
import { type Shells } from "./shells.ts";
import { type Job, isRunning, stateOf, untilEnded } from "./job.ts";

export function backgroundTasks(shells: Shells): BackgroundTasks {
  return {
    list: () => shells.jobs.list().map((job) => taskOf(job, shells)),
    reach: (find) => (shells.otherTask = find),
    onEnded: (listener) => shells.jobs.onEnded((job) => listener(taskOf(job, shells))),
  };
}

function taskOf(job: Job, shells: Shells): BackgroundTask {
  return {
    id: job.id,
    kind: "command",
    description: job.command,
    get isRunning() {
      return isRunning(job);
    },
    get state() {
      return stateOf(job);
    },
    get ended() {
      return untilEnded(job);
    },
    read: async () => (await readJob(job, { bash_id: job.id }, shells)).text,
    stop: async () => {
      const wasRunning = await shells.kill(job);
      return wasRunning ? `Stopped ${job.id}: ${job.command}` : `${job.id} had already ended: ${job.command}`;
    },
  };
}
