/** Runs many sessions on real workers, Redis and Postgres while all of them fail at random, then checks every line. */

import { type ChildProcess, fork } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { checkHistory } from "@runahead/engine/history";
import { type Message, sessions } from "@runahead/agent";
import { type AgentQueue, createAgentQueue } from "@runahead/fleet";
import { postgres } from "@runahead/postgres";
import { bundled } from "../../../postgres/test/support/bundle.ts";
import { type PostgresServer, postgresServer } from "../../../postgres/test/support/postgres-server.ts";
import { type StallingProxy, stallingProxy } from "../../../workers/test/support/proxy.ts";
import { type RedisServer, redisServer } from "../../../workers/test/support/redis-server.ts";

export interface ChaosOptions {
  readonly seed: number;
  readonly sessions: number;
  readonly turns: number;
  readonly workers: number;
  /** How many faults are injected. */
  readonly faults: number;
  readonly leaseMs: number;
  /** The longest time that a call takes before and after it writes. */
  readonly slowMs: number;
}

export interface ChaosReport {
  /** What is wrong; empty if every promise was kept. */
  readonly problems: readonly string[];
  readonly lines: number;
  readonly unknown: number;
  readonly faults: Readonly<Record<string, number>>;
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
  readonly script: string;
  readonly redis: RedisServer;
  readonly database: PostgresServer;
  readonly toRedis: StallingProxy;
  readonly toDatabase: StallingProxy;
}

const DONE = `SELECT count(DISTINCT key) AS done FROM runahead.entries
  WHERE line LIKE '{"type":"state","name":"fleet:run","data":{"status":"ended"%'`;

class Chaos {
  readonly #options: ChaosOptions;
  readonly #servers: Servers;
  readonly #random: () => number;
  readonly #workers = new Set<ChildProcess>();
  readonly #faults: Record<string, number> = {
    kill: 0,
    stop: 0,
    drain: 0,
    "cut redis": 0,
    "cut database": 0,
    "lose replies": 0,
    "restart redis": 0,
    "restart database": 0,
  };
  #isOver = false;

  constructor(options: ChaosOptions, servers: Servers) {
    this.#options = options;
    this.#servers = servers;
    this.#random = random(options.seed);
  }

  static async prepare(options: ChaosOptions): Promise<Chaos> {
    const folder = await mkdtemp(join(tmpdir(), "fleet-chaos-"));
    const script = await bundled(new URL("worker-child.ts", import.meta.url));
    const [redis, database] = [await redisServer(), await postgresServer()];
    const [toRedis, toDatabase] = [await stallingProxy(redis.port), await stallingProxy(database.port)];
    return new Chaos(options, { folder, script, redis, database, toRedis, toDatabase });
  }

  async run(): Promise<ChaosReport> {
    const { redis, database } = this.#servers;
    const store = postgres(database.url, { patienceMs: 60_000 });
    const queue = createAgentQueue({ store, connection: redis.url });
    try {
      await Promise.all(Array.from({ length: this.#options.workers }, () => this.#startWorker()));
      const answering = this.#answerQuestions(queue);
      const failing = this.#fail();
      for (const id of this.#ids) await queue.start(id, `Write ${this.#options.turns} lines.`);
      await this.#untilDone();
      this.#isOver = true;
      await failing;
      await answering;
      return await this.#check();
    } finally {
      this.#isOver = true;
      await queue.close();
      await store.close();
    }
  }

  async close(): Promise<void> {
    for (const worker of this.#workers) worker.kill("SIGKILL");
    const { folder, script, redis, database, toRedis, toDatabase } = this.#servers;
    for (const one of [toRedis, toDatabase]) await one.close();
    await redis.close();
    await database.close();
    await rm(folder, { recursive: true, force: true });
    await rm(script, { force: true });
  }

  get #ids(): string[] {
    return Array.from({ length: this.#options.sessions }, (_, index) => `s${index}`);
  }

  get #file(): string {
    return join(this.#servers.folder, "lines.txt");
  }

  async #startWorker(): Promise<void> {
    const { script, toRedis, toDatabase } = this.#servers;
    const { turns, leaseMs, slowMs } = this.#options;
    const database = `postgres://postgres@127.0.0.1:${new URL(toDatabase.url).port}/postgres`;
    const args = [database, toRedis.url, this.#file, ...[turns, leaseMs, slowMs].map(String)];
    const child = fork(script, args, { execArgv: [], stdio: ["ignore", "ignore", "inherit", "ipc"] });
    this.#workers.add(child);
    child.once("exit", () => this.#workers.delete(child));
    await new Promise<void>((resolve) => {
      child.once("message", () => resolve());
      child.once("exit", () => resolve());
    });
  }

  async #fail(): Promise<void> {
    const { faults } = this.#options;
    for (let count = 0; count < faults && !this.#isOver; count++) {
      await pause(50 + this.#random() * 400);
      await this.#fault();
    }
  }

  async #fault(): Promise<void> {
    const { redis, database, toRedis, toDatabase } = this.#servers;
    const { leaseMs } = this.#options;
    const kinds = Object.keys(this.#faults);
    const kind = kinds[Math.floor(this.#random() * kinds.length)] ?? "kill";
    const workers = [...this.#workers];
    const worker = workers[Math.floor(this.#random() * workers.length)];
    this.#faults[kind] = (this.#faults[kind] ?? 0) + 1;
    switch (kind) {
      case "kill":
        worker?.kill("SIGKILL");
        return this.#startWorker();
      case "drain":
        worker?.kill("SIGTERM");
        return this.#startWorker();
      case "stop":
        worker?.kill("SIGSTOP");
        // Longer than the lease, so that another worker takes over; the stopped one then wakes up and tries to write.
        return void setTimeout(() => worker?.kill("SIGCONT"), leaseMs * (1 + this.#random()));
      case "cut redis":
        return toRedis.heal();
      case "cut database":
        return toDatabase.heal();
      case "lose replies":
        // What the workers ask is done, and they do not learn about it.
        toDatabase.deafen();
        await pause(300);
        return toDatabase.heal();
      case "restart redis":
        await redis.kill();
        return redis.start();
      case "restart database":
        await database.crash();
        return database.start();
    }
  }

  async #answerQuestions(queue: AgentQueue): Promise<void> {
    const asking = this.#ids.filter((id) => /[05]$/.test(id));
    const answered = new Set<string>();
    while (!this.#isOver) {
      for (const id of asking) {
        const open = await queue.questions(id).catch(() => []);
        for (const { id: question } of open) {
          if (answered.has(`${id} ${question}`)) continue;
          answered.add(`${id} ${question}`);
          await queue.answer(id, question, { behavior: "allow" });
        }
      }
      await pause(100);
    }
  }

  async #untilDone(): Promise<void> {
    const { database } = this.#servers;
    for (;;) {
      const [row] = await database.query(DONE).catch(() => []);
      if (Number(row?.["done"]) >= this.#options.sessions) return;
      await pause(100);
    }
  }

  async #check(): Promise<ChaosReport> {
    const { database } = this.#servers;
    const text = await readFile(this.#file, "utf8");
    const lines = text.split("\n").filter((line) => line !== "");
    const counts = new Map<string, number>();
    for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
    const problems: string[] = [];
    let unknown = 0;
    const store = postgres(database.url, { patienceMs: 60_000 });
    for (const id of this.#ids) {
      const messages = await historyOf(store, id);
      const broken = checkHistory(messages);
      if (broken.length > 0) problems.push(`${id}: invalid history: ${JSON.stringify(broken[0])}`);
      const fates = fatesOf(messages);
      unknown += [...fates.values()].filter((fate) => fate === "unknown").length;
      for (let turn = 0; turn < this.#options.turns; turn++)
        problems.push(...wrongLine(`${id}#${turn}`, fates, counts));
    }
    problems.push(...(await writers(database)));
    await store.close();
    return { problems, lines: lines.length, unknown, faults: this.#faults };
  }
}

async function historyOf(store: ReturnType<typeof postgres>, id: string): Promise<readonly Message[]> {
  for (;;) {
    try {
      const session = await sessions({ store }).resume(id);
      await session.close();
      return session.messages;
    } catch (error) {
      // A worker still holds it for a moment.
      if ((error as Error).name !== "SessionLocked") throw error;
      await pause(100);
    }
  }
}

type Fate = "done" | "unknown" | "not run";

/** What the history says about each line. */
function fatesOf(messages: readonly Message[]): Map<string, Fate> {
  const blocks = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
  const results = new Map(blocks.map((block) => [block["tool_use_id"], JSON.stringify(block["content"])]));
  const fates = new Map<string, Fate>();
  for (const block of blocks) {
    if (block.type !== "tool_use") continue;
    const { line } = block["input"] as { line: string };
    const result = results.get(block["id"]) ?? "";
    const fate = result === '"appended"' ? "done" : /may have|unknown/i.test(result) ? "unknown" : "not run";
    fates.set(line, fate);
  }
  return fates;
}

function wrongLine(
  line: string,
  fates: ReadonlyMap<string, Fate>,
  counts: ReadonlyMap<string, number>,
): string[] {
  const fate = fates.get(line);
  const count = counts.get(line) ?? 0;
  if (count > 1) return [`${line} was written ${count} times`];
  if (fate === undefined) return [`${line} is not in the history, and was written ${count} times`];
  if (fate === "done" && count !== 1) return [`${line} was reported as written, and is missing`];
  if (fate === "not run" && count !== 0) return [`${line} was written, and reported as not run`];
  return [];
}

/** A later line of a journal must never come from an earlier lease, and no position is left out. */
async function writers(database: PostgresServer): Promise<string[]> {
  const [mixed] = await database.query(
    `SELECT count(*) AS wrong FROM (SELECT fence < lag(fence) OVER w AS back, seq <> row_number() OVER w - 1 AS gap
       FROM runahead.entries WINDOW w AS (PARTITION BY tenant, key, journal ORDER BY seq)) AS lines
     WHERE back OR gap`,
  );
  return Number(mixed?.["wrong"]) === 0 ? [] : [`${String(mixed?.["wrong"])} lines of two writers are mixed`];
}
