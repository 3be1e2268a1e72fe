/**
 * Benchmarks agents as jobs: `node bench/fleet.mjs`. Starts Redis, Postgres and agent workers on this machine, runs sessions of
 * three turns with a scripted model, and writes FLEET.md and the table of sizes in docs/operating.md. Needs redis-server and
 * Postgres; as root, Postgres runs as the user postgres. Takes about four minutes on a quiet machine.
 *
 * One part alone, which is only printed: `--side` (a turn through the fleet and in one process), `--growth` (throughput by
 * workers, `--workers 1,2,4,8`, with calls of `--call-ms 50`), `--store` (the rate at which Postgres is the limit).
 * `--quick` runs all parts with few sessions, and writes nothing.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { load, waitingCost } from "./fleet/load.mjs";
import { growthTable, limitTable, loadTable, sideTables, sizingTable, writePages } from "./fleet/report.mjs";
import { startPostgres } from "./fleet/servers.mjs";
import { sideBySide } from "./fleet/side.mjs";
import { storeLimit } from "./fleet/store-limit.mjs";
import { startRedis } from "./services.mjs";

const GROWTH = { slots: 2, isPosted: true };
/** With calls of 50 ms, one slot ends about eight sessions per second. */
const SESSIONS_PER_SLOT = 80;
const MOST_GROWTH_WORKERS = 5;

async function growth(servers, { workers, quick, "call-ms": callMs }) {
  const runs = [];
  const toolMs = Number(callMs);
  for (const count of workers.split(",").map(Number)) {
    // More workers than the machine can use do not need more sessions.
    const slots = Math.min(count, MOST_GROWTH_WORKERS) * GROWTH.slots;
    const sessions = slots * (quick ? 10 : SESSIONS_PER_SLOT);
    runs.push(await load({ ...servers, ...GROWTH, toolMs, workers: count, count: sessions }));
    console.error(JSON.stringify(runs.at(-1)));
  }
  return growthTable(runs, GROWTH.slots);
}

async function side(servers, { quick }) {
  const sizes = quick ? { rounds: 8, warmUp: 10 } : { rounds: 40 };
  return sideTables(await sideBySide({ ...servers, folder: servers.redis.folder, ...sizes }));
}

async function whole(servers, values) {
  const count = values.quick ? 200 : Number(values.sessions);
  const sides = await side(servers, values);
  console.log(sides.text);
  const grown = await growth(servers, values);
  console.log(grown);
  const run = await load({ ...servers, count, workers: 4, slots: 8, toolMs: 0 });
  const waiting = await waitingCost({ ...servers, count: values.quick ? 50 : 300 });
  const limit = await storeLimit({ ...servers, folder: servers.redis.folder });
  const loaded = loadTable({ run, waiting, count });
  const sizing = sizingTable({ run, limit });
  console.log(`${loaded}\n\n${limitTable(limit)}\n\n${sizing}`);
  if (!values.quick)
    writePages({ load: loaded, growth: grown, limit: limitTable(limit), side: sides.text, sizing });
  return sides.pass ? 0 : 1;
}

async function main(values) {
  const folder = mkdtempSync(join(tmpdir(), "runahead-bench-fleet-"));
  const redis = await startRedis();
  const database = await startPostgres(folder);
  const servers = { redis, database };
  try {
    if (!values.side && !values.growth && !values.store) return await whole(servers, values);
    if (values.side) console.log((await side(servers, values)).text);
    if (values.growth) console.log(await growth(servers, values));
    if (values.store) console.log(limitTable(await storeLimit({ ...servers, folder: redis.folder })));
    return 0;
  } finally {
    redis.close();
    database.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const { values } = parseArgs({
  options: {
    sessions: { type: "string", default: "10000" },
    workers: { type: "string", default: "1,2,4,8" },
    "call-ms": { type: "string", default: "50" },
    growth: { type: "boolean", default: false },
    side: { type: "boolean", default: false },
    store: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
  },
});
process.exit(await main(values));
