/** A worker that runs agents: takes sessions that need one, and looks in the store for those that nobody runs. */

import { randomUUID } from "node:crypto";
import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { AgentEvent, DueSession } from "@runahead/agent";
import { cleanUpOutputs } from "@runahead/agent/internal";
import {
  type Check,
  aFunction,
  aPositiveNumber,
  aString,
  anObject,
  anything,
  checkOptions,
  messageOf,
  required,
} from "@runahead/base";
import { LiveReport } from "../run/live.ts";
import { type RunEnd, runSession } from "../run/session-run.ts";
import type { MakeAgent } from "../run/setup.ts";
import { type AgentQueue, type QueueParts, partsOf } from "./agent-queue.ts";
import { type Taken, type Taking, keyOf, soon } from "./dispatcher.ts";
import { Reports } from "./reports.ts";

/** Options of {@link startAgentWorker}. */
export interface AgentWorkerOptions {
  /** The queue whose sessions it runs, of all tenants. */
  readonly queue: AgentQueue;
  /** Returns the agent's model, tools and other options for a session. */
  readonly agent: MakeAgent;
  /** The maximum number of sessions that it runs at a time. Default: 8. */
  readonly concurrency?: number;
  /** The maximum number of sessions of a tenant that run at a time, on all workers together. Default: no limit. */
  readonly tenantLimit?: number | ((tenant: string) => number);
  /** The working directory of new sessions. Default: that of the process. */
  readonly cwd?: string;
  /** How often it looks for sessions that nobody runs, in milliseconds. Default: 1,000. */
  readonly sweepMs?: number;
  /** Receives every event of every session that it runs. */
  readonly onEvent?: (session: WorkerSession, event: AgentEvent) => void;
  /** Receives the end of every run. */
  readonly onRunEnded?: (session: WorkerSession, end: RunEnd) => void;
  /** Receives problems that do not stop the work. */
  readonly onNotice?: (message: string) => void;
}

/** Names a session that a worker runs. */
export interface WorkerSession {
  /** Its tenant. */
  readonly tenant: string;
  /** Its id. */
  readonly id: string;
}

/** A worker that runs in this process. */
export interface AgentWorker {
  /** The sessions that it runs now. */
  readonly running: readonly WorkerSession[];
  /**
   * Takes no new sessions. Those that it runs go on until the end of their current turn; other workers continue them.
   * Resolves when all have ended.
   */
  drain(): Promise<void>;
}

const OPTIONS: Readonly<Record<keyof AgentWorkerOptions, Check>> = {
  queue: required(anObject),
  agent: required(aFunction),
  concurrency: aPositiveNumber,
  tenantLimit: anything,
  cwd: aString,
  sweepMs: aPositiveNumber,
  onEvent: aFunction,
  onRunEnded: aFunction,
  onNotice: aFunction,
};
const SWEEP_MS = 1_000;
/** How many sessions a look reads per page, and how many pages. The next look continues after the last one. */
const PAGE = 500;
const PAGES = 4;
/** How long a session is left alone that only a newer worker can run. */
const TOO_NEW_MS = 30_000;
/** The same for a session that could not be run, such as because the store is away: longer after each failure. */
const FIRST_FAILED_MS = 1_000;
const LONGEST_FAILED_MS = 5_000;
const MOST_LEFT = 10_000;
/** How often a run looks for what ended sessions left in a folder. */
const CLEAN_UP_MS = 600_000;
const MOST_FOLDERS = 1_000;
/** How often the inbox of a running session is read even if no mail was announced. */
const LOOK_MS = 5_000;

/**
 * Starts a worker that runs the sessions of a queue. Start as many as you like, on any machine that reaches the store and
 * the Redis server. If one dies, another continues its sessions when their leases have expired.
 *
 * Throws a TypeError for invalid options.
 *
 * @example
 * ```ts
 * import { fileStore, scripted } from "@runahead/agent";
 * import { createAgentQueue, startAgentWorker } from "@runahead/fleet";
 *
 * const queue = createAgentQueue({ store: fileStore({ home: "/tmp/agent-worker" }) });
 * const worker = await startAgentWorker({ queue, agent: () => ({ model: scripted([]), tools: [] }) });
 * await worker.drain();
 * await queue.close();
 * ```
 */
export async function startAgentWorker(options: AgentWorkerOptions): Promise<AgentWorker> {
  checkOptions(options, OPTIONS, "startAgentWorker");
  const worker = new Worker(options, partsOf(options.queue));
  await worker.start();
  return worker;
}

class Worker implements AgentWorker {
  readonly #options: AgentWorkerOptions;
  readonly #parts: QueueParts;
  readonly #handOver = new AbortController();
  readonly #running = new Map<string, WorkerSession>();
  readonly #listeners = new Map<string, Set<(mail?: string) => void>>();
  /** Sessions that are left alone for a while. */
  readonly #left = new Map<string, { readonly until: number; readonly forMs: number }>();
  /** Sessions that were reported, because only a newer version can run them. */
  readonly #tooNew = new Set<string>();
  readonly #reports = new Reports();
  readonly #live = new Map<string, LiveReport>();
  /** Sessions for which another wake-up came while they ran. */
  readonly #skipped = new Set<string>();
  #cwd = "";
  /** By folder: when a run looked for what ended sessions left. */
  readonly #cleanedUp = new Map<string, number>();
  /** Where the next look for sessions begins; undefined: at the beginning. */
  #sweptTo: DueSession | undefined;
  #taking: Taking | undefined;
  #stopMail: () => void = () => {};
  #sweeping: Promise<void> = Promise.resolve();
  #drained: Promise<void> | undefined;

  constructor(options: AgentWorkerOptions, parts: QueueParts) {
    this.#options = options;
    this.#parts = parts;
  }

  get running(): readonly WorkerSession[] {
    return [...this.#running.values()];
  }

  async start(): Promise<void> {
    const { concurrency = 8, tenantLimit = Number.POSITIVE_INFINITY, cwd = process.cwd() } = this.#options;
    this.#cwd = await realpath(cwd).catch(() => resolve(cwd));
    const { dispatcher } = this.#parts;
    this.#stopMail = dispatcher.onMail((session) => {
      const key = keyOf(session);
      if (session.mail === undefined) this.#live.get(key)?.showAll();
      else for (const listener of this.#listeners.get(key) ?? []) listener(session.mail);
    });
    this.#taking = await dispatcher.take({
      concurrency,
      tenantLimit: typeof tenantLimit === "function" ? tenantLimit : () => tenantLimit,
      run: (session) => this.#run(session),
      onNotice: (message) => this.#notice(message),
    });
    this.#sweeping = this.#sweep();
    void cleanUpOutputs().catch(() => {});
  }

  drain(): Promise<void> {
    this.#drained ??= this.#drain();
    return this.#drained;
  }

  async #drain(): Promise<void> {
    this.#handOver.abort();
    await this.#taking?.stop();
    this.#stopMail();
    await soon(this.#sweeping);
  }

  async #run({ tenant, id, wasLost = false }: Taken): Promise<void> {
    const session = { tenant, id };
    const key = keyOf(session);
    // The job of a message that the running session takes anyway.
    if (this.#running.has(key)) return void this.#skipped.add(key);
    if (this.#isLeft(key)) return;
    this.#running.set(key, session);
    try {
      const end = await this.#runSession(session, wasLost);
      this.#left.delete(key);
      this.#options.onRunEnded?.(session, end);
      await this.#wakeAfter(session, end);
    } catch (error) {
      const { forMs = 0 } = this.#left.get(key) ?? {};
      this.#leave(key, Math.min(LONGEST_FAILED_MS, Math.max(FIRST_FAILED_MS, forMs * 2)));
      const why = messageOf(error).replace(/\.$/, "");
      if (this.#reports.isDue(why))
        this.#notice(`Session ${id} was not run: ${why}. It will be tried again.`);
    } finally {
      this.#running.delete(key);
    }
    // Mail that came while the session was closed, and whose own wake-up was skipped above.
    if (this.#skipped.delete(key)) await this.#lookAgain(session);
  }

  async #runSession(session: WorkerSession, wasLost: boolean): Promise<RunEnd> {
    const { agent, onEvent } = this.#options;
    const { store, dispatcher } = this.#parts;
    const key = keyOf(session);
    const live = new LiveReport(randomUUID(), (notice) => dispatcher.publish(session, notice));
    this.#live.set(key, live);
    return runSession({
      store: store.forTenant(session.tenant),
      live,
      id: session.id,
      agent,
      cwd: this.#cwd,
      wasLost,
      handOver: this.#handOver.signal,
      cleansUp: (folder) => this.#cleansUp(folder),
      onMail: (listener) => this.#listen(key, listener),
      onNotice: (message) => this.#notice(message),
      onEvent: (event) => onEvent?.(session, event),
    }).finally(() => {
      this.#live.delete(key);
      live.close();
    });
  }

  #cleansUp(folder: string): boolean {
    const now = performance.now();
    if (now - (this.#cleanedUp.get(folder) ?? Number.NEGATIVE_INFINITY) < CLEAN_UP_MS) return false;
    if (this.#cleanedUp.size >= MOST_FOLDERS) this.#cleanedUp.clear();
    this.#cleanedUp.set(folder, now);
    return true;
  }

  async #lookAgain(session: WorkerSession): Promise<void> {
    if (this.#handOver.signal.aborted) return;
    const inbox = await this.#parts.store
      .forTenant(session.tenant)
      .inbox(session.id)
      .catch(() => []);
    const [first] = inbox;
    if (first !== undefined)
      await soon(this.#parts.dispatcher.wake({ ...session, token: `again-${first.id}` }));
  }

  async #wakeAfter(session: WorkerSession, end: RunEnd): Promise<void> {
    const { dispatcher } = this.#parts;
    const delayMs = end.type === "later" ? Math.max(0, end.at - Date.now()) : 0;
    if (end.type === "later") await soon(dispatcher.wake({ ...session, token: `at-${end.at}`, delayMs }));
    if (end.type === "too-new") this.#leaveForNewer(session);
    if (end.type === "handed-over") await soon(dispatcher.wake({ ...session, token: `from-${Date.now()}` }));
  }

  /** Newer workers find it in the store. */
  #leaveForNewer({ tenant, id }: WorkerSession): void {
    const key = keyOf({ tenant, id });
    if (!this.#tooNew.has(key))
      this.#notice(
        `Session ${id} of tenant ${tenant} was written by a newer version of Runahead. ` +
          "It is left for a worker of that version. Update this worker.",
      );
    if (this.#tooNew.size >= MOST_LEFT) this.#tooNew.clear();
    this.#tooNew.add(key);
    this.#leave(key, TOO_NEW_MS);
  }

  /** Does not look at the session again for a while. */
  #leave(key: string, forMs: number): void {
    if (this.#left.size >= MOST_LEFT) this.#left.clear();
    this.#left.set(key, { until: performance.now() + forMs, forMs });
  }

  #isLeft(key: string): boolean {
    return performance.now() < (this.#left.get(key)?.until ?? 0);
  }

  #listen(key: string, listener: (mail?: string) => void): () => void {
    const listeners = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, listeners.add(listener));
    const timer = setInterval(() => listener(), LOOK_MS);
    timer.unref();
    return () => {
      clearInterval(timer);
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(key);
    };
  }

  /** Finds sessions whose worker died, whose wake-up was lost, or whose time has come. */
  async #sweep(): Promise<void> {
    const { sweepMs = SWEEP_MS } = this.#options;
    const { signal } = this.#handOver;
    while (!signal.aborted) {
      await this.#sweepOnce().catch((error: unknown) => {
        const why = messageOf(error);
        if (!signal.aborted && this.#reports.isDue(why)) this.#notice(`Cannot look for sessions: ${why}`);
      });
      // Workers that were started together do not look at the same moment.
      await pause(sweepMs * (0.75 + Math.random() / 2), undefined, { signal, ref: false }).catch(() => {});
    }
  }

  async #sweepOnce(): Promise<void> {
    const { store, dispatcher } = this.#parts;
    // A little less, so that one worker alone looks every time.
    if (!(await dispatcher.looks((this.#options.sweepMs ?? SWEEP_MS) / 2))) return;
    for (let page = 0; page < PAGES && !this.#handOver.signal.aborted; page++) {
      const due = await store.due(PAGE, this.#sweptTo);
      await this.#wakeLost(due);
      this.#sweptTo = due.length < PAGE ? undefined : due.at(-1);
      if (this.#sweptTo === undefined) return;
    }
  }

  async #wakeLost(due: readonly DueSession[]): Promise<void> {
    const { dispatcher } = this.#parts;
    const lost = await dispatcher.lost(
      due.filter((one) => !this.#running.has(keyOf(one)) && !this.#isLeft(keyOf(one))),
    );
    // The job of an earlier attempt can exist although its worker died, so each attempt has a token of its own.
    const now = Date.now().toString(36);
    await Promise.all(
      lost.map(({ tenant, id, fence }) =>
        dispatcher.wake({ tenant, id, token: `after-${fence}-${now}`, wasLost: true }),
      ),
    );
  }

  #notice(message: string): void {
    this.#options.onNotice?.(message);
  }
}
