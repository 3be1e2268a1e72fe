/** `runahead serve`: agents over HTTP. One process with files by default; several with Redis and Postgres. */

import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import {
  type AgentQueue,
  type AgentRunFacts,
  type AgentServer,
  type AgentWorker,
  type ServeLog,
  type ServeToken,
  createAgentQueue,
  createFleetMetrics,
  serveAgents,
  startAgentWorker,
} from "@runahead/fleet";
import { type SessionStore, UsageError, codingAgent, fileStore, runaheadHome } from "@runahead/harness";
import { EXIT } from "../shared/exit.ts";
import type { World } from "../shared/world.ts";

export interface ServeFlags {
  readonly host: string;
  readonly port: string;
  readonly healthPort?: string;
  readonly tokens?: string;
  readonly store?: string;
  readonly redis?: string;
  readonly queue: string;
  readonly role: string;
  readonly concurrency: string;
  readonly tenantLimit?: string;
  readonly allowHost?: readonly string[];
  readonly allowOrigin?: readonly string[];
  readonly model?: string;
  readonly permissionMode?: string;
  readonly settings?: string;
  readonly trust?: boolean;
}

const ROLES = ["all", "server", "worker"];
const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|localhost|::1)$/;
const LOOPBACK_NAMES = ["127.0.0.1", "localhost", "[::1]"];
const POSTGRES = "@runahead/postgres";
/** How long the process is left to end by itself. */
const EXIT_MS = 2_000;

/** Runs until a signal ends it. */
export async function runServe(world: World, flags: ServeFlags): Promise<number> {
  checkRole(flags);
  const store = await storeOf(world, flags);
  const queue = queueOf(store, flags);
  const metrics = createFleetMetrics();
  const started: { server?: AgentServer; worker?: AgentWorker } = {};
  let isEndedBySignal = false;
  try {
    if (flags.role !== "server") started.worker = await startWorker(world, flags, { queue, metrics });
    if (flags.role !== "worker" || flags.healthPort !== undefined)
      started.server = await startServer(world, flags, { queue, metrics });
    if (flags.role === "worker") world.print(`Running agents of the queue ${flags.queue}.`);
    isEndedBySignal = await untilSignal(world);
    const message = "Finishing the current turns. Other workers continue the sessions.";
    logLine(world, { time: new Date().toISOString(), level: "info", message });
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

interface Parts {
  readonly queue: AgentQueue;
  readonly metrics: ReturnType<typeof createFleetMetrics>;
}

async function startServer(world: World, flags: ServeFlags, { queue, metrics }: Parts): Promise<AgentServer> {
  const { host, healthPort } = flags;
  const [port, flag] = healthPort === undefined ? [flags.port, "--port"] : [healthPort, "--health-port"];
  const { tokens, shown } = await tokensOf(world, flags);
  const { allowHost, allowOrigin } = flags;
  const server = await usage(() =>
    serveAgents({
      queue,
      metrics,
      tokens,
      host,
      port: numberOf(port, flag, 0, 65_535),
      paths: healthPort === undefined ? "all" : "operating",
      ...(allowHost === undefined ? {} : { allowedHosts: [host, ...LOOPBACK_NAMES, ...allowHost] }),
      ...(allowOrigin === undefined ? {} : { allowedOrigins: allowOrigin }),
      log: (line) => logLine(world, line),
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

function startWorker(world: World, flags: ServeFlags, { queue, metrics }: Parts): Promise<AgentWorker> {
  const { tenantLimit, concurrency } = flags;
  return startAgentWorker({
    queue,
    agent: (facts) => agentOf(world, flags, facts),
    cwd: world.cwd,
    concurrency: numberOf(concurrency, "--concurrency", 1, 1_000),
    ...(tenantLimit === undefined
      ? {}
      : { tenantLimit: numberOf(tenantLimit, "--tenant-limit", 1, 100_000) }),
    onEvent: metrics.onEvent,
    onRunEnded: metrics.onRunEnded,
    onNotice: (message) => logLine(world, { time: new Date().toISOString(), level: "warn", message }),
  });
}

async function agentOf(world: World, flags: ServeFlags, { session, createAgent }: AgentRunFacts) {
  const { model, permissionMode, settings, trust } = flags;
  const { cwd, home, env } = world;
  const made = await codingAgent({
    cwd,
    home,
    env,
    session,
    createAgent,
    ...(model === undefined ? {} : { model }),
    ...(permissionMode === undefined ? {} : { permissionMode }),
    ...(settings === undefined ? {} : { settings }),
    ...(trust === undefined ? {} : { trust }),
    onNotice: (message) =>
      logLine(world, { time: new Date().toISOString(), level: "warn", message, session: session.id }),
    // The run asks through the journal, and this is never called; but the agent must know that someone can be asked.
    askPerson: async () => ({ type: "no", message: "nobody was asked" }),
  });
  return { agent: made.agent, onClosed: () => made.close() };
}

function logLine(world: World, line: ServeLog): void {
  world.complain(JSON.stringify(line));
}

async function storeOf(world: World, { store }: ServeFlags): Promise<SessionStore> {
  const url = store ?? world.env["RUNAHEAD_STORE"] ?? "";
  if (url === "") return fileStore({ home: runaheadHome(world), cwd: world.cwd });
  if (!/^postgres(?:ql)?:\/\//.test(url))
    throw new UsageError("--store must be a URL that starts with postgres://");
  try {
    // Not a dependency: most users need no database.
    const { postgres } = (await import(POSTGRES)) as { postgres: (url: string) => SessionStore };
    return postgres(url);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new UsageError(`--store needs the package ${POSTGRES}. Run: npm install -g ${POSTGRES}`);
  }
}

function queueOf(store: SessionStore, { redis, queue: name }: ServeFlags): AgentQueue {
  try {
    return createAgentQueue({ store, name, ...(redis === undefined ? {} : { connection: redis }) });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function checkRole({ role, redis, healthPort }: ServeFlags): void {
  if (!ROLES.includes(role)) throw new UsageError(`--role must be ${ROLES.join(", ")}, not ${role}`);
  if (role !== "worker" && healthPort !== undefined)
    throw new UsageError(`--health-port is for --role worker: a server has health and metrics on --port`);
  if (role !== "all" && redis === undefined)
    throw new UsageError(`--role ${role} needs --redis: a process alone both serves and runs agents`);
}

/** A server that other machines can reach needs tokens that its operator chose. */
async function tokensOf(
  world: World,
  { tokens: file, host }: ServeFlags,
): Promise<{ tokens: readonly ServeToken[]; shown?: string }> {
  if (file !== undefined) return { tokens: await tokensIn(resolve(world.cwd, file)) };
  const scopes = ["read", "write", "answer", "metrics"] as const;
  const given = world.env["RUNAHEAD_SERVE_TOKEN"] ?? "";
  if (given !== "") return { tokens: [{ token: given, scopes }] };
  if (!LOOPBACK.test(host))
    throw new UsageError(
      `--host ${host} can be reached from other machines: give --tokens or set RUNAHEAD_SERVE_TOKEN`,
    );
  const token = randomBytes(24).toString("base64url");
  return { tokens: [{ token, scopes }], shown: token };
}

async function tokensIn(path: string): Promise<readonly ServeToken[]> {
  try {
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
    if (Array.isArray(value)) return value as ServeToken[];
  } catch (error) {
    throw new UsageError(`cannot read --tokens ${path}: ${(error as Error).message}`);
  }
  throw new UsageError(
    `--tokens ${path} must contain an array: [{ "sha256": "…", "tenant": "…", "scopes": […] }]`,
  );
}

function numberOf(text: string, flag: string, least: number, most: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  throw new UsageError(`${flag} must be a whole number from ${least} to ${most}, not ${text}`);
}

async function usage<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
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
