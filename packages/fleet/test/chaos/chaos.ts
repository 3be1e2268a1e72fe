/** Runs many sessions on real workers, Redis and Postgres while all of them fail at random, then checks every line. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type AgentQueue, createAgentQueue } from "@runahead/fleet";
import { postgres } from "@runahead/postgres";
import { bundled } from "../../../postgres/test/support/bundle.ts";
import { type PostgresServer, postgresServer } from "../../../postgres/test/support/postgres-server.ts";
import { type StallingProxy, stallingProxy } from "../../../workers/test/support/proxy.ts";
import { type RedisServer, redisServer } from "../../../workers/test/support/redis-server.ts";
import { type Findings, checkWritten } from "./check.ts";
import { Crew } from "./crew.ts";

export interface ChaosOptions {
  readonly seed: number;
  readonly sessions: number;
  readonly turns: number;
  /** Processes that run agents. */
  readonly workers: number;
  /** Processes that run the calls of the agents. 0: the agent workers run them. */
  readonly toolWorkers: number;
  /** How many faults are injected. */
  readonly faults: number;
  readonly leaseMs: number;
  /** How long a process is stopped at most. */
  readonly stopMs: number;
  /** How late questions are answered at most. */
  readonly lateMs: number;
  /** The longest time that a call takes before and after it writes. */
  readonly slowMs: number;
}

export interface ChaosReport extends Findings {
  readonly faults: Readonly<Record<string, number>>;
  /** How many questions were answered. */
  readonly answers: number;
  /** How long it took from the last fault until all sessions had ended. */
  readonly settledMs: number;
  /** When each step was done. */
  readonly seconds: Readonly<Record<string, number>>;
}

export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const chaos = await Chaos.prepare(options);
  try {
    return await chaos.run();
  } finally {
    await chaos.close();
  }
}

/** Mulberry32. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Servers {
  readonly folder: string;
  readonly scripts: readonly [agents: string, tools: string];
  readonly redis: RedisServer;
  readonly database: PostgresServer;
  readonly toRedis: StallingProxy;
  readonly toDatabase: StallingProxy;
}

const OPEN = `SELECT id, status, mail, fence, length, lease_until FROM runahead.sessions
  WHERE NOT (status = 'idle' AND mail = 0 AND lease_until IS NULL AND length > 0)`;
/** Sessions that do not move for this long are reported instead of waited for. */
const STUCK_MS = 150_000;
const LOOK_MS = 250;
const SENDERS = 16;

class Chaos {
  readonly #options: ChaosOptions;
  readonly #servers: Servers;
  readonly #random: () => number;
  readonly #agents: Crew;
  readonly #tools: Crew;
  readonly #faults: Record<string, number> = {
    "kill agents": 0,
    "kill tools": 0,
    "stop agents": 0,
    "stop tools": 0,
    "drain agents": 0,
    "drain tools": 0,
    "cut redis": 0,
    "cut database": 0,
    "lose replies": 0,
    "restart redis": 0,
    "restart database": 0,
  };
  readonly #seconds: Record<string, number> = {};
  readonly #begunAt = performance.now();
  #isOver = false;
  #lastFault = 0;
  #answers = 0;

  constructor(options: ChaosOptions, servers: Servers) {
    this.#options = options;
    this.#servers = servers;
    this.#random = random(options.seed);
    const { turns, leaseMs, slowMs, workers, toolWorkers } = options;
    const { scripts, toRedis, toDatabase } = servers;
    const database = `postgres://postgres@127.0.0.1:${new URL(toDatabase.url).port}/postgres`;
    const place = toolWorkers === 0 ? "here" : "there";
    const args = [database, toRedis.url, this.#file, ...[turns, leaseMs, slowMs].map(String), place];
    this.#agents = new Crew({ script: scripts[0], size: workers, args });
    const toolArgs = [toRedis.url, this.#file, String(slowMs)];
    this.#tools = new Crew({ script: scripts[1], size: toolWorkers, args: toolArgs });
  }

  static async prepare(options: ChaosOptions): Promise<Chaos> {
    const folder = await mkdtemp(join(tmpdir(), "fleet-chaos-"));
    const change = { name: `chaos-${options.seed}-`, setup: () => {} };
    const scripts = [
      await bundled(new URL("worker-child.ts", import.meta.url), change),
      await bundled(new URL("tool-child.ts", import.meta.url), change),
    ] as const;
    const [redis, database] = [await redisServer(), await postgresServer()];
    const [toRedis, toDatabase] = [await stallingProxy(redis.port), await stallingProxy(database.port)];
    return new Chaos(options, { folder, scripts, redis, database, toRedis, toDatabase });
  }

  async run(): Promise<ChaosReport> {
    const { redis, database } = this.#servers;
    const store = postgres(database.url, { patienceMs: 60_000 });
    const queue = createAgentQueue({ store, connection: redis.url });
    try {
      this.#mark("prepared");
      await Promise.all([this.#agents.begin(), this.#tools.begin()]);
      this.#mark("begun");
      const others = Promise.all([this.#answerQuestions(queue), this.#fail()]);
      await this.#sendAll(queue);
      this.#mark("sent");
      const stuck = await this.#untilDone();
      this.#mark("done");
      this.#isOver = true;
      await others;
      const settledMs = Math.round(performance.now() - this.#lastFault);
      // Those that were stopped try to write now; what they were doing belongs to others.
      for (const crew of [this.#agents, this.#tools]) await crew.allAwake();
      await Promise.all([this.#agents.drain(), this.#tools.drain()]);
      this.#mark("drained");
      const written = { database, file: this.#file, ids: this.#ids, turns: this.#options.turns };
      const { problems, ...found } = await checkWritten(written);
      this.#mark("checked");
      const shared = { faults: this.#faults, answers: this.#answers, settledMs, seconds: this.#seconds };
      return { problems: [...stuck, ...problems], ...found, ...shared };
    } finally {
      this.#isOver = true;
      await queue.close();
      await store.close();
    }
  }

  async close(): Promise<void> {
    this.#agents.close();
    this.#tools.close();
    const { folder, scripts, redis, database, toRedis, toDatabase } = this.#servers;
    for (const one of [toRedis, toDatabase]) await one.close();
    await redis.close();
    await database.close();
    for (const path of [folder, ...scripts]) await rm(path, { recursive: true, force: true });
  }

  #mark(step: string): void {
    this.#seconds[step] = Math.round((performance.now() - this.#begunAt) / 1_000);
  }

  get #ids(): string[] {
    return Array.from({ length: this.#options.sessions }, (_, index) => `s${index}`);
  }

  get #file(): string {
    return join(this.#servers.folder, "lines.txt");
  }

  /** Several at a time, so that the faults meet sessions at work. */
  async #sendAll(queue: AgentQueue): Promise<void> {
    const ids = this.#ids.values();
    const sending = async (): Promise<void> => {
      for (const id of ids) await queue.start(id, `Write ${this.#options.turns} lines.`);
    };
    await Promise.all(Array.from({ length: SENDERS }, sending));
  }

  async #fail(): Promise<void> {
    const { faults, toolWorkers } = this.#options;
    const kinds = Object.keys(this.#faults).filter((kind) => toolWorkers > 0 || !kind.endsWith("tools"));
    for (let count = 0; count < faults && !this.#isOver; count++) {
      await pause(50 + this.#random() * 400);
      const kind = kinds[Math.floor(this.#random() * kinds.length)] ?? "kill agents";
      if (await this.#fault(kind)) this.#faults[kind] = (this.#faults[kind] ?? 0) + 1;
      this.#lastFault = performance.now();
    }
  }

  async #fault(kind: string): Promise<boolean> {
    const { redis, database, toRedis, toDatabase } = this.#servers;
    const { leaseMs, stopMs } = this.#options;
    const [pick, share] = [this.#random(), this.#random()];
    const crew = kind.endsWith("tools") ? this.#tools : this.#agents;
    // Longer than the lease, so that another worker takes over; the stopped one then wakes up and tries to write.
    const forMs = leaseMs * 1.2 + share * Math.max(0, stopMs - leaseMs * 1.2);
    switch (kind.replace(/ (?:agents|tools)$/, "")) {
      case "kill":
        return crew.replace(pick, "SIGKILL");
      case "drain":
        return crew.replace(pick, "SIGTERM");
      case "stop":
        // The first one is stopped for the whole time.
        return crew.stop(pick, this.#faults[kind] === 0 ? stopMs : forMs);
      case "cut redis":
        toRedis.heal();
        return true;
      case "cut database":
        toDatabase.heal();
        return true;
      case "lose replies":
        // What the workers ask is done, and they do not learn about it.
        toDatabase.deafen();
        await pause(300);
        toDatabase.heal();
        return true;
      case "restart redis":
        await redis.kill();
        await redis.start();
        return true;
      default:
        await database.crash();
        await database.start();
        return true;
    }
  }

  /** Answers every question late, and once more with the opposite: the first answer counts. */
  async #answerQuestions(queue: AgentQueue): Promise<void> {
    const { database } = this.#servers;
    const begun = new Map<string, Promise<unknown>>();
    const waiting = "SELECT id FROM runahead.sessions WHERE status = 'waiting'";
    while (!this.#isOver) {
      for (const row of await database.query(waiting).catch(() => [])) {
        const id = String(row["id"]);
        const again = (): boolean => begun.delete(id);
        if (!begun.has(id)) begun.set(id, this.#answerLate(queue, id).then(again, again));
      }
      await pause(LOOK_MS);
    }
    await Promise.all(begun.values());
  }

  async #answerLate(queue: AgentQueue, id: string): Promise<void> {
    await pause(this.#random() * this.#options.lateMs);
    for (const { id: question } of await queue.questions(id)) {
      await queue.answer(id, question, { behavior: "allow" });
      await queue.answer(id, question, { behavior: "deny" });
      this.#answers++;
    }
  }

  /** Resolves with the sessions that are stuck, if nothing has moved for a long time. */
  async #untilDone(): Promise<string[]> {
    const { database } = this.#servers;
    let before = "";
    let movedAt = performance.now();
    for (;;) {
      const open = await database.query(OPEN).catch(() => undefined);
      if (open?.length === 0) return [];
      const now = JSON.stringify(open);
      if (now !== before) movedAt = performance.now();
      before = now;
      if (performance.now() - movedAt > STUCK_MS)
        return (open ?? []).map((one) => `stuck: ${JSON.stringify(one)}`);
      await pause(LOOK_MS);
    }
  }
}
