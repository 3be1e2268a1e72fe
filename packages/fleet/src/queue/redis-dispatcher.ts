/** The dispatcher of a fleet: wake-ups are jobs of BullMQ, announcements are messages of Redis. */

import { randomBytes } from "node:crypto";
import { type Job, Queue, Worker } from "bullmq";
import { type Redis, type RedisOptions, ReplyError } from "ioredis";
import { BLOCK_S, type RedisConnection, connectRedis, reportOutages } from "../redis-connection.ts";
import { redisScript, runScript } from "../redis-script.ts";
import {
  type Dispatcher,
  type LiveNotice,
  type Load,
  type MailNotice,
  type TakeOptions,
  type Taken,
  type Taking,
  type WakeUp,
  keyOf,
  soon,
} from "./dispatcher.ts";
import { FairOrder } from "./fair-order.ts";
import { Reports } from "./reports.ts";
import { type Aside, type SlotKeys, TenantSlots } from "./tenant-slots.ts";

const PREFIX = "runahead-agents";
/** How long the mark of a wake-up is kept. It says when a session was woken or taken last, and by which job. */
const MARK_MS = 3_600_000;
/** How long a wake-up takes at most from its mark to its job, and from its job to the lease. */
const MOVING_MS = 3_000;
/** How long the mark of a session is kept that was taken. */
const TAKEN_MS = 10_000;
/** How long a worker that stops waits for Redis after its last session. */
const STOP_MS = 5_000;
const QUEUE_EVENTS = 100;
/** How long a worker waits after an error of the server. */
const RETRY_MS = 1_000;
/** How often the connection that only listens is checked. Without that, it would not notice a network that lost it. */
const CHECK_MS = 5_000;

/**
 * Returns the positions of the sessions whose wake-up is gone, and marks them anew. A job that a worker took and did not finish
 * counts as gone: if its worker lives, the session is leased. So does a job that waits for a later time, because the store says
 * that the time has come: the clock of the worker that added it was wrong. BullMQ stores that time, times 4096, as the score.
 * A session that is aside is woken by one that has a slot, unless all of those are gone.
 */
const LOST = redisScript(`
local time = redis.call('TIME')
local now = tonumber(time[1])
local lost = {}
for at = 1, #ARGV - 2 do
  local mark, aside, slots = KEYS[at * 3], KEYS[at * 3 + 1], KEYS[at * 3 + 2]
  local since, job = string.match(redis.call('GET', mark) or '', '^(%d+) (.*)$')
  local isKnown = since and (now - tonumber(since) <= tonumber(ARGV[1])
    or redis.call('ZSCORE', KEYS[1], job)
    or tonumber(redis.call('ZSCORE', KEYS[2], job) or 'inf') / 4096000 <= now + tonumber(ARGV[1]))
  local isAside = redis.call('ZSCORE', aside, ARGV[at + 2])
    and redis.call('ZCOUNT', slots, now * 1000, '+inf') > 0
  if not isKnown and not isAside then
    redis.call('SET', mark, now .. ' ', 'PX', ARGV[2])
    lost[#lost + 1] = at - 1
  end
end
return lost`);

export interface RedisDispatcherOptions {
  readonly connection: RedisConnection;
  /** The name of the queue. */
  readonly name: string;
  /** Receives problems that do not stop the work. */
  readonly onNotice: (message: string) => void;
}

interface Waking extends WakeUp {
  readonly delayMs: number;
  /** The rank that an earlier wake-up of the session had. */
  readonly rank?: number;
}

export class RedisDispatcher implements Dispatcher {
  readonly #redis: Redis;
  readonly #connection: RedisConnection;
  readonly #name: string;
  readonly #queue: Queue;
  readonly #order: FairOrder;
  readonly #slots: TenantSlots;
  readonly #listeners = new Set<(notice: MailNotice) => void>();
  readonly #readers = new Map<string, Set<(notice: LiveNotice) => void>>();
  #subscriber: Redis | undefined;
  #checking: NodeJS.Timeout | undefined;
  readonly #open: Redis[] = [];

  constructor({ connection, name, onNotice }: RedisDispatcherOptions) {
    this.#connection = connection;
    this.#name = name;
    // What is sent at the same moment is one write.
    this.#redis = this.#connect({ enableAutoPipelining: true });
    reportOutages(this.#redis, connection, onNotice);
    this.#queue = new Queue(name, {
      connection: this.#connect(),
      prefix: PREFIX,
      streams: { events: { maxLen: QUEUE_EVENTS } },
      skipVersionCheck: true,
    });
    this.#queue.on("error", () => {});
    const { prioritized = "", delayed = "" } = this.#queue.keys;
    const base = this.#base;
    const shared = { time: `${base}/time`, tenants: `${base}/tenants`, restarts: `${base}/restarts` };
    this.#order = new FairOrder(
      this.#redis,
      { ...shared, prioritized, delayed, jobs: this.#queue.toKey("") },
      TAKEN_MS,
    );
    this.#slots = new TenantSlots({
      redis: this.#redis,
      keysOf: (tenant) => this.#slotKeys(tenant),
      wake: async (sessions) => {
        await Promise.all(sessions.map((one) => this.#wakeAside(one)));
      },
    });
  }

  wake({ delayMs = 0, ...wakeUp }: WakeUp): Promise<void> {
    return this.#wake({ ...wakeUp, delayMs });
  }

  /** It keeps its place in the order. Earlier wake-ups can still wait, but at a later place. */
  #wakeAside({ tenant, id, rank }: Aside): Promise<void> {
    return this.#wake({ tenant, id, token: `aside-${randomBytes(6).toString("hex")}`, delayMs: 0, rank });
  }

  async #wake({ token, delayMs, rank: kept, ...session }: Waking): Promise<void> {
    const { tenant } = session;
    const jobId = `${keyOf(session)}.${token}`;
    const marked = { mark: this.#markOf(session), markMs: MARK_MS + delayMs, isDelayed: delayMs > 0 };
    const rank = await this.#order.rank({
      tenant,
      job: jobId,
      ...marked,
      ...(kept === undefined ? {} : { kept }),
    });
    if (rank === undefined) return;
    const job = await this.#queue.add("run", session, {
      jobId,
      priority: rank.rank,
      delay: delayMs,
      removeOnComplete: true,
      removeOnFail: true,
    });
    const corrected = await this.#order.corrected(rank);
    if (corrected !== undefined) await job.changePriority({ priority: corrected });
  }

  async looks(withinMs: number): Promise<boolean> {
    const key = `${this.#base}/look`;
    return (await this.#redis.set(key, "1", "PX", Math.ceil(withinMs), "NX")) === "OK";
  }

  async lost<Session extends Taken>(sessions: readonly Session[]): Promise<readonly Session[]> {
    if (sessions.length === 0) return [];
    const { prioritized = "", delayed = "" } = this.#queue.keys;
    const places = sessions.flatMap((one) => {
      const { slots, aside } = this.#slotKeys(one.tenant);
      return [this.#markOf(one), aside, slots];
    });
    const found = await runScript(this.#redis, LOST, {
      keys: [prioritized, delayed, ...places],
      values: [MOVING_MS / 1_000, TAKEN_MS, ...sessions.map(({ id }) => id)],
    });
    const lost = new Set((found as unknown[]).map(Number));
    return sessions.filter((_one, index) => lost.has(index));
  }

  async announce(notice: MailNotice): Promise<void> {
    await this.#redis.publish(this.#channel, JSON.stringify(notice));
  }

  onMail(listener: (notice: MailNotice) => void): () => void {
    this.#listeners.add(listener);
    void this.#subscribe()
      .subscribe(this.#channel)
      .catch(() => {});
    return () => this.#listeners.delete(listener);
  }

  /** While Redis cannot be reached, notices are dropped instead of kept in memory. */
  async publish(session: Taken, notice: LiveNotice): Promise<number> {
    if (this.#redis.status !== "ready") return 0;
    return this.#redis.publish(this.#liveChannel(session), encoded(notice));
  }

  async subscribe(session: Taken, listener: (notice: LiveNotice) => void): Promise<() => void> {
    const channel = this.#liveChannel(session);
    const readers = this.#readers.get(channel) ?? new Set();
    this.#readers.set(channel, readers.add(listener));
    // All readers of a process wait for the same subscription, which is made again after a reconnect.
    await this.#subscribe().subscribe(channel);
    return () => {
      readers.delete(listener);
      if (readers.size > 0 || this.#readers.get(channel) !== readers) return;
      this.#readers.delete(channel);
      void this.#subscribe()
        .unsubscribe(channel)
        .catch(() => {});
    };
  }

  async take(options: TakeOptions): Promise<Taking> {
    const { concurrency, onNotice } = options;
    const running = new Set<Promise<void>>();
    const run = async (session: Taken): Promise<void> => {
      const done = options.run(session).finally(() => running.delete(done));
      running.add(done);
      await done;
    };
    const worker = new Worker(this.#name, (job: Job) => this.#run(job, { ...options, run }), {
      connection: this.#connect(),
      prefix: PREFIX,
      concurrency,
      drainDelay: BLOCK_S,
      runRetryDelay: RETRY_MS,
      // A session whose worker died is found in the store, by its lease.
      maxStalledCount: 0,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
      skipVersionCheck: true,
    });
    worker.on("error", reporting(onNotice));
    return { stop: () => stopped(worker, running) };
  }

  async load(): Promise<Load> {
    const [counts, limited] = await Promise.all([
      this.#queue.getJobCounts("waiting", "prioritized", "active"),
      this.#slots.aside(),
    ]);
    const { waiting = 0, prioritized = 0, active = 0 } = counts;
    return { waiting: waiting + prioritized, running: active, limited };
  }

  async close(): Promise<void> {
    clearInterval(this.#checking);
    // BullMQ can wait forever if it is closed while it reconnects.
    await soon(this.#queue.close());
    for (const redis of this.#open) redis.disconnect();
  }

  async #run(job: Job, { run, tenantLimit }: TakeOptions): Promise<void> {
    const session = job.data as Taken;
    const limit = tenantLimit(session.tenant);
    const free = await this.#slots.take({ ...session, rank: job.priority }, limit);
    if (free === undefined) return;
    this.#order.taken(job.priority, this.#markOf(session));
    try {
      await run(session);
    } finally {
      await free();
    }
  }

  #liveChannel(session: Taken): string {
    return `${this.#base}/live:${keyOf(session)}`;
  }

  get #channel(): string {
    return `${this.#base}/mail`;
  }

  get #base(): string {
    return `${PREFIX}:${this.#name}`;
  }

  #markOf(session: Taken): string {
    return `${this.#base}/woken:${keyOf(session)}`;
  }

  #slotKeys(tenant: string): SlotKeys {
    return {
      slots: `${this.#base}/slots:${tenant}`,
      aside: `${this.#base}/aside:${tenant}`,
      counts: `${this.#base}/aside-counts`,
    };
  }

  #subscribe(): Redis {
    if (this.#subscriber !== undefined) return this.#subscriber;
    const subscriber = (this.#subscriber = this.#connect());
    this.#checking = setInterval(() => void subscriber.ping().catch(() => {}), CHECK_MS);
    this.#checking.unref();
    subscriber.on("message", (channel, text) => {
      try {
        this.#hear(channel, text);
      } catch {
        // Someone else wrote to the channel; mail and entries are found in the store all the same.
      }
    });
    return subscriber;
  }

  #hear(channel: string, text: string): void {
    if (channel !== this.#channel) {
      const notice = decoded(text);
      for (const listener of this.#readers.get(channel) ?? []) listener(notice);
      return;
    }
    const notice = JSON.parse(text) as MailNotice;
    for (const listener of this.#listeners) listener(notice);
  }

  #connect(more: RedisOptions = {}): Redis {
    const redis = connectRedis(this.#connection, more);
    this.#open.push(redis);
    // BullMQ copies the connection of a worker, and does not close the copy while the server cannot be reached.
    const duplicate = redis.duplicate.bind(redis);
    redis.duplicate = (...options) => {
      const copy = duplicate(...options);
      this.#open.push(copy);
      return copy;
    };
    return redis;
  }
}

/** Reports what the server refuses. That it cannot be reached is reported elsewhere. */
function reporting(onNotice: (message: string) => void): (error: Error) => void {
  const reports = new Reports();
  return (error) => {
    if (error instanceof ReplyError && reports.isDue(error.message))
      onNotice(`The Redis server refuses a command: ${error.message}`);
  };
}

/** Takes no further jobs and waits for the running sessions, but not for Redis, which could be away for long. */
async function stopped(worker: Worker, running: ReadonlySet<Promise<void>>): Promise<void> {
  const closed = worker.close().catch(() => {});
  let timer: NodeJS.Timeout | undefined;
  const late = (async () => {
    while (running.size > 0) await Promise.allSettled(running);
    await new Promise<void>((resolve) => (timer = setTimeout(resolve, STOP_MS)));
  })();
  await Promise.race([closed, late]);
  clearTimeout(timer);
}

/** Lines are JSON already, so they are sent as they are. */
function encoded(notice: LiveNotice): string {
  if (notice.type !== "stored" || notice.lines === undefined) return JSON.stringify(notice);
  return `${notice.at} ${notice.end}\n${notice.lines.join("\n")}`;
}

function decoded(text: string): LiveNotice {
  if (text.startsWith("{")) return JSON.parse(text) as LiveNotice;
  const [places = "", ...lines] = text.split("\n");
  const [at = Number.NaN, end = Number.NaN] = places.split(" ").map(Number);
  if (!Number.isSafeInteger(at) || !Number.isSafeInteger(end)) throw new Error("not a notice");
  return { type: "stored", at, end, lines };
}
