/** A worker: takes calls off a queue and runs them with the tools that it has registered. */
import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { type Job, Worker } from "bullmq";
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
} from "@runahead/base";
import { Beat } from "./beat.ts";
import { Callers } from "./callers.ts";
import { type Connection, Link, aConnection, addressOf, within } from "./connection.ts";
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
  /** The name of the queue: that of the callers. */
  readonly queue: string;
  /** How many calls run at once, 1 to 1,000. Default: 4. */
  readonly concurrency?: number;
  /**
   * A word for what is deployed, which must equal that of the callers. Use it if equal schemas do not mean equal
   * tools. Default: empty.
   */
  readonly release?: string;
  /** Validates the input of tools that have a plain JSON Schema. Required for those. */
  readonly validateJsonSchema?: ValidateJsonSchema;
  /** Returns the folder in which a call works. Default: the folder that the caller names. */
  readonly folder?: TakePorts["folder"];
  /** Larger outputs are not sent. Default: 64 MB. */
  readonly maxOutputBytes?: number;
  /** Receives problems that do not stop the work. */
  readonly onNotice?: (message: string) => void;
}

/** A worker that runs in this process. */
export interface RunningWorker {
  /** Its id in the fleet. */
  readonly id: string;
  /** Takes no more calls, finishes those that it has, and ends. */
  drain(): Promise<void>;
  /** Stops the calls that it has, and ends. */
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
 * Starts a worker: it takes calls off a queue and runs them with its tools. Resolves when it takes calls.
 *
 * Rejects with a TypeError or a RangeError for wrong options, and with an Error if the server cannot be reached.
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
    throw new RangeError(`concurrency must be 1 to ${LIMITS.maxConcurrency}, not ${concurrency}.`);
  const { release = "", validateJsonSchema, tools: given } = options;
  const tools = new WorkerTools({ tools: given, release, validateJsonSchema });
  const link = new Link(options.connection);
  if (!(await link.up(LIMITS.startMs))) {
    await link.close();
    throw new Error(`The server at ${addressOf(options.connection)} cannot be reached: ${link.problem}.`);
  }
  const fleetWorker = new FleetWorker({ ...options, queue, concurrency }, tools, link);
  const hasStarted = await within(
    2 * LIMITS.startMs,
    fleetWorker.start().then(() => true),
  );
  if (hasStarted === true) return fleetWorker;
  await fleetWorker.stop();
  throw new Error(`The server at ${addressOf(options.connection)} was lost: ${link.problem}.`);
}

type Settled = WorkerOptions & { readonly concurrency: number };

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
    for (const call of this.#running.values()) call.stop("the worker was told to stop");
    // Where the server is gone, the queue would wait for it.
    const limitMs = this.#link.upSince === undefined ? LIMITS.stopMs : STOP_LIMIT_MS;
    const isDone = await within(
      limitMs,
      drained.then(() => true),
    );
    if (isDone !== true) await this.#letGo();
  }

  async #close(): Promise<void> {
    // Others may have the workspaces from now on; what is running here goes on.
    await within(LIMITS.silenceMs, this.#leases.close()).catch(() => {});
    await Promise.all(this.#queues.map((queue) => queue.close())).catch(() => {});
    // Answers that are still on their way.
    while (this.#running.size > 0 && !this.#isLetGo) await pause(20);
    this.#beat.stop();
    const gone = this.#link.redis
      .pipeline()
      .del(this.#names.record(this.id), this.#names.drain(this.id))
      // The next worker that is started sweeps away what its queue has left.
      .zadd(this.#names.workers, 1, this.id)
      .exec();
    await within(LIMITS.silenceMs, gone).catch(() => {});
    await this.#letGo();
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

  /** The queue gives each call to one worker once: what it takes for stalled it only puts away. */
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
      .catch((error: unknown) => this.#notice(`A call could not be answered: ${messageOf(error)}.`))
      .finally(() => this.#forget(call));
    // A call that writes stays in the queue until its answer is safe. For the others it is enough that the answer is
    // ahead of its end on the same connection.
    await (call.call.reads ? call.hasSent : done);
  }

  #forget(call: TakenCall): void {
    this.#running.delete(call.job);
    this.#endedCalls++;
    this.#balance();
  }

  /** The two queues share the slots, so neither takes what only the other's calls would have to make room for. */
  #balance(): void {
    const calls = [...this.#running.values()];
    for (const queue of this.#queues) {
      const others = calls.filter((call) => call.queue !== queue.name).length;
      queue.concurrency = Math.max(1, this.#options.concurrency - others);
    }
  }

  #troubled(error: Error): void {
    // The queue's lock on a call was lost with the connection; we hold calls by our own beat.
    if (this.#link.upSince === undefined || /lock|Connection is closed|ECONN|Socket/i.test(error.message))
      return;
    this.#notice(`The queue ${this.#names.shared}: ${error.message}`);
  }
}
