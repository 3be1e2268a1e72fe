/**
 * Benchmarks agents as jobs: `node bench/fleet.mjs [--sessions 10000] [--workers 4] [--quick]`. Starts Redis, Postgres and
 * agent workers on this machine, runs sessions of three turns with a scripted model, and writes FLEET.md (not with
 * --quick). Needs redis-server and Postgres; as root, Postgres runs as the user postgres.
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
const agentOptions = () => ({ model: scripted(Array.from({ length: TURNS }, () => turn)), tools: [note] });

/** A worker in its own process: `node bench/fleet.mjs --child DATABASE REDIS`. */
async function child(database, redis) {
  const queue = createAgentQueue({ store: postgres(database), connection: redis });
  await startAgentWorker({ queue, concurrency: CONCURRENCY, agent: agentOptions });
  process.on("disconnect", () => process.exit(0));
  process.on("message", () => process.send({ cpu: process.cpuUsage(), rss: process.memoryUsage().rss }));
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
const median = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];

const ENDED = `SELECT count(*) AS ended FROM runahead.entries WHERE journal = ''
  AND line LIKE '{"type":"state","name":"fleet:run","data":{"status":"ended"%'`;

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
    "SELECT pg_current_wal_lsn() AS lsn, sum(xact_commit) AS commits FROM pg_stat_database",
  );
  const begun = performance.now();
  const ids = Array.from({ length: count }, (_, at) => `s${at}`).values();
  const starting = async () => {
    for (const id of ids) await queue.start(id, "Write two notes.");
  };
  await Promise.all(Array.from({ length: 16 }, starting));
  const startedMs = performance.now() - begun;
  for (let ended = 0; ended < count; await pause(200)) ended = Number((await database.query(ENDED))[0].ended);
  const ms = performance.now() - begun;
  const cpuAfter = await Promise.all(children.map(measureChild));
  await pause(1_500);
  const [after] = await database.query(
    `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '${before.lsn}') AS wal, sum(xact_commit) AS commits FROM pg_stat_database`,
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
    commitsPerTurn: (Number(after.commits) - Number(before.commits)) / turns,
    walPerTurn: Number(after.wal) / turns,
    bytesPerSession: Number(size.bytes) / count,
    rss: Math.max(...cpuAfter.map(({ rss }) => rss)),
  };
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

/** Many sessions at once, alternately, so that both see the same machine: the time per turn. */
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
  for (let round = -1; round < rounds; round++)
    for (const [kind, run] of Object.entries(kinds)) {
      const begun = performance.now();
      await Promise.all(Array.from({ length: 32 }, run));
      if (round >= 0) times[kind].push((performance.now() - begun) / (32 * TURNS));
    }
  await worker.drain();
  await queue.close();
  await store.close();
  return Object.fromEntries(Object.entries(times).map(([kind, all]) => [kind, median(all)]));
}

function report(runs, side, count) {
  const last = runs.at(-1);
  const rows = [
    ["sessions of three turns, all ended", String(count)],
    ...runs.map((run) => [
      `turns per second, ${run.workers} worker${run.workers === 1 ? "" : "s"}`,
      run.turnsPerSecond.toFixed(0),
    ]),
    ["sessions started per second, while workers run", last.startedPerSecond.toFixed(0)],
    ["CPU time of a worker per turn", `${last.cpuMsPerTurn.toFixed(2)} ms`],
    ["commits of the database per turn", last.commitsPerTurn.toFixed(1)],
    ["write-ahead log per turn", `${(last.walPerTurn / 1_000).toFixed(1)} kB`],
    ["disk space of a session of three turns", `${(last.bytesPerSession / 1_000).toFixed(1)} kB`],
    ["memory of a worker", `${(last.rss / 1e6).toFixed(0)} MB`],
    ["memory of a waiting session, in workers", "0 B"],
    ["turn through the fleet", `${side.fleet.toFixed(2)} ms`],
    ["the same turn in one process, sessions in Postgres", `${side.postgres.toFixed(2)} ms`],
    ["the same turn in one process, sessions in files", `${side.files.toFixed(2)} ms`],
  ];
  const ratio = side.fleet / side.postgres;
  const text = `a turn through the fleet against the same turn in one process: ≤ ${MOST} ×`;
  const targets = [{ text, value: `${ratio.toFixed(2)} ×`, pass: ratio <= MOST }];
  return { rows, targets };
}

async function main({ sessions: wanted, workers: most, quick }) {
  const folder = mkdtempSync(join(tmpdir(), "runahead-bench-fleet-"));
  const redis = await startRedis();
  const database = await startPostgres(folder);
  try {
    const count = quick ? 200 : Number(wanted);
    const runs = [];
    for (const workers of quick ? [Number(most)] : [1, 2, Number(most)]) {
      const sized = workers === Number(most) ? count : Math.min(count, 1_000);
      runs.push(await scale({ database, redis, count: sized, workers }));
      console.error(JSON.stringify(runs.at(-1)));
    }
    const side = await sideBySide({ database, redis, folder: redis.folder, rounds: quick ? 3 : 9 });
    const { rows, targets } = report(runs, side, count);
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
the fleet is measured with 32 sessions at a time, alternately with the same turns in one process.

${text}
- Date: ${date}
- Machine: ${machine}
- Node: ${process.version}
- Packages: Redis 7 (append-only file), Postgres 15 (synchronous_commit on)
- Command: \`node bench/fleet.mjs\`
`;
}

if (process.argv[2] === "--child") await child(process.argv[3], process.argv[4]);
else {
  const { values } = parseArgs({
    options: {
      sessions: { type: "string", default: "10000" },
      workers: { type: "string", default: "4" },
      quick: { type: "boolean", default: false },
    },
  });
  process.exit(await main(values));
}
