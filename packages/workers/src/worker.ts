/** A worker: takes calls from a queue and runs them with its registered tools. */
import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { ErrorCode, type Job, Worker } from "bullmq";
import type { AnyTool, ValidateJsonSchema } from "@runahead/engine";
import {
  type Check,
  aFunction,
  aPositiveNumber,
  aString,
  anything,
  checkOptions,
  checkTools,
  required,
  messageOf,
  redisAddress,
} from "@runahead/base";
import { Beat } from "./beat.ts";
import { Callers } from "./callers.ts";
import { type Connection, Link, aConnection, within } from "./connection.ts";
import { Leases } from "./leases.ts";
import { LIMITS } from "./limits.ts";
import { type Names, PREFIX, checkName, namesOf } from "./names.ts";
import { Durations } from "./percentiles.ts";
import { Post } from "./post.ts";
import { checkServer, sweepOld } from "./server.ts";
import { Slots } from "./slots.ts";
import { StopLine } from "./stop-line.ts";
import { type TakePorts, TakenCall, readJob } from "./take.ts";
import { WorkerTools } from "./toolbox.ts";

/** Options of {@link startWorker}. */
export interface WorkerOptions {
  /** The tools that it runs. It runs nothing else. */
  readonly tools: readonly AnyTool[];
  /** The Redis server. */
  readonly connection: Connection;
  /** The name of the queue; the same as the callers'. */
  readonly queue: string;
  /** The maximum number of parallel calls, 1 to 1,000. Default: 4. */
  readonly concurrency?: number;
  /**
   * Identifies what is deployed, such as a commit; must equal the callers'. Use it if equal schemas do not mean equal
   * tools. Default: empty.
   */
  readonly release?: string;
  /** Validates the input of tools that have a plain JSON Schema. Required for those. */
  readonly validateJsonSchema?: ValidateJsonSchema;
  /** Returns the working directory of a call. Default: the caller's working directory. */
  readonly folder?: TakePorts["folder"];
  /** The maximum size of an output; larger ones are not sent. Default: 64 MB. */
  readonly maxOutputBytes?: number;
  /** Receives problems that do not stop the work. */
  readonly onNotice?: (message: string) => void;
}

/** A worker that runs in this process. */
export interface RunningWorker {
  /** Its id in the fleet. */
  readonly id: string;
  /** Takes no new calls, finishes the running ones, and ends. */
  drain(): Promise<void>;
  /** Stops the running calls and ends. */
  stop(): Promise<void>;
  /** Resolves when it has ended, for whatever reason. */
  readonly ended: Promise<void>;
}

const OPTIONS: Readonly<Record<keyof WorkerOptions, Check>> = {
  tools: (value) => checkTools(value, "startWorker"),
  connection: required(aConnection),
  queue: required(aString),
  concurrency: anything,
  release: aString,
  validateJsonSchema: aFunction,
  folder: aFunction,
  maxOutputBytes: aPositiveNumber,
  onNotice: aFunction,
};

/**
 * Starts a worker, which takes calls from a queue and runs them with its tools. Resolves when it is ready for calls.
 *
 * Rejects with a TypeError or a RangeError for invalid options, and with an Error if the server cannot be reached.
 *
 * @example
 * ```ts
 * import { defineTool } from "@runahead/engine";
 * import { startWorker } from "@runahead/workers";
 * import { z } from "zod";
 *
 * const build = defineTool({
 *   name: "Build",
 *   description: "Builds a target.",
 *   inputSchema: z.object({ target: z.string() }),
 *   call: ({ target }) => `built ${target}`,
 * });
 * const worker = await startWorker({ tools: [build], connection: "redis://127.0.0.1:6379", queue: "tools" });
 * process.once("SIGTERM", () => void worker.drain());
 * await worker.ended;
 * ```
 */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  checkOptions(options, OPTIONS, "startWorker");
  const queue = checkName(options.queue, "The name of a queue");
  const { concurrency = 4 } = options;
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > LIMITS.maxConcurrency)
    throw new RangeError(
      `startWorker: "concurrency" must be a whole number from 1 to ${LIMITS.maxConcurrency}, got ${concurrency}.`,
    );
  const { release = "", validateJsonSchema, tools: given } = options;
  const tools = new WorkerTools({ tools: given, release, validateJsonSchema });
  const link = new Link(options.connection);
  if (!(await link.up(LIMITS.startMs))) {
    await link.close();
    throw new Error(
      `Cannot connect to the Redis server at ${redisAddress(options.connection)}: ${link.problem}.`,
    );
  }
  const fleetWorker = new FleetWorker({ ...options, queue, concurrency }, tools, link);
  const hasStarted = await within(
    2 * LIMITS.startMs,
    fleetWorker.start().then(() => true),
  );
  if (hasStarted === true) return fleetWorker;
  await fleetWorker.stop();
  throw new Error(
    `Lost the connection to the Redis server at ${redisAddress(options.connection)}: ${link.problem}.`,
  );
}

type Settled = WorkerOptions & { readonly concurrency: number };

const LOOK_MS = 20;
const STOP_LIMIT_MS = 2 * LIMITS.stopMs + LIMITS.silenceMs;

class FleetWorker implements RunningWorker {
  readonly id = `w${randomBytes(6).toString("hex")}`;
  readonly ended: Promise<void>;
  readonly #options: Settled;
  readonly #link: Link;
  readonly #names: Names;
  readonly #running = new Map<string, TakenCall>();
  readonly #leases: Leases;
  readonly #stopLine: StopLine;
  readonly #ports: TakePorts;
  readonly #beat: Beat;
  readonly #notice: (message: string) => void;
  #queues: Worker[] = [];
  #endedCalls = 0;
  #isLetGo = false;
  #closing: Promise<void> | undefined;
  #hasEnded: () => void = () => {};

  constructor(options: Settled, tools: WorkerTools, link: Link) {
    this.#options = options;
    this.#link = link;
    this.#notice = options.onNotice ?? (() => {});
    const names = (this.#names = namesOf(options.queue));
    this.ended = new Promise((resolve) => (this.#hasEnded = resolve));
    this.#leases = new Leases(link.redis, names, this.id);
    const stop = (job: string): void => this.#running.get(job)?.stop("the caller stopped it");
    this.#stopLine = new StopLine(options.connection, names, stop);
    this.#ports = this.#portsOf(tools);
    const { callers, waited, ran } = this.#ports;
    const { concurrency } = options;
    this.#beat = new Beat({
      worker: this.id,
      link,
      names,
      running: this.#running,
      callers,
      leases: this.#leases,
      waited,
      ran,
      concurrency,
      versions: tools.versions(),
      onNotice: this.#notice,
      ended: () => this.#endedCalls,
      isDraining: () => this.#closing !== undefined,
      drain: () => void this.drain(),
    });
  }

  async start(): Promise<void> {
    await checkServer(this.#link, this.#notice);
    await this.#beat.start();
    this.#stopLine.open();
    this.#queues = [this.#serve(this.#names.shared), this.#serve(this.#names.ownOf(this.id))];
    await Promise.all(this.#queues.map((queue) => queue.waitUntilReady()));
    void sweepOld(this.#link, this.#names).catch(() => {});
  }

  drain(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async stop(): Promise<void> {
    const drained = this.drain();
    for (const call of this.#running.values()) call.stop("the worker was stopped");
    // Without the server, closing the queue would hang.
    const limitMs = this.#link.upSince === undefined ? LIMITS.stopMs : STOP_LIMIT_MS;
    const isDone = await within(
      limitMs,
      drained.then(() => true),
    );
    if (isDone !== true) await this.#letGo();
  }

  async #close(): Promise<void> {
    // From now on others can take the workspaces; running calls continue here.
    await within(LIMITS.silenceMs, this.#leases.close()).catch(() => {});
    await this.#closeQueues();
    // Wait for answers that are still being delivered.
    while (this.#running.size > 0 && !this.#isLetGo) await pause(LOOK_MS);
    this.#beat.stop();
    const gone = this.#link.redis
      .pipeline()
      .del(this.#names.record(this.id), this.#names.drain(this.id))
      // The next worker that starts removes the rest of this queue.
      .zadd(this.#names.workers, 1, this.id)
      .exec();
    await within(LIMITS.silenceMs, gone).catch(() => {});
    await this.#letGo();
  }

  /** BullMQ can wait forever if it is closed while it reconnects, so it has a limit once nothing runs and the server is there. */
  async #closeQueues(): Promise<void> {
    const closed = Promise.all(this.#queues.map((queue) => queue.close())).catch(() => {});
    const isClosed = closed.then(() => true);
    const isBusy = (): boolean => this.#running.size > 0 || this.#link.upSince === undefined;
    while (isBusy() && !this.#isLetGo && (await within(LOOK_MS, isClosed)) !== true);
    await within(LIMITS.silenceMs, closed);
  }

  async #letGo(): Promise<void> {
    this.#isLetGo = true;
    this.#beat.stop();
    const left = this.#queues.map((queue) => queue.getBackend().disconnect());
    await within(LIMITS.beatMs, Promise.all(left)).catch(() => {});
    await this.#stopLine.close();
    await this.#link.close();
    this.#hasEnded();
  }

  #portsOf(tools: WorkerTools): TakePorts {
    const { maxOutputBytes: outputBytes = LIMITS.outputBytes, concurrency, folder } = this.#options;
    const link = this.#link;
    const names = this.#names;
    return {
      worker: this.id,
      link,
      names,
      tools,
      leases: this.#leases,
      slots: new Slots(concurrency),
      callers: new Callers(link, names),
      post: new Post({ link, names, outputBytes, onNotice: this.#notice }),
      waited: new Durations(),
      ran: new Durations(),
      folder: folder ?? (({ cwd }) => cwd),
      stopped: (job) => this.#stopLine.has(job),
    };
  }

  /** With `maxStalledCount: 0`, BullMQ never gives a call to a second worker. */
  #serve(name: string): Worker {
    const worker = new Worker(name, (job, token) => this.#take(job, token ?? ""), {
      connection: this.#link.redis,
      prefix: PREFIX,
      name: this.id,
      concurrency: this.#options.concurrency,
      maxStalledCount: 0,
      lockDuration: LIMITS.holdMs,
      stalledInterval: LIMITS.tidyMs,
      drainDelay: LIMITS.pollMs / 1_000,
      runRetryDelay: LIMITS.beatMs,
      removeOnComplete: { count: 0 },
      removeOnFail: { age: LIMITS.keepMs / 1_000, count: 10_000 },
    });
    worker.on("error", (error) => this.#troubled(error));
    return worker;
  }

  async #take(job: Job, token: string): Promise<void> {
    const call = new TakenCall(this.#ports, job, await readJob(this.#ports, job, token));
    this.#running.set(call.job, call);
    this.#balance();
    const done = call
      .finish()
      .catch((error: unknown) => this.#notice(`Cannot answer a call: ${messageOf(error)}.`))
      .finally(() => this.#forget(call));
    // A call that writes stays in the queue until its answer is delivered. For others it is enough that the answer
    // precedes the end of the job on the same connection.
    await (call.call.reads ? call.hasSent : done);
  }

  #forget(call: TakenCall): void {
    this.#running.delete(call.job);
    this.#endedCalls++;
    this.#balance();
  }

  /** The two queues share the slots, so each takes only as many calls as the other leaves free. */
  #balance(): void {
    const calls = [...this.#running.values()];
    for (const queue of this.#queues) {
      const others = calls.filter((call) => call.queue !== queue.name).length;
      queue.concurrency = Math.max(1, this.#options.concurrency - others);
    }
  }

  #troubled(error: Error): void {
    if (this.#link.upSince !== undefined && !isOfConnection(error))
      this.#notice(`Queue ${this.#names.shared}: ${error.message}`);
  }
}

/** BullMQ reports a lock that it could not renew, and ioredis a closed connection, with a plain Error. */
const WITHOUT_CODE = /^could not renew lock|^Connection is closed|^Socket timeout/;

/** BullMQ's codes for a lock that expired or that another worker holds. */
const LOST_LOCK: ReadonlySet<unknown> = new Set([ErrorCode.JobLockNotExist, ErrorCode.JobLockMismatch]);

/** Whether the connection was lost, or with it BullMQ's lock on a call. Our own heartbeat holds calls. */
function isOfConnection(error: Error): boolean {
  const { code } = error as { code?: unknown };
  if (LOST_LOCK.has(code)) return true;
  return (typeof code === "string" && code.startsWith("ECONN")) || WITHOUT_CODE.test(error.message);
}
