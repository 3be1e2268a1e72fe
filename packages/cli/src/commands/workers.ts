/** `runahead workers`: shows the workers of a queue, what they run, and how long calls wait. */

import { type Fleet, type WorkerRecord, drainWorker, fleet } from "@runahead/workers";
import { UsageError } from "@runahead/harness";
import { EXIT } from "../shared/exit.ts";
import type { World } from "../shared/world.ts";
import { asJson } from "./load.ts";
import { serverOf } from "./worker.ts";

export interface WorkersFlags {
  readonly queue: string;
  readonly redis?: string;
  /** The id of a worker. */
  readonly drain?: string;
  readonly json?: boolean;
}

export async function showWorkers(world: World, flags: WorkersFlags): Promise<number> {
  const { queue, drain, json } = flags;
  const place = { connection: serverOf(world, flags.redis), queue };
  if (drain !== undefined) return drained(world, place, drain);
  const found = await asked(() => fleet(place));
  world.print(json === true ? asJson(found) : inWords(found));
  return EXIT.done;
}

async function drained(world: World, place: Parameters<typeof fleet>[0], worker: string): Promise<number> {
  if (!(await asked(() => drainWorker(place, worker))))
    throw new UsageError(
      `no worker ${worker} on the queue ${place.queue}. Run \`runahead workers --queue ${place.queue}\` to list the workers.`,
    );
  world.print(`Worker ${worker} is draining: it finishes its running calls and exits.`);
  return EXIT.done;
}

/** Reports an unreachable server or an invalid name without a stack trace. */
async function asked<Value>(ask: () => Promise<Value>): Promise<Value> {
  try {
    return await ask();
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function inWords({ queue, waiting, workers }: Fleet): string {
  const running = workers.reduce((sum, worker) => sum + worker.running.length, 0);
  const head = `Queue ${queue}: ${count(workers.length, "worker")}, ${count(running, "call")} running, ${waiting} waiting.`;
  return [head, ...workers.map(workerInWords)].join("\n");
}

function workerInWords(worker: WorkerRecord): string {
  const { id, host, pid, state, concurrency, running, ended, waitedMs, ranMs, workspaces, tools } = worker;
  const lines = [
    `${id}  ${host}:${pid}  ${state}  ${running.length} of ${concurrency}  ${ended} ended`,
    `    tools      ${Object.keys(tools).join(", ")}`,
  ];
  if (ended > 0) {
    lines.push(`    waited     p50 ${milliseconds(waitedMs.p50)}, p99 ${milliseconds(waitedMs.p99)}`);
    lines.push(`    ran        p50 ${milliseconds(ranMs.p50)}, p99 ${milliseconds(ranMs.p99)}`);
  }
  if (workspaces.length > 0) lines.push(`    workspaces ${workspaces.join(", ")}`);
  for (const { tool, forMs, job } of running)
    lines.push(`    running    ${tool} for ${milliseconds(forMs)} (${job})`);
  return lines.join("\n");
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;

const milliseconds = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`);
