/**
 * Benchmarks agents as jobs: `node bench/fleet.mjs [--sessions 10000] [--workers 4] [--quick]`. Starts Redis, Postgres and
 * agent workers on this machine, runs sessions of three turns with a scripted model, and writes FLEET.md (not with
 * --quick). --side measures only the turn through the fleet and the rate of the database. Needs redis-server and Postgres; as
 * root, Postgres runs as the user postgres.
 */

import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import pg from "pg";
import { createAgent, fileStore, scripted, sessions } from "../packages/agent/dist/index.js";
import { createAgentQueue, startAgentWorker } from "../packages/fleet/dist/index.js";
import { postgres } from "../packages/postgres/dist/index.js";
import { describeRun } from "./report.mjs";
import { freePort, startChild, startRedis, until } from "./services.mjs";
import { table, targetTable } from "./table.mjs";

const FILE = fileURLToPath(import.meta.url);
const TURNS = 3;
const CONCURRENCY = 8;
const MOST = 1.5;

const note = {
  name: "Note",
  description: "Notes a text.",
  inputSchema: { "~standard": { version: 1, vendor: "bench", validate: (value) => ({ value }) } },
  jsonSchema: { type: "object", properties: { text: { type: "string" } } },
  access: () => [],
  call: () => "noted",
};

/** Two turns with a call that writes, and one that ends the run. */
function turn({ messages }) {
  const done = messages.filter(({ role }) => role === "assistant").length;
  return done < TURNS - 1
    ? [{ type: "tool_use", id: `c${done}`, name: "Note", input: { text: "x".repeat(200) } }]
    : [{ type: "text", text: "Done." }];
}
const agentOptions = ({ session } = {}) => ({
  model: scripted(Array.from({ length: TURNS }, () => turn)),
  tools: [note],
  // Sessions with this name wait for a person.
  ...(session?.id.startsWith("asks-") ? { canUseTool: () => ({ behavior: "ask", reason: "bench" }) } : {}),
});

/** A worker in its own process: `node bench/fleet.mjs --child DATABASE REDIS`. */
async function child(database, redis, name = "agents") {
  const queue = createAgentQueue({ store: postgres(database), connection: redis, name });
  await startAgentWorker({ queue, concurrency: CONCURRENCY, agent: agentOptions });
  process.on("disconnect", () => process.exit(0));
  process.on("message", () => {
    globalThis.gc?.();
    const { rss, heapUsed, external } = process.memoryUsage();
    process.send({ cpu: process.cpuUsage(), rss, memory: heapUsed + external });
  });
  process.send("ready");
}

async function startPostgres(folder) {
  const versions = "/usr/lib/postgresql";
  const bin = existsSync(versions) ? `${versions}/${readdirSync(versions).toSorted().at(-1)}/bin/` : "";
  const isRoot = process.getuid?.() === 0;
  if (isRoot) spawnSync("chown", ["postgres", folder]);
  const as = (program, args) =>
    isRoot ? ["runuser", ["-u", "postgres", "--", program, ...args]] : [program, args];
  const data = join(folder, "data");
  const port = await freePort();
  spawnSync(
    ...as(`${bin}initdb`, ["-D", data, "--auth=trust", "-U", "postgres", "-E", "UTF8", "--no-locale"]),
    { cwd: "/" },
  );
  // Durable, as in production: every commit waits for the disk.
  const settings = [
    "listen_addresses=127.0.0.1",
    `port=${port}`,
    "max_connections=200",
    "shared_buffers=256MB",
  ];
  const args = ["-D", data, "-k", folder, ...settings.flatMap((one) => ["-c", one])];
  spawn(...as(`${bin}postgres`, args), { stdio: "ignore", cwd: "/" });
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const query = async (sql) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  };
  await until(async () => (await query("SELECT 1")).length === 1, "Postgres");
  const stop = () => spawnSync(...as(`${bin}pg_ctl`, ["stop", "-D", data, "-m", "immediate"]), { cwd: "/" });
  return { url, query, stop };
}

const measureChild = (started) =>
  new Promise((resolve) => {
    started.once("message", resolve);
    started.send("measure");
  });

const cpuMs = ({ user, system }) => (user + system) / 1_000;

const ENDED = `SELECT count(*) AS ended FROM runahead.sessions
  WHERE status = 'idle' AND mail = 0 AND lease_until IS NULL AND length > 0`;
const ROWS = "(SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) FROM pg_stat_user_tables)";

/** Runs sessions and resolves with what they took. */
async function scale({ database, redis, count, workers }) {
  await database.query("DROP SCHEMA IF EXISTS runahead CASCADE");
  const store = postgres(database.url, { connections: 20 });
  await store.ready();
  const queue = createAgentQueue({ store, connection: redis.url });
  const children = [];
  for (let at = 0; at < workers; at++) children.push(await startChild(FILE, database.url, redis.url));
  const cpuBefore = await Promise.all(children.map(measureChild));
  const [before] = await database.query(
    `SELECT pg_current_wal_lsn() AS lsn, sum(xact_commit) AS commits, ${ROWS} AS rows FROM pg_stat_database`,
  );
  const begun = performance.now();
  const ids = Array.from({ length: count }, (_, at) => `s${at}`).values();
  const starting = async () => {
    for (const id of ids) await queue.start(id, "Write two notes.");
  };
  await Promise.all(Array.from({ length: 16 }, starting));
  const startedMs = performance.now() - begun;
  for (let ended = 0; ended < count; await pause(500)) ended = Number((await database.query(ENDED))[0].ended);
  const ms = performance.now() - begun;
  const cpuAfter = await Promise.all(children.map(measureChild));
  await pause(1_500);
  const [after] = await database.query(
    `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '${before.lsn}') AS wal, sum(xact_commit) AS commits,
       ${ROWS} AS rows FROM pg_stat_database`,
  );
  const [size] = await database.query(
    `SELECT sum(pg_total_relation_size(c.oid)) AS bytes FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'runahead' AND c.relkind = 'r'`,
  );
  for (const one of children) one.disconnect();
  await queue.close();
  await store.close();
  const turns = count * TURNS;
  const cpu = cpuAfter.reduce((sum, one, at) => sum + cpuMs(one.cpu) - cpuMs(cpuBefore[at].cpu), 0);
  return {
    workers,
    ms,
    startedPerSecond: (count / startedMs) * 1_000,
    turnsPerSecond: (turns / ms) * 1_000,
    cpuMsPerTurn: cpu / turns,
    rowsPerTurn: (Number(after.rows) - Number(before.rows)) / turns,
    commitsPerTurn: (Number(after.commits) - Number(before.commits)) / turns,
    walPerTurn: Number(after.wal) / turns,
    bytesPerSession: Number(size.bytes) / count,
    rss: Math.max(...cpuAfter.map(({ rss }) => rss)),
  };
}

const WAITING = `SELECT count(*) AS waiting FROM runahead.sessions WHERE status = 'waiting'`;

/** What sessions that wait for a person take: memory of the worker, and space in the database. */
async function waitingCost({ database, redis, count }) {
  await database.query("DROP SCHEMA IF EXISTS runahead CASCADE");
  const store = postgres(database.url, { connections: 20 });
  await store.ready();
  const queue = createAgentQueue({ store, connection: redis.url, name: "waiting" });
  const worker = await startChild(FILE, database.url, redis.url, "waiting");
  const wait = async (from, to) => {
    for (let at = from; at < to; at++) await queue.start(`asks-${at}`, "Write two notes.");
    for (let found = 0; found < to; await pause(100))
      found = Number((await database.query(WAITING))[0].waiting);
    await pause(500);
    return measureChild(worker);
  };
  // The first ones load code and fill caches.
  const before = await wait(0, count);
  const after = await wait(count, count * 3);
  const [size] = await database.query(
    `SELECT sum(pg_total_relation_size(c.oid)) AS bytes FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'runahead' AND c.relkind = 'r'`,
  );
  worker.disconnect();
  await queue.close();
  await store.close();
  return { memory: (after.memory - before.memory) / (count * 2), disk: Number(size.bytes) / (count * 3) };
}

const STORE_MS = 8_000;
const STORE_SESSIONS = 32;

/** How many statements per second the database takes at most: sessions append lines of a turn as fast as they can. */
async function storeRate({ database }) {
  const store = postgres(database.url, { connections: STORE_SESSIONS });
  const line = JSON.stringify({ type: "note", text: "x".repeat(400) });
  const leases = await Promise.all(
    Array.from({ length: STORE_SESSIONS }, () => store.lease(`rate-${crypto.randomUUID()}`)),
  );
  let statements = 0;
  const begun = performance.now();
  const appending = async (lease) => {
    for (let at = 0; performance.now() - begun < STORE_MS; statements++)
      at = await lease.append({ at, lines: [line, line, line, line] });
    await lease.release();
  };
  await Promise.all(leases.map(appending));
  const seconds = (performance.now() - begun) / 1_000;
  await store.close();
  return statements / seconds;
}

/** The same session in one process, without a queue. */
async function inProcess(store) {
  const session = await sessions({ store }).create();
  const agent = createAgent({ ...agentOptions(), session });
  await agent.send("Write two notes.");
  await agent.close();
}

async function throughFleet(queue) {
  const id = `side-${crypto.randomUUID()}`;
  await queue.start(id, "Write two notes.");
  for await (const { entry } of queue.events(id))
    if (entry.type === "state" && entry.name === "fleet:run" && entry.data?.status === "ended") return;
}

/**
 * Many sessions at once, alternately, so that both see the same machine: the best time per turn, and the CPU time of this
 * process. The best counts: everything else that runs on the machine makes times longer, never shorter.
 */
async function sideBySide({ database, redis, folder, rounds }) {
  const store = postgres(database.url, { connections: 20 });
  const queue = createAgentQueue({ store, connection: redis.url, name: "side" });
  const worker = await startAgentWorker({ queue, agent: agentOptions, concurrency: 32 });
  const files = fileStore({ home: join(folder, "files") });
  const kinds = {
    fleet: () => throughFleet(queue),
    postgres: () => inProcess(store),
    files: () => inProcess(files),
  };
  const times = { fleet: [], postgres: [], files: [] };
  for (let round = -2; round < rounds; round++)
    for (const [kind, run] of Object.entries(kinds)) {
      const [begun, used] = [performance.now(), process.cpuUsage()];
      await Promise.all(Array.from({ length: 32 }, run));
      const ms = (performance.now() - begun) / (32 * TURNS);
      if (round >= 0) times[kind].push({ ms, cpu: cpuMs(process.cpuUsage(used)) / (32 * TURNS) });
    }
  await worker.drain();
  await queue.close();
  await store.close();
  const best = (all, what) => Math.min(...all.map((one) => one[what]));
  return Object.fromEntries(
    Object.entries(times).map(([kind, all]) => [kind, { ms: best(all, "ms"), cpu: best(all, "cpu") }]),
  );
}

function report({ runs, side, waiting, count, rate }) {
  const last = runs.at(-1);
  const rows = [
    ["sessions of three turns, all ended", String(count)],
    ...runs.map((run) => [
      `turns per second, ${run.workers} worker${run.workers === 1 ? "" : "s"}`,
      run.turnsPerSecond.toFixed(0),
    ]),
    ["sessions started per second, while workers run", last.startedPerSecond.toFixed(0)],
    ["CPU time of a worker per turn", `${last.cpuMsPerTurn.toFixed(2)} ms`],
    ["statements of the database per turn", last.commitsPerTurn.toFixed(1)],
    ["statements that the database takes per second, from one client process", rate.toFixed(0)],
    ["so many turns per second are the limit of the database", (rate / last.commitsPerTurn).toFixed(0)],
    ["rows that the database writes per turn", last.rowsPerTurn.toFixed(1)],
    ["write-ahead log per turn", `${(last.walPerTurn / 1_000).toFixed(1)} kB`],
    ["disk space of a session of three turns", `${(last.bytesPerSession / 1_000).toFixed(1)} kB`],
    ["memory of a worker", `${(last.rss / 1e6).toFixed(0)} MB`],
    ["memory of a worker per session that waits for a person", `${Math.max(0, waiting.memory).toFixed(0)} B`],
    ["disk space of a session that waits for a person", `${(waiting.disk / 1_000).toFixed(1)} kB`],
    ["turn through the fleet", times(side.fleet)],
    ["the same turn in one process, sessions in Postgres", times(side.postgres)],
    ["the same turn in one process, sessions in files", times(side.files)],
  ];
  const ratio = side.fleet.ms / side.postgres.ms;
  const text = `a turn through the fleet against the same turn in one process: ≤ ${MOST} ×`;
  const targets = [{ text, value: `${ratio.toFixed(2)} ×`, pass: ratio <= MOST }];
  return { rows, targets };
}

const times = ({ ms, cpu }) => `${ms.toFixed(2)} ms (CPU of the process: ${cpu.toFixed(2)} ms)`;

async function main({ sessions: wanted, workers: most, quick, side }) {
  const folder = mkdtempSync(join(tmpdir(), "runahead-bench-fleet-"));
  const redis = await startRedis();
  const database = await startPostgres(folder);
  try {
    if (side) {
      console.log(`statements per second: ${(await storeRate({ database })).toFixed(0)}`);
      const sides = await sideBySide({ database, redis, folder: redis.folder, rounds: 25 });
      for (const [kind, one] of Object.entries(sides)) console.log(`${kind}: ${times(one)}`);
      return 0;
    }
    const count = quick ? 200 : Number(wanted);
    const runs = [];
    for (const workers of quick ? [Number(most)] : [1, 2, Number(most)]) {
      const sized = workers === Number(most) ? count : Math.min(count, 1_000);
      runs.push(await scale({ database, redis, count: sized, workers }));
      console.error(JSON.stringify(runs.at(-1)));
    }
    const waiting = await waitingCost({ database, redis, count: quick ? 50 : 300 });
    console.error(JSON.stringify(waiting));
    const rate = await storeRate({ database });
    console.error(JSON.stringify({ rate }));
    const sides = await sideBySide({ database, redis, folder: redis.folder, rounds: quick ? 8 : 25 });
    const { rows, targets } = report({ runs, side: sides, waiting, count, rate });
    const text = `${table(["what", "value"], rows)}\n\n${targetTable(targets)}\n`;
    console.log(text);
    if (!quick) writeFileSync(new URL("FLEET.md", import.meta.url), page(text));
    return targets.every(({ pass }) => pass) ? 0 : 1;
  } finally {
    redis.close();
    database.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function page(text) {
  const { date, machine } = describeRun({});
  return `# Benchmark of the fleet

Clients, workers, Redis and Postgres run on one machine, each in its own process. The model is scripted and takes no time. A
session has three turns; two of them make a call that writes. Every commit of the database waits for the disk. A turn through
the fleet is measured with 32 sessions at a time, alternately with the same turns in one process; the best of all rounds
counts.

${text}
- Date: ${date}
- Machine: ${machine}
- Node: ${process.version}
- Packages: Redis 7 (append-only file), Postgres 15 (synchronous_commit on)
- Command: \`node bench/fleet.mjs\`
`;
}

if (process.argv[2] === "--child") await child(...process.argv.slice(3));
else {
  const { values } = parseArgs({
    options: {
      sessions: { type: "string", default: "10000" },
      workers: { type: "string", default: "4" },
      quick: { type: "boolean", default: false },
      side: { type: "boolean", default: false },
    },
  });
  process.exit(await main(values));
}
