/** The same turns through the fleet and in one process, alternately, so that both see the same machine. */

import { join } from "node:path";
import { createAgent, fileStore, sessions } from "../../packages/agent/dist/index.js";
import { createAgentQueue } from "../../packages/fleet/dist/index.js";
import { postgres } from "../../packages/postgres/dist/index.js";
import { TURNS, agentOptions } from "./agents.mjs";
import { ask, cpuMs, familyCpuMs, startWorker } from "./servers.mjs";

const AT_ONCE = 32;
const PROMPT = "Write two notes.";
/** Servers and workers run for days, so both processes have compiled their code before the first round counts. */
const WARM_UP = 60;
/** One session after the other, in each round. */
const ALONE = 4;

/** The same session in one process, without a queue. */
async function inProcess(store) {
  const session = await sessions({ store }).create();
  const agent = createAgent({ ...agentOptions()(), session });
  await agent.send(PROMPT);
  await agent.close();
}

/** Sends the prompt, and reads every event until the run has ended. */
async function throughFleet(queue) {
  const id = `side-${crypto.randomUUID()}`;
  await queue.start(id, PROMPT);
  for await (const { entry } of queue.events(id))
    if (entry.type === "state" && entry.name === "fleet:run" && entry.data?.status === "ended") return;
}

const atOnce = (run) => Promise.all(Array.from({ length: AT_ONCE }, run));
async function afterEachOther(run) {
  for (let count = 0; count < ALONE; count++) await run();
}

/** Resolves with the medians of the rounds, and with the medians of the ratios in each round. */
export async function sideBySide({ database, redis, folder, rounds, warmUp = WARM_UP }) {
  const store = postgres(database.url, { connections: 20 });
  await store.ready();
  const queue = createAgentQueue({ store, connection: redis.url, name: "side" });
  const worker = await startWorker({ database, redis, name: "side", slots: AT_ONCE });
  await ask(worker, "go");
  const files = fileStore({ home: join(folder, "files") });
  const kinds = {
    fleet: () => throughFleet(queue),
    postgres: () => inProcess(store),
    files: () => inProcess(files),
  };
  const cpu = async () => {
    const ours = cpuMs(process.cpuUsage()) + cpuMs((await ask(worker, "measure")).cpu);
    return { ours, all: ours + database.cpuMs() + familyCpuMs(redis.pid) };
  };
  const measured = async (turns, work) => {
    const before = await cpu();
    const begun = performance.now();
    await work();
    const ms = performance.now() - begun;
    const after = await cpu();
    return {
      ms: ms / turns,
      ours: (after.ours - before.ours) / turns,
      all: (after.all - before.all) / turns,
    };
  };
  for (let round = 0; round < warmUp; round++) for (const run of Object.values(kinds)) await atOnce(run);
  const many = { fleet: [], postgres: [], files: [] };
  const alone = { fleet: [], postgres: [], files: [] };
  for (let round = 0; round < rounds; round++)
    for (const [kind, run] of Object.entries(kinds)) {
      many[kind].push(await measured(AT_ONCE * TURNS, () => atOnce(run)));
      alone[kind].push(await measured(ALONE * TURNS, () => afterEachOther(run)));
    }
  worker.disconnect();
  await queue.close();
  await store.close();
  return { many: compared(many), alone: compared(alone) };
}

const MEASURES = ["ms", "ours", "all"];
const median = (numbers) => numbers.toSorted((one, other) => one - other)[numbers.length >> 1];
const mean = (numbers) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
/** The kernel counts the CPU time of the servers in hundredths of a second: too coarse for one round, exact for all. */
const SUMMED = new Set(["all"]);

function compared(rounds) {
  const value = (kind, what) => (SUMMED.has(what) ? mean : median)(rounds[kind].map((one) => one[what]));
  const ratio = (what) =>
    SUMMED.has(what)
      ? value("fleet", what) / value("postgres", what)
      : median(rounds.fleet.map((one, at) => one[what] / rounds.postgres[at][what]));
  const each = (compute) => Object.fromEntries(MEASURES.map((what) => [what, compute(what)]));
  return {
    ...Object.fromEntries(Object.keys(rounds).map((kind) => [kind, each((what) => value(kind, what))])),
    ratio: each(ratio),
  };
}
