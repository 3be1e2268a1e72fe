/** A worker's heartbeat: renews its hold on calls, learns which calls were cancelled, and publishes its record. */

import { hostname } from "node:os";
import type { Callers } from "./callers.ts";
import type { Link } from "./connection.ts";
import type { Leases } from "./leases.ts";
import { LIMITS } from "./limits.ts";
import type { WorkerRecord } from "./message.ts";
import type { Names } from "./names.ts";
import type { Durations } from "./percentiles.ts";
import type { TakenCall } from "./take.ts";

export interface BeatPorts {
  readonly worker: string;
  readonly link: Link;
  readonly names: Names;
  readonly running: ReadonlyMap<string, TakenCall>;
  readonly callers: Callers;
  readonly leases: Leases;
  readonly waited: Durations;
  readonly ran: Durations;
  readonly concurrency: number;
  readonly versions: Readonly<Record<string, string>>;
  readonly ended: () => number;
  readonly isDraining: () => boolean;
  /** Called when someone asked the worker to drain. */
  readonly drain: () => void;
  readonly onNotice: (message: string) => void;
}

export class Beat {
  readonly #ports: BeatPorts;
  readonly #startedAt = Date.now();
  #timer: NodeJS.Timeout | undefined;
  #isUnderway = false;
  #lastAt = performance.now();
  #isCutOff = false;

  constructor(ports: BeatPorts) {
    this.#ports = ports;
  }

  async start(): Promise<void> {
    await this.#beat();
    this.#timer = setInterval(() => this.#tick(), LIMITS.beatMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    if (!this.#isUnderway) void this.#beatOnce();
    const silentMs = performance.now() - this.#lastAt;
    if (silentMs < LIMITS.cutOffMs || this.#isCutOff) return;
    this.#isCutOff = true;
    this.#ports.onNotice(
      `No connection to the Redis server for ${LIMITS.cutOffMs / 1_000} s: stopping the running calls.`,
    );
    for (const call of this.#ports.running.values())
      call.stop("the worker lost the connection to the server");
  }

  async #beatOnce(): Promise<void> {
    this.#isUnderway = true;
    // The next beat tries again.
    await this.#beat().catch(() => {});
    this.#isUnderway = false;
  }

  async #beat(): Promise<void> {
    const { leases, callers } = this.#ports;
    const calls = [...this.#ports.running.values()];
    await this.#show();
    await this.#hold(calls);
    await this.#askForCallers(calls);
    callers.forgetOld();
    await leases.renew();
    this.#lastAt = performance.now();
    this.#isCutOff = false;
  }

  async #show(): Promise<void> {
    const { link, names, worker, isDraining, drain } = this.#ports;
    const shown = await link.redis
      .pipeline()
      .set(names.record(worker), JSON.stringify(this.#record()), "PX", LIMITS.recordMs)
      .zadd(names.workers, Date.now(), worker)
      .exists(names.drain(worker))
      .exec();
    if (shown?.[2]?.[1] === 1 && !isDraining()) drain();
  }

  async #hold(calls: readonly TakenCall[]): Promise<void> {
    if (calls.length === 0) return;
    const { link, names, worker } = this.#ports;
    const commands = link.redis.pipeline();
    for (const { job } of calls)
      commands.set(names.holding(job), worker, "PX", LIMITS.holdMs).exists(names.stop(job));
    const answers = (await commands.exec()) ?? [];
    for (const [at, call] of calls.entries())
      if (answers[2 * at + 1]?.[1] === 1) call.stop("the caller stopped it");
  }

  async #askForCallers(calls: readonly TakenCall[]): Promise<void> {
    const ids = [...new Set(calls.map(({ call }) => call.caller))];
    if (ids.length === 0) return;
    const { link, names, callers } = this.#ports;
    const commands = link.redis.pipeline();
    for (const id of ids) commands.exists(names.caller(id));
    const answers = (await commands.exec()) ?? [];
    // On an error, the caller counts as alive.
    const gone = new Set(ids.filter((id, at) => callers.found(id, answers[at]?.[1] !== 0)));
    for (const call of calls) if (gone.has(call.call.caller)) call.stop("its caller no longer exists");
  }

  #record(): WorkerRecord {
    const { worker, concurrency, versions, leases, running, ended, waited, ran, isDraining } = this.#ports;
    return {
      id: worker,
      host: hostname(),
      pid: process.pid,
      state: isDraining() ? "draining" : "working",
      startedAt: this.#startedAt,
      concurrency,
      tools: versions,
      workspaces: leases.workspaces,
      running: [...running.values()].map(({ job, call, since }) => ({
        job,
        tool: call.tool,
        forMs: Math.round(performance.now() - since),
      })),
      ended: ended(),
      waitedMs: waited.summary(),
      ranMs: ran.summary(),
    };
  }
}
