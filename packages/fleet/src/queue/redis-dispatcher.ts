/** The dispatcher of a fleet: wake-ups are jobs of BullMQ, announcements are messages of Redis. */

import { randomBytes } from "node:crypto";
import { DelayedError, type Job, Queue, Worker } from "bullmq";
import type { Redis, RedisOptions } from "ioredis";
import { type RedisConnection, connectRedis } from "../redis-connection.ts";
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

const PREFIX = "runahead-agents";
/** How long the mark of a wake-up is kept. It says when a session was woken or taken last, and by which job. */
const MARK_MS = 3_600_000;
/** How long a wake-up takes at most from its mark to its job, and from its job to the lease. */
const MOVING_MS = 3_000;
/** How long the mark of a session is kept that was taken. */
const TAKEN_MS = 10_000;
/** How long a worker that stops waits for Redis after its last session. */
const STOP_MS = 5_000;
/** How long a session counts for the limit of its tenant without renewal. */
const SLOT_MS = 20_000;
const OVER_LIMIT_MS = 200;
const QUEUE_EVENTS = 100;

/**
 * Returns the positions of the marks whose wake-up is gone, and marks them anew. A job that a worker took and did not finish
 * counts as gone: if its worker lives, the session is leased. So does a job that waits for a later time, because the store says
 * that the time has come: the clock of the worker that added it was wrong. BullMQ stores that time, times 4096, as the score.
 */
const LOST = redisScript(`
local now = tonumber(redis.call('TIME')[1])
local lost = {}
for at = 3, #KEYS do
  local since, job = string.match(redis.call('GET', KEYS[at]) or '', '^(%d+) (.*)$')
  local isKnown = since and (now - tonumber(since) <= tonumber(ARGV[1])
    or redis.call('ZSCORE', KEYS[1], job)
    or tonumber(redis.call('ZSCORE', KEYS[2], job) or 'inf') / 4096000 <= now + tonumber(ARGV[1]))
  if not isKnown then
    redis.call('SET', KEYS[at], now .. ' ', 'PX', ARGV[2])
    lost[#lost + 1] = at - 3
  end
end
return lost`);

/** Takes a slot of a tenant. Returns 0 if its limit is reached. The clocks of workers can differ, so that of Redis counts. */
const SLOT = redisScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, now)
local has = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not has and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[3]), ARGV[1])
redis.call('PEXPIRE', KEYS[1], 3600000)
return 1`);

export class RedisDispatcher implements Dispatcher {
  readonly #redis: Redis;
  readonly #connection: RedisConnection;
  readonly #name: string;
  readonly #queue: Queue;
  readonly #order: FairOrder;
  readonly #listeners = new Set<(notice: MailNotice) => void>();
  readonly #readers = new Map<string, Set<(notice: LiveNotice) => void>>();
  #subscriber: Redis | undefined;
  readonly #open: Redis[] = [];

  constructor(connection: RedisConnection, name: string) {
    this.#connection = connection;
    this.#name = name;
    // What is sent at the same moment is one write.
    this.#redis = this.#connect({ enableAutoPipelining: true });
    this.#queue = new Queue(name, {
      connection: this.#connect(),
      prefix: PREFIX,
      streams: { events: { maxLen: QUEUE_EVENTS } },
      skipVersionCheck: true,
    });
    this.#queue.on("error", () => {});
    const { prioritized = "", delayed = "" } = this.#queue.keys;
    const base = `${PREFIX}:${name}`;
    const shared = { time: `${base}/time`, tenants: `${base}/tenants`, restarts: `${base}/restarts` };
    this.#order = new FairOrder(
      this.#redis,
      { ...shared, prioritized, delayed, jobs: this.#queue.toKey("") },
      TAKEN_MS,
    );
  }

  async wake({ tenant, id, token, delayMs = 0 }: WakeUp): Promise<void> {
    const { mark } = this.#keys({ tenant, id });
    const session = { tenant, id } satisfies Taken;
    const jobId = `${keyOf(session)}.${token}`;
    const marked = { mark, markMs: MARK_MS + delayMs, isDelayed: delayMs > 0 };
    const rank = await this.#order.rank({ tenant, job: jobId, ...marked });
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
    const key = `${PREFIX}:${this.#name}/look`;
    return (await this.#redis.set(key, "1", "PX", Math.ceil(withinMs), "NX")) === "OK";
  }

  async lost<Session extends Taken>(sessions: readonly Session[]): Promise<readonly Session[]> {
    if (sessions.length === 0) return [];
    const { prioritized = "", delayed = "" } = this.#queue.keys;
    const keys = [prioritized, delayed, ...sessions.map((one) => this.#keys(one).mark)];
    const found = await runScript(this.#redis, LOST, { keys, values: [MOVING_MS / 1_000, TAKEN_MS] });
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
    const worker = new Worker(this.#name, (job: Job, token) => this.#run(job, token, { ...options, run }), {
      connection: this.#connect(),
      prefix: PREFIX,
      concurrency,
      // A session whose worker died is found in the store, by its lease.
      maxStalledCount: 0,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
      skipVersionCheck: true,
    });
    worker.on("error", (error) => onNotice(`The queue reports: ${error.message}`));
    return { stop: () => stopped(worker, running) };
  }

  async load(): Promise<Load> {
    const counts = await this.#queue.getJobCounts("waiting", "prioritized", "active");
    const { waiting = 0, prioritized = 0, active = 0 } = counts;
    return { waiting: waiting + prioritized, running: active };
  }

  async close(): Promise<void> {
    // BullMQ can wait forever if it is closed while it reconnects.
    await soon(this.#queue.close());
    for (const redis of this.#open) redis.disconnect();
  }

  async #run(job: Job, token: string | undefined, { run, tenantLimit }: TakeOptions): Promise<void> {
    const session = job.data as Taken;
    const { mark, slots } = this.#keys(session);
    const member = `${keyOf(session)}.${randomBytes(6).toString("hex")}`;
    let hasSlot = false;
    const takeSlot = async (): Promise<boolean> => {
      const limit = tenantLimit(session.tenant);
      if (limit === Number.POSITIVE_INFINITY) return true;
      hasSlot = true;
      const input = { keys: [slots], values: [member, limit, SLOT_MS] };
      return Number(await runScript(this.#redis, SLOT, input)) === 1;
    };
    if (!(await takeSlot())) {
      await job.moveToDelayed(Date.now() + OVER_LIMIT_MS, token);
      throw new DelayedError();
    }
    this.#order.taken(job.priority, mark);
    const renewal = setInterval(() => void takeSlot().catch(() => {}), SLOT_MS / 4);
    try {
      await run(session);
    } finally {
      clearInterval(renewal);
      if (hasSlot) await this.#redis.zrem(slots, member).catch(() => {});
    }
  }

  #liveChannel(session: Taken): string {
    return `${PREFIX}:${this.#name}/live:${keyOf(session)}`;
  }

  get #channel(): string {
    return `${PREFIX}:${this.#name}/mail`;
  }

  #keys(session: Taken) {
    const base = `${PREFIX}:${this.#name}`;
    return {
      mark: `${base}/woken:${keyOf(session)}`,
      slots: `${base}/slots:${session.tenant}`,
    };
  }

  #subscribe(): Redis {
    if (this.#subscriber !== undefined) return this.#subscriber;
    const subscriber = (this.#subscriber = this.#connect());
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
