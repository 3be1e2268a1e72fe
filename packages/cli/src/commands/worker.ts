/** `runahead worker`: runs the tools of other machines' agents here. */

import { join } from "node:path";
import { readOnlyCommand, fileTools, reapOrphans, shellTools, runaheadHome } from "@runahead/harness";
import { type RunningWorker, startWorker } from "@runahead/workers";
import { UsageError } from "@runahead/harness";
import { EXIT } from "../shared/exit.ts";
import type { World } from "../shared/world.ts";

export interface WorkerFlags {
  readonly queue: string;
  /** Names of tools with commas between them, in any case. */
  readonly tools: string;
  readonly concurrency?: string;
  readonly redis?: string;
  readonly release?: string;
}

/** Comes back when the worker has ended: told by a signal, or by `runahead workers --drain`. */
export async function runWorker(world: World, flags: WorkerFlags): Promise<number> {
  const concurrency = numberOf(flags.concurrency ?? "4");
  const { tools, close } = localTools(world, flags.tools);
  try {
    const { release = "", queue } = flags;
    const connection = serverOf(world, flags.redis);
    const onNotice = (message: string): void => world.complain(message);
    const worker = await started({ tools, connection, queue, concurrency, release, onNotice });
    const names = tools.map(({ name }) => name).join(", ");
    world.print(`Worker ${worker.id} takes calls of the queue ${queue}: ${names}, ${concurrency} at a time.`);
    await untilEnded(worker, world);
    world.print(`Worker ${worker.id} has ended.`);
    return EXIT.done;
  } finally {
    await close();
  }
}

/** Where the server is. A password belongs into the variable: options can be seen by everybody on the machine. */
export function serverOf({ env }: World, redis: string | undefined): string {
  return redis ?? (env["RUNAHEAD_REDIS"] || "redis://127.0.0.1:6379");
}

async function started(options: Parameters<typeof startWorker>[0]): Promise<RunningWorker> {
  try {
    return await startWorker(options);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** The first signal drains, the second stops. */
async function untilEnded(worker: RunningWorker, world: World): Promise<void> {
  let isDraining = false;
  const onSignal = (): void => {
    if (isDraining) return void worker.stop();
    isDraining = true;
    world.complain("Finishing what runs, and taking no more. Once more: stops it.");
    void worker.drain();
  };
  const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
  for (const name of signals) process.on(name, onSignal);
  await worker.ended;
  for (const name of signals) process.off(name, onSignal);
}

function localTools(world: World, wanted: string) {
  const { cwd, env } = world;
  const home = runaheadHome(world);
  const outputFolder = join(home, "output");
  const shell = shellTools({ root: cwd, home, env, isReadOnlyCommand: readOnlyCommand, outputFolder });
  const all = [...fileTools(), ...shell.tools];
  const tools = wanted.split(",").map((word) => {
    const found = all.find(({ name }) => name.toLowerCase() === word.trim().toLowerCase());
    if (found !== undefined) return found;
    throw new UsageError(
      `there is no tool ${word.trim()}; there are ${all.map(({ name }) => name).join(", ")}`,
    );
  });
  // What a worker that was killed has left running on this machine.
  void reapOrphans(home).catch(() => {});
  return { tools, close: () => shell.close() };
}

function numberOf(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= 1_000) return number;
  throw new UsageError(`--concurrency takes a number from 1 to 1000, not ${text}`);
}
