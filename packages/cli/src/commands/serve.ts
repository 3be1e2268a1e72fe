/** `runahead serve`: agents over HTTP. One process with files by default; several with Redis and Postgres. */

import {
  type AgentQueue,
  type AgentServer,
  type AgentWorker,
  NotResponding,
  createAgentQueue,
  createFleetMetrics,
  serveAgents,
  startAgentWorker,
} from "@runahead/fleet";
import { type SessionStore, UsageError } from "@runahead/harness";
import { EXIT } from "../shared/exit.ts";
import { wordsOf } from "../shared/failure.ts";
import type { World } from "../shared/world.ts";
import { type AgentFlags, agentOf, checkAgents, logLine, serverSpans } from "./serve-agent.ts";
import { storeOf } from "./serve-store.ts";
import { tokensOf } from "./serve-tokens.ts";

export interface ServeFlags extends AgentFlags {
  readonly host: string;
  readonly port: string;
  readonly healthPort?: string;
  readonly tokens?: string;
  readonly store?: string;
  readonly results?: string;
  readonly redis?: string;
  readonly queue: string;
  readonly role: string;
  readonly concurrency: string;
  readonly tenantLimit?: string;
  readonly allowHost?: readonly string[];
  readonly allowOrigin?: readonly string[];
}

const ROLES = ["all", "server", "worker"];
const LOOPBACK_NAMES = ["127.0.0.1", "localhost", "[::1]"];
/** How long the process is left to end by itself. */
const EXIT_MS = 2_000;

/** Runs until a signal ends it. */
export async function runServe(world: World, flags: ServeFlags): Promise<number> {
  checkRole(world, flags);
  limitsOf(flags);
  const store = await storeOf(world, flags);
  const queue = queueOf(world, flags, store);
  const metrics = createFleetMetrics();
  const started: { server?: AgentServer; worker?: AgentWorker } = {};
  let isEndedBySignal = false;
  try {
    if (flags.role !== "server") await checkAgents(world, flags);
    await checkQueue(world, queue);
    if (flags.role !== "worker" || flags.healthPort !== undefined)
      started.server = await startServer(world, flags, { queue, metrics });
    if (flags.role !== "server") started.worker = await startWorker(world, flags, { queue, metrics });
    if (flags.role === "worker") world.print(`Running agents of the queue ${flags.queue}.`);
    isEndedBySignal = await untilSignal(world);
    logLine(world, "info", ENDING[flags.role] ?? "");
    return EXIT.done;
  } finally {
    // A server takes no further prompts. A worker is alive until it has finished.
    if (flags.role !== "worker") await started.server?.close();
    await started.worker?.drain();
    await started.server?.close();
    await queue.close();
    await store.close();
    // BullMQ keeps timers if it is closed while Redis is away, and the process would not end.
    if (isEndedBySignal) setTimeout(() => process.exit(), EXIT_MS).unref();
  }
}

/** By role: what the process still does after a signal. */
const ENDING: Readonly<Record<string, string>> = {
  all: "Finishing the current turns. The sessions continue on another worker, or after the next start.",
  server: "Closing the open connections.",
  worker: "Finishing the current turns. Other workers continue the sessions.",
};

/** A store and a server that cannot be reached can be started later; whatever else they refuse is a mistake in the flags. */
async function checkQueue(world: World, queue: AgentQueue): Promise<void> {
  try {
    await queue.ready();
  } catch (error) {
    if (!(error instanceof NotResponding)) throw new UsageError(wordsOf(error));
    logLine(world, "warn", `${error.message} Sessions wait until it does.`);
  }
}

interface Parts {
  readonly queue: AgentQueue;
  readonly metrics: ReturnType<typeof createFleetMetrics>;
}

async function startServer(world: World, flags: ServeFlags, { queue, metrics }: Parts): Promise<AgentServer> {
  const { host, healthPort } = flags;
  const [port, flag] = healthPort === undefined ? [flags.port, "--port"] : [healthPort, "--health-port"];
  const { tokens, shown } = await tokensOf(world, flags);
  const { allowHost, allowOrigin } = flags;
  const telemetry = await serverSpans();
  const number = numberOf(port, flag, 0, 65_535);
  const server = await usage(`${flag} ${host}:${number}`, () =>
    serveAgents({
      queue,
      metrics,
      tokens,
      host,
      port: number,
      ...(telemetry === undefined ? {} : { telemetry }),
      paths: healthPort === undefined ? "all" : "operating",
      ...(allowHost === undefined ? {} : { allowedHosts: [host, ...LOOPBACK_NAMES, ...allowHost] }),
      ...(allowOrigin === undefined ? {} : { allowedOrigins: allowOrigin }),
      log: ({ level, message, time: _now, ...more }) => logLine(world, level, message, more),
    }),
  );
  world.print(
    healthPort === undefined
      ? `Serving agents at ${server.url} (see ${server.url}/openapi.json).`
      : `Serving health and metrics at ${server.url}.`,
  );
  if (shown !== undefined) world.print(`Token: ${shown}`);
  return server;
}

/** How much a worker runs at a time. */
function limitsOf({ concurrency, tenantLimit }: ServeFlags) {
  return {
    concurrency: numberOf(concurrency, "--concurrency", 1, 1_000),
    ...(tenantLimit === undefined
      ? {}
      : { tenantLimit: numberOf(tenantLimit, "--tenant-limit", 1, 100_000) }),
  };
}

function startWorker(world: World, flags: ServeFlags, { queue, metrics }: Parts): Promise<AgentWorker> {
  return startAgentWorker({
    queue,
    agent: (facts) => agentOf(world, flags, facts),
    cwd: world.cwd,
    ...limitsOf(flags),
    onEvent: metrics.onEvent,
    onRunEnded: metrics.onRunEnded,
    onNotice: (message) => logLine(world, "warn", message),
  });
}

function queueOf(world: World, { redis, queue: name }: ServeFlags, store: SessionStore): AgentQueue {
  if (redis !== undefined && !(/^rediss?:\/\//.test(redis) && URL.canParse(redis)))
    throw new UsageError(`--redis must be an address such as redis://127.0.0.1:6379`);
  try {
    const onNotice = (message: string): void => logLine(world, "warn", message);
    return createAgentQueue({ store, name, onNotice, ...(redis === undefined ? {} : { connection: redis }) });
  } catch (error) {
    throw new UsageError(wordsOf(error));
  }
}

function checkRole({ env }: World, { role, redis, store, healthPort }: ServeFlags): void {
  if (!ROLES.includes(role)) throw new UsageError(`--role must be ${ROLES.join(", ")}, not ${role}`);
  if (role !== "worker" && healthPort !== undefined)
    throw new UsageError(`--health-port is for --role worker: a server has health and metrics on --port`);
  if (role !== "all" && redis === undefined)
    throw new UsageError(`--role ${role} needs --redis: a process alone both serves and runs agents`);
  if (role !== "all" && (store ?? env["RUNAHEAD_STORE"] ?? "") === "")
    throw new UsageError(
      `--role ${role} needs --store or RUNAHEAD_STORE: servers and workers need the same database`,
    );
}

function numberOf(text: string, flag: string, least: number, most: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  throw new UsageError(`${flag} must be a whole number from ${least} to ${most}, not ${text}`);
}

async function usage<Value>(place: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") throw new UsageError(`${place} is in use by another process`);
    if (code === "EADDRNOTAVAIL") throw new UsageError(`${place} is not an address of this machine`);
    throw new UsageError(wordsOf(error));
  }
}

/** Resolves with false if the program that runs this one ended it. */
async function untilSignal({ input }: World): Promise<boolean> {
  return new Promise<boolean>((end) => {
    const stop = (isSignal: boolean): void => {
      for (const name of SIGNALS) process.off(name, onSignal);
      end(isSignal);
    };
    const onSignal = (): void => stop(true);
    const onAbort = (): void => stop(false);
    for (const name of SIGNALS) process.on(name, onSignal);
    input?.signal.addEventListener("abort", onAbort);
    if (input?.signal.aborted === true) onAbort();
  });
}

const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
