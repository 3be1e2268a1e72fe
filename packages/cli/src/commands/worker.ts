/** `runahead worker`: runs tool calls from agents on other machines. */

import { join } from "node:path";
import { readOnlyCommand, fileTools, reapOrphans, shellTools, runaheadHome } from "@runahead/harness";
import { cleanUpUnowned } from "@runahead/harness/internal";
import { type RunningWorker, startWorker } from "@runahead/workers";
import { UsageError } from "@runahead/harness";
import { EXIT } from "../shared/exit.ts";
import type { World } from "../shared/world.ts";

export interface WorkerFlags {
  readonly queue: string;
  /** Comma-separated tool names, in any case. */
  readonly tools: string;
  readonly concurrency?: string;
  readonly redis?: string;
  readonly release?: string;
}

/** Runs until a signal or `runahead workers --drain` ends the worker. */
export async function runWorker(world: World, flags: WorkerFlags): Promise<number> {
  const concurrency = numberOf(flags.concurrency ?? "4");
  const { tools, close } = localTools(world, flags.tools);
  try {
    const { release = "", queue } = flags;
    const connection = serverOf(world, flags.redis);
    const onNotice = (message: string): void => world.complain(message);
    const worker = await started({ tools, connection, queue, concurrency, release, onNotice });
    const names = tools.map(({ name }) => name).join(", ");
    world.print(
      `Worker ${worker.id} takes calls from the queue ${queue}: ${names}, ${concurrency} at a time.`,
    );
    await untilEnded(worker, world);
    world.print(`Worker ${worker.id} stopped.`);
    return EXIT.done;
  } finally {
    await close();
  }
}

/** Returns the URL of Redis. Put passwords into the variable: every user of the machine can see the options. */
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

/** The first signal drains the worker, the second stops it. */
async function untilEnded(worker: RunningWorker, world: World): Promise<void> {
  let isDraining = false;
  const onSignal = (): void => {
    if (isDraining) return void worker.stop();
    isDraining = true;
    world.complain("Finishing the running calls. Send the signal again to stop them.");
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
      `--tools: unknown tool ${word.trim()}. Available: ${all.map(({ name }) => name).join(", ")}`,
    );
  });
  // Stops processes that a killed worker left running on this machine.
  void reapOrphans(home).catch(() => {});
  void cleanUpUnowned(home).catch(() => {});
  return { tools, close: () => shell.close() };
}

function numberOf(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= 1_000) return number;
  throw new UsageError(`--concurrency must be a whole number from 1 to 1000, not ${text}`);
}
