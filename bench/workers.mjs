/**
 * Benchmarks remote tools: `node bench/workers.mjs [--quick]`. Starts a Redis server and worker processes with and without
 * Runahead, measures both alternately, checks the targets and writes WORKERS.md (not with --quick).
 */

import { spawnSync } from "node:child_process";
import { setMaxListeners } from "node:events";
import { writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { remote, startWorker } from "../packages/workers/dist/index.js";
import { Queue, QueueEvents, Worker } from "bullmq";
import { Redis } from "ioredis";
import { describeRun } from "./report.mjs";
import { startChild, startRedis } from "./services.mjs";
import { table, targetTable } from "./table.mjs";

const FILE = fileURLToPath(import.meta.url);
const CONCURRENCY = 16;
const IN_FLIGHT = 64;
const MOST = 1.3;
const RUNNING = 500;
const WAITING = 5_000;
const IDLE = 8;

const instant = {
  name: "Instant",
  description: "Gives back what it gets.",
  inputSchema: { "~standard": { version: 1, vendor: "bench", validate: (value) => ({ value }) } },
  isReadOnly: () => true,
  access: () => [],
  call: ({ at }) => at,
};
const writing = { ...instant, name: "Writing", isReadOnly: () => false };
const slow = { ...instant, name: "Slow", call: ({ at }) => pause(20_000, at) };

const connectionOf = (url) => new Redis(url, { maxRetriesPerRequest: null });

/** A worker in its own process: `node bench/workers.mjs --child ours|bare URL`. */
async function child(kind, url) {
  if (kind === "ours")
    await startWorker({
      tools: [instant, writing],
      connection: url,
      queue: "ours",
      concurrency: CONCURRENCY,
    });
  else if (kind === "slow")
    await startWorker({ tools: [slow], connection: url, queue: "slow", concurrency: RUNNING });
  else {
    const worker = new Worker("bare", async ({ data }) => data.at, {
      connection: connectionOf(url),
      concurrency: CONCURRENCY,
    });
    await worker.waitUntilReady();
  }
  process.on("disconnect", () => process.exit(0));
  process.send("ready");
}

/** One function per kind of call: `call(at)`. */
function callers(url) {
  const tools = remote([instant, writing], { connection: url, queue: "ours" });
  const queue = new Queue("bare", { connection: connectionOf(url) });
  const events = new QueueEvents("bare", { connection: connectionOf(url) });
  queue.setMaxListeners(0);
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  const ours = (tool) => (at) => tool.call({ at }, contextOf(at, signal));
  const bare = async (at) => {
    // Kept for a while: `waitUntilFinished` fails for a job that is already removed.
    const job = await queue.add("instant", { at }, { removeOnComplete: { count: 1_000 } });
    return job.waitUntilFinished(events, 30_000);
  };
  const ready = () => Promise.all([queue.waitUntilReady(), events.waitUntilReady()]);
  const close = () => Promise.all([tools.close(), queue.close(), events.close()]);
  return { ours: ours(tools[0]), writing: ours(tools[1]), bare, ready, close };
}

const contextOf = (at, signal) => ({
  callId: `call_${at}`,
  signal,
  cwd: "/",
  context: { cwd: "/" },
  message: undefined,
  progress: () => {},
  change: () => {},
});

async function latencies(call, count, into) {
  for (let at = 0; at < count; at++) {
    const began = performance.now();
    if ((await call(at)) !== at) throw new Error("a wrong answer");
    into.push(performance.now() - began);
  }
}

/** Measures calls per second with a fixed number in flight. */
async function rate(call, count) {
  let next = 0;
  const one = async () => {
    while (next < count) {
      const at = next++;
      if ((await call(at)) !== at) throw new Error("a wrong answer");
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: IN_FLIGHT }, one));
  return count / ((performance.now() - began) / 1_000);
}

const percentile = (numbers, share) =>
  numbers.toSorted((one, other) => one - other)[Math.floor((numbers.length - 1) * share)];
const median = (numbers) => percentile(numbers, 0.5);

async function measureLatency(calls, rounds) {
  const found = { ours: [], writing: [], bare: [] };
  for (const kind of Object.keys(found)) await latencies(calls[kind], 100, []);
  for (let round = 0; round < rounds; round++)
    for (const kind of Object.keys(found)) await latencies(calls[kind], 100, found[kind]);
  return found;
}

async function measureRate(calls, workers, { rounds, count }) {
  const found = { ours: [], bare: [] };
  // Warm up every worker, independent of their number.
  for (const kind of Object.keys(found)) await rate(calls[kind], 2 * workers * count);
  for (let round = 0; round < rounds; round++)
    for (const kind of Object.keys(found)) found[kind].push(await rate(calls[kind], count));
  return { ours: median(found.ours), bare: median(found.bare) };
}

/** CPU milliseconds and memory of the server. */
async function serverUse(redis) {
  const info = `${await redis.info("cpu")}\n${await redis.info("memory")}`;
  const number = (name) => Number(new RegExp(`^${name}:(\\S+)`, "m").exec(info)[1]);
  const cpuMs = 1_000 * (number("used_cpu_user") + number("used_cpu_sys"));
  return { cpuMs, bytes: number("used_memory") };
}

/** Measures what calls cost the server: a completed one, a waiting one, and a second of a running one. */
async function measureServer(calls, url, count) {
  const redis = connectionOf(url);
  const before = await serverUse(redis);
  await rate(calls.ours, count);
  const done = await serverUse(redis);
  const waiting = await withOpen(
    url,
    "nobody",
    WAITING,
    async () => (await serverUse(redis)).bytes - done.bytes,
  );
  const worker = await startChild(FILE, "slow", url);
  const running = await withOpen(url, "slow", RUNNING, async () => {
    const from = await serverUse(redis);
    await pause(5_000);
    return (await serverUse(redis)).cpuMs - from.cpuMs;
  });
  worker.disconnect();
  const idle = await measureIdle(redis, url);
  redis.disconnect();
  return {
    idleUs: idle,
    callUs: (1_000 * (done.cpuMs - before.cpuMs)) / count,
    waitingBytes: waiting / WAITING,
    runningUs: (1_000 * running) / 5 / RUNNING,
  };
}

/** Measures what an idle worker costs the server per second. */
async function measureIdle(redis, url) {
  const during = async () => {
    const from = await serverUse(redis);
    await pause(5_000);
    return (await serverUse(redis)).cpuMs - from.cpuMs;
  };
  await pause(1_000);
  const without = await during();
  const workers = await Promise.all(Array.from({ length: IDLE }, () => startChild(FILE, "slow", url)));
  await pause(1_000);
  const withThem = await during();
  for (const one of workers) one.disconnect();
  return (1_000 * (withThem - without)) / 5 / IDLE;
}

/** Starts calls without waiting for them; all are stopped at the end. */
async function withOpen(url, queue, count, measure) {
  const tools = remote([slow], { connection: url, queue });
  const open = Array.from({ length: count }, (_, at) =>
    tools[0].call({ at }, contextOf(at, new AbortController().signal)).catch(() => {}),
  );
  await pause(3_000);
  const measured = await measure();
  await tools.close();
  await Promise.all(open);
  return measured;
}

async function main({ quick }) {
  if (spawnSync("redis-server", ["--version"]).status !== 0)
    throw new Error("redis-server is missing. Run: sudo apt-get install -y redis-server");
  const server = await startRedis();
  const children = [];
  const calls = callers(server.url);
  try {
    await calls.ready();
    const rates = [];
    const plan = quick ? { rounds: 1, count: 500 } : { rounds: 5, count: 3_000 };
    let found;
    for (const workers of [1, 2, 4]) {
      while (children.length < 2 * workers)
        children.push(await startChild(FILE, children.length % 2 === 0 ? "ours" : "bare", server.url));
      if (workers === 1) found = await measureLatency(calls, quick ? 5 : 30);
      rates.push({ workers, ...(await measureRate(calls, workers, plan)) });
    }
    const use = await measureServer(calls, server.url, quick ? 500 : 5_000);
    return report(found, rates, use);
  } finally {
    await calls.close();
    for (const one of children) one.disconnect();
    server.close();
  }
}

function report(found, rates, { callUs, waitingBytes, runningUs, idleUs }) {
  const ms = (value) => `${value.toFixed(2)} ms`;
  const both = (kind) => `${ms(percentile(found[kind], 0.5))} / ${ms(percentile(found[kind], 0.99))}`;
  const rows = [
    ["instant read-only call, one at a time: p50 / p99", both("ours")],
    ["instant call that writes, one at a time: p50 / p99", both("writing")],
    ["BullMQ alone, job and result: p50 / p99", both("bare")],
    ...rates.map(({ workers, ours, bare }) => [
      `calls per second, ${workers} worker${workers === 1 ? "" : "s"}, ${IN_FLIGHT} in flight: workers / BullMQ alone`,
      `${ours.toFixed(0)} / ${bare.toFixed(0)}`,
    ]),
    ["CPU time of the server per call", `${callUs.toFixed(0)} µs`],
    ["CPU time of the server per second of a running call", `${runningUs.toFixed(0)} µs`],
    ["CPU time of the server per second of an idle worker", `${idleUs.toFixed(0)} µs`],
    ["memory of the server per waiting call", `${waitingBytes.toFixed(0)} B`],
  ];
  const targets = [
    ...[0.5, 0.99].map((share) => {
      const ratio = percentile(found.ours, share) / percentile(found.bare, share);
      return most(`instant call compared with BullMQ alone, p${share * 100}`, ratio);
    }),
    ...rates.map(({ workers, ours, bare }) => most(`time per call with ${workers} workers`, bare / ours)),
  ];
  return { rows, targets };
}

function markdown(text) {
  const { date, machine, nodeVersions, packages, command } = describeRun({
    nodeVersions: [process.version],
    packages: ["bullmq 6.7.0", "ioredis 6.0.0", "Redis 7.0.15, append-only file, everysec"],
    command: "node bench/workers.mjs",
  });
  const about = [
    `- Date: ${date}`,
    `- Machine: ${machine}`,
    `- Node: ${nodeVersions.join(", ")}`,
    `- Packages: ${packages.join(", ")}`,
    `- Command: \`${command}\``,
  ];
  return `# Benchmark of the workers\n\n${NOTES}\n\n${text}\n\n${about.join("\n")}\n`;
}

const NOTES = `The caller, the workers and the Redis server run on one machine, each in its own process. A call is measured from the
tool's \`call\` to its output; BullMQ alone is \`queue.add\` plus \`waitUntilFinished\`. Both are measured alternately in batches
of 100 calls; rates are medians of five batches of 3,000 calls, after a warm-up of 6,000 calls per worker. With less warm-up
on a busy machine, the ratio with four workers was up to 1.46, because there is more code to compile. The cost of an idle
worker is the difference of two small numbers, so treat it as an order of magnitude.`;

const most = (text, ratio) => ({
  text: `${text}: ≤ ${MOST} ×`,
  value: `${ratio.toFixed(2)} ×`,
  pass: ratio <= MOST,
});

const { values, positionals } = parseArgs({
  options: { child: { type: "boolean" }, quick: { type: "boolean" } },
  allowPositionals: true,
});
if (values.child) await child(...positionals);
else {
  const { rows, targets } = await main(values);
  const text = [table(["what", "value"], rows), targetTable(targets)].join("\n\n");
  console.log(text);
  if (!values.quick) writeFileSync(new URL("WORKERS.md", import.meta.url), markdown(text));
  process.exit(targets.every(({ pass }) => pass) ? 0 : 1);
}
