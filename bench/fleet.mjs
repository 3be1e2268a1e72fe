/**
 * Benchmarks agents as jobs: `node bench/fleet.mjs`. Starts Redis, Postgres and agent workers on this machine, runs sessions of
 * three turns with a scripted model, and writes FLEET.md and the table of sizes in docs/operating.md. Needs redis-server and
 * Postgres, and root for the part with a limited Postgres, which runs as the user postgres then. Takes about seven minutes on a
 * quiet machine.
 *
 * One part alone, which is only printed: `--side` (a turn through the fleet and in one process), `--growth` (throughput by
 * workers, `--workers 1,2,4,8`, with calls of `--call-ms 50`), `--limited` (the same with a Postgres that has `--shares 0.1,0.2,0.3`
 * of a core, so that it is the limit; needs root), `--store` (the rate at which Postgres is the limit of the machine).
 * `--quick` runs all parts with few sessions, and writes nothing.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { TURNS } from "./fleet/agents.mjs";
import { load, waitingCost } from "./fleet/load.mjs";
import {
  growthTable,
  limitTable,
  limitedTable,
  loadTable,
  sideTables,
  sizingTable,
  writePages,
} from "./fleet/report.mjs";
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

/** With calls of 50 ms, a slot ends that many turns per second. */
const TURNS_PER_SLOT = 25;
/** A core of Postgres takes less. */
const MOST_TURNS_PER_CORE = 2_000;
const LIMITED_SLOTS = 4;
/** How long each of these runs takes about. */
const LIMITED_S = 10;

/** Throughput by workers, while Postgres has a part of a core: so it is the limit, and not the cores of the machine. */
async function limited(servers, { workers, shares, quick, "call-ms": callMs }) {
  const runs = [];
  for (const share of shares.split(",").map(Number)) {
    servers.database.limitCpu(share);
    for (const count of workers.split(",").map(Number)) {
      const rate = Math.min(count * LIMITED_SLOTS * TURNS_PER_SLOT, share * MOST_TURNS_PER_CORE);
      const sessions = Math.ceil((rate * (quick ? 3 : LIMITED_S)) / TURNS);
      const sizes = { workers: count, slots: LIMITED_SLOTS, toolMs: Number(callMs), count: sessions };
      runs.push({ share, ...(await load({ ...servers, ...sizes })) });
      console.error(JSON.stringify(runs.at(-1)));
    }
  }
  servers.database.limitCpu(Number.POSITIVE_INFINITY);
  return limitedTable(runs, LIMITED_SLOTS);
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
  const atLimit = await limited(servers, values);
  console.log(atLimit.text);
  const run = await load({ ...servers, count, workers: 4, slots: 8, toolMs: 0 });
  const waiting = await waitingCost({ ...servers, count: values.quick ? 50 : 300 });
  const limit = await storeLimit({ ...servers, folder: servers.redis.folder });
  const loaded = loadTable({ run, waiting, count });
  const sizing = sizingTable({ run, limit, atLimit });
  console.log(`${loaded}\n\n${limitTable(limit)}\n\n${sizing}`);
  if (!values.quick)
    writePages({
      load: loaded,
      growth: grown,
      limited: atLimit.text,
      limit: limitTable(limit),
      side: sides.text,
      sizing,
    });
  return sides.pass ? 0 : 1;
}

async function main(values) {
  const folder = mkdtempSync(join(tmpdir(), "runahead-bench-fleet-"));
  const redis = await startRedis();
  const database = await startPostgres(folder);
  const servers = { redis, database };
  try {
    if (!values.side && !values.growth && !values.limited && !values.store)
      return await whole(servers, values);
    if (values.side) console.log((await side(servers, values)).text);
    if (values.growth) console.log(await growth(servers, values));
    if (values.limited) console.log((await limited(servers, values)).text);
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
    shares: { type: "string", default: "0.1,0.2,0.3" },
    growth: { type: "boolean", default: false },
    limited: { type: "boolean", default: false },
    side: { type: "boolean", default: false },
    store: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
  },
});
process.exit(await main(values));
