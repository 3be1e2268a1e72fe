/** Many sessions on several workers: how many turns per second, and what a turn takes. */

import { setTimeout as pause } from "node:timers/promises";
import { createAgentQueue } from "../../packages/fleet/dist/index.js";
import { postgres } from "../../packages/postgres/dist/index.js";
import { ASKS, TURNS } from "./agents.mjs";
import { ask, cpuMs, machineTimes, startWorker } from "./servers.mjs";

const ENDED = `SELECT count(*) AS ended FROM runahead.sessions
  WHERE status = 'idle' AND mail = 0 AND lease_until IS NULL AND length > 0`;
const ROWS = "(SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) FROM pg_stat_user_tables)";
const SIZE = `SELECT sum(pg_total_relation_size(c.oid)) AS bytes FROM pg_class c JOIN pg_namespace n
  ON n.oid = c.relnamespace WHERE n.nspname = 'runahead' AND c.relkind = 'r'`;
const WAITING = `SELECT count(*) AS waiting FROM runahead.sessions WHERE status = 'waiting'`;
/** Statistics of Postgres are late by up to a second. */
const STATISTICS_MS = 1_500;
const SENDERS = 16;
let queues = 0;

async function prepared({ database, redis }) {
  await database.query("DROP SCHEMA IF EXISTS runahead CASCADE");
  const store = postgres(database.url, { connections: 20 });
  await store.ready();
  const name = `bench${++queues}`;
  const queue = createAgentQueue({ store, connection: redis.url, name });
  const close = async () => {
    await queue.close();
    await store.close();
  };
  return { queue, name, close };
}

async function startAll(queue, ids) {
  const left = ids.values();
  const starting = async () => {
    for (const id of left) await queue.start(id, "Write two notes.");
  };
  await Promise.all(Array.from({ length: SENDERS }, starting));
}

const idsOf = (count, from = 0, prefix = "s") =>
  Array.from({ length: count }, (_, at) => `${prefix}${from + at}`);

async function counters(database) {
  const [row] = await database.query(
    `SELECT pg_current_wal_lsn() - '0/0' AS wal, sum(xact_commit) AS commits, ${ROWS} AS rows FROM pg_stat_database`,
  );
  const { wal, commits, rows } = row;
  return { wal: Number(wal), commits: Number(commits), rows: Number(rows), cpu: database.cpuMs() };
}

async function untilEnded(database, count) {
  for (let ended = 0; ended < count; await pause(250)) ended = Number((await database.query(ENDED))[0].ended);
}

const cpuOf = async (children) =>
  (await Promise.all(children.map((one) => ask(one, "measure")))).reduce(
    (sum, { cpu }) => sum + cpuMs(cpu),
    0,
  );

/** Runs sessions and resolves with what they took. With `isPosted`, all of them wait before the workers begin. */
export async function load({ database, redis, count, workers, slots, toolMs, isPosted = false }) {
  const { queue, name, close } = await prepared({ database, redis });
  const children = [];
  for (let at = 0; at < workers; at++)
    children.push(await startWorker({ database, redis, name, slots, toolMs }));
  if (isPosted) await startAll(queue, idsOf(count));
  await pause(STATISTICS_MS);
  const [cpuBefore, before, machineBefore] = [
    await cpuOf(children),
    await counters(database),
    machineTimes(),
  ];
  const begun = performance.now();
  await Promise.all(children.map((one) => ask(one, "go")));
  if (!isPosted) await startAll(queue, idsOf(count));
  const startedMs = performance.now() - begun;
  await untilEnded(database, count);
  const ms = performance.now() - begun;
  const [cpuAfter, machineAfter, databaseCpu] = [await cpuOf(children), machineTimes(), database.cpuMs()];
  const memory = await Promise.all(children.map((one) => ask(one, "measure")));
  await pause(STATISTICS_MS);
  const after = await counters(database);
  const [size] = await database.query(SIZE);
  for (const one of children) one.disconnect();
  await close();
  const turns = count * TURNS;
  return {
    workers,
    ms,
    startedPerSecond: (count / startedMs) * 1_000,
    turnsPerSecond: (turns / ms) * 1_000,
    statementsPerSecond: ((after.commits - before.commits) / ms) * 1_000,
    machineBusy: (machineAfter.busy - machineBefore.busy) / (machineAfter.total - machineBefore.total),
    databaseCores: (databaseCpu - before.cpu) / ms,
    databaseMsPerTurn: (databaseCpu - before.cpu) / turns,
    cpuMsPerTurn: (cpuAfter - cpuBefore) / turns,
    rowsPerTurn: (after.rows - before.rows) / turns,
    commitsPerTurn: (after.commits - before.commits) / turns,
    walPerTurn: (after.wal - before.wal) / turns,
    bytesPerSession: Number(size.bytes) / count,
    rss: Math.max(...memory.map(({ rss }) => rss)),
  };
}

/** What sessions that wait for a person take: memory of the worker, and space in the database. */
export async function waitingCost({ database, redis, count }) {
  const { queue, name, close } = await prepared({ database, redis });
  const worker = await startWorker({ database, redis, name });
  await ask(worker, "go");
  const wait = async (from, to) => {
    await startAll(queue, idsOf(to - from, from, ASKS));
    for (let found = 0; found < to; await pause(100))
      found = Number((await database.query(WAITING))[0].waiting);
    await pause(500);
    return ask(worker, "collect");
  };
  // The first ones load code and fill caches.
  const before = await wait(0, count);
  const after = await wait(count, count * 3);
  const [size] = await database.query(SIZE);
  worker.disconnect();
  await close();
  return { memory: (after.memory - before.memory) / (count * 2), disk: Number(size.bytes) / (count * 3) };
}
