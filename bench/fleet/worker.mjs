/** An agent worker in its own process: `node bench/fleet/worker.mjs --child DATABASE REDIS QUEUE SLOTS TOOL_MS`. */

import { createAgentQueue, startAgentWorker } from "../../packages/fleet/dist/index.js";
import { postgres } from "../../packages/postgres/dist/index.js";
import { agentOptions } from "./agents.mjs";

const [database, redis, name, slots, toolMs] = process.argv.slice(3);
const store = postgres(database, { connections: 20 });
await store.ready();
const queue = createAgentQueue({ store, connection: redis, name });

process.on("disconnect", () => process.exit(0));
const begin = async () => {
  await startAgentWorker({ queue, concurrency: Number(slots), agent: agentOptions(Number(toolMs)) });
  process.send("working");
};
process.on("message", (message) => {
  if (message === "go") return void begin();
  if (message === "collect") globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  process.send({ cpu: process.cpuUsage(), rss, memory: heapUsed + external });
});
process.send("ready");
