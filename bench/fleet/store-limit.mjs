/**
 * The rate at which the database is the limit. The statements of one session through the fleet are recorded, and pgbench repeats
 * them for new sessions as fast as it can: a program in C, so that the database has the cores that Node would use.
 */

import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { createAgentQueue, startAgentWorker } from "../../packages/fleet/dist/index.js";
import { postgres } from "../../packages/postgres/dist/index.js";
import { TURNS, agentOptions } from "./agents.mjs";
import { machineTimes, programOf } from "./servers.mjs";

const CONNECTIONS = [1, 2, 4, 8, 16, 32, 64];
const SECONDS = 8;
const THREADS = 2;
const RECORDED = "recorded-session";
/** Looks of workers and readers: per second, and not per turn. */
const LOOKS = /FROM \S+\.sessions AS s\s+WHERE \(mail > 0|SELECT id, length/;
const ENDED = `SELECT count(*) AS sessions, count(*) FILTER (WHERE length = $1 AND status = 'idle' AND mail = 0
    AND lease_until IS NULL) AS whole FROM runahead.sessions WHERE key LIKE 'p-%'`;

/** Runs one session in this process, and resolves with its statements in order. */
async function recorded({ database, redis }) {
  const store = postgres(database.url);
  await store.ready();
  const queue = createAgentQueue({ store, connection: redis.url, name: "recorded" });
  const worker = await startAgentWorker({ queue, agent: agentOptions() });
  const statements = [];
  const query = Reflect.get(pg.Client.prototype, "query");
  pg.Client.prototype.query = function (asked, ...rest) {
    const values = (asked?.values ?? []).flat();
    if (values.includes(RECORDED) && !LOOKS.test(asked.text)) statements.push(asked);
    return query.call(this, asked, ...rest);
  };
  try {
    await queue.start(RECORDED, "Write two notes.");
    while ((await store.due(1)).length > 0 || !(await hasEnded(database)))
      await new Promise((resolve) => setTimeout(resolve, 20));
  } finally {
    pg.Client.prototype.query = query;
    await worker.drain();
    await queue.close();
    await store.close();
  }
  return statements;
}

async function hasEnded(database) {
  const [row] = await database.query(
    `SELECT count(*) AS ended FROM runahead.sessions
     WHERE key = '${RECORDED}' AND status = 'idle' AND mail = 0 AND lease_until IS NULL AND length > 0`,
  );
  return Number(row.ended) === 1;
}

/** The id of the next session of a client of pgbench. */
const NEXT_ID = "('p-' || :client_id::text || '-' || :run::text || '-' || :i::text)";

/** The statements as a script of pgbench: with another id for each session, and the fencing number of its own lease. */
function scriptOf(statements) {
  const fence = statements.find(({ text }) => text.includes("RETURNING fence"))?.text;
  const lines = statements.map(({ text, values }) => {
    const sql = text.replaceAll(/\$(\d+)/g, (_, at) => literal(values[at - 1], text !== fence && at === "3"));
    return `${sql.replaceAll(/\s*\n\s*/g, " ")}${text === fence ? " \\gset" : ";"}`;
  });
  return ["\\set i :i + 1", ...lines].join("\n");
}

/** `isFence`: the third value of the statements of a lease is its fencing number. */
function literal(value, isFence) {
  if (value === RECORDED) return NEXT_ID;
  if (value === null) return "NULL";
  if (typeof value === "number") return isFence ? ":fence" : String(value);
  if (Array.isArray(value)) return `ARRAY[${value.map((one) => literal(one)).join(", ")}]::text[]`;
  // A name after a colon would be a variable of pgbench.
  return `'${String(value)
    .replaceAll("'", "''")
    .replaceAll(/:(?=\w)/g, ": ")}'`;
}

/** Resolves with the sessions per second, and with what pgbench itself used. */
async function repeated({ database, script, run, connections }) {
  const args = ["-n", "-M", "prepared", "-c", connections, "-j", Math.min(THREADS, connections)];
  const variables = ["-D", "i=0", "-D", `run=${run}`];
  const all = [...args, "-T", SECONDS, ...variables, "-f", script, database.url].map(String);
  const child = spawn(programOf("pgbench"), all, { stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (text += part));
  const code = await new Promise((resolve) => child.once("exit", resolve));
  const perSecond = Number(/^tps = ([\d.]+)/m.exec(text)?.[1]);
  if (code !== 0 || !(perSecond > 0)) throw new Error(`pgbench failed: ${text}`);
  return { perSecond, sessions: Number(/transactions actually processed: (\d+)/.exec(text)?.[1]) };
}

/** Resolves with the rates by connections. Throws if a repeated statement did not do what the recorded one did. */
export async function storeLimit({ database, redis, folder }) {
  await database.query("DROP SCHEMA IF EXISTS runahead CASCADE");
  const statements = await recorded({ database, redis });
  const script = join(folder, "session.sql");
  writeFileSync(script, scriptOf(statements));
  const [{ length }] = await database.query(`SELECT length FROM runahead.sessions WHERE key = '${RECORDED}'`);
  const runs = [];
  for (const [run, connections] of CONNECTIONS.entries()) {
    const [before, machine, begun] = [database.cpuMs(), machineTimes(), performance.now()];
    const { perSecond, sessions } = await repeated({ database, script, run, connections });
    const ms = performance.now() - begun;
    const after = machineTimes();
    const [row] = await database.query(ENDED.replace("$1", length).replace("'p-%'", `'p-%-${run}-%'`));
    if (Number(row.whole) !== sessions || Number(row.sessions) !== sessions)
      throw new Error(`of ${sessions} repeated sessions, ${row.whole} are as the recorded one`);
    runs.push({
      connections,
      turnsPerSecond: perSecond * TURNS,
      statementsPerSecond: perSecond * statements.length,
      databaseCores: (database.cpuMs() - before) / ms,
      machineBusy: (after.busy - machine.busy) / (after.total - machine.total),
    });
    console.error(JSON.stringify(runs.at(-1)));
  }
  const best = runs.reduce((one, other) => (other.turnsPerSecond > one.turnsPerSecond ? other : one));
  return { runs, best, statementsPerTurn: statements.length / TURNS };
}
