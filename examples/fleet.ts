/** Tools on a fleet: an agent here, its calls on two worker processes. Needs `redis-server`, which it starts itself. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { query, scripted } from "@runahead/agent";
import { fleet, remote } from "@runahead/workers";
import { resize } from "./fleet-worker.ts";

const folder = mkdtempSync(join(tmpdir(), "runahead-fleet-"));
const port = 30_000 + (process.pid % 10_000);
const place = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder];
const redis = spawn("redis-server", [...place, "--appendonly", "yes", "--maxmemory-policy", "noeviction"], {
  stdio: "ignore",
});
redis.on("error", () => {
  console.error("This example needs redis-server. Run: sudo apt-get install -y redis-server");
  process.exit(1);
});
const connection = `redis://127.0.0.1:${port}`;

// On other machines you start the same program under your process manager.
const workers = [1, 2].map(() =>
  spawn(process.execPath, ["--import", "tsx", fileURLToPath(new URL("fleet-worker.ts", import.meta.url))], {
    env: { ...process.env, REDIS_URL: connection },
    stdio: ["ignore", "pipe", "inherit"],
  }),
);
await Promise.all(workers.map(({ stdout }) => once(stdout, "data")));

const calls = Array.from({ length: 8 }, (_, at) => ({
  type: "tool_use",
  id: `toolu_${at}`,
  name: "Resize",
  input: { image: `${at}.png` },
}));
const model = scripted([calls, [{ type: "text", text: "All images are resized." }]]);

// Permissions, order and results are those of local tools: only `call` runs elsewhere.
const tools = remote([resize], { connection, queue: "images" });
const usedWorkers = new Set<string>();
for await (const event of query({ model, tools, prompt: "Resize the images." })) {
  if (event.type === "call-settled") usedWorkers.add(String(event.output).replace(/.* by /, ""));
  if (event.type === "ended") console.log(event.result.text);
}
console.log(`${calls.length} calls ran on ${usedWorkers.size} workers`);

const { workers: alive } = await fleet({ connection, queue: "images" });
console.log(alive.map(({ state }) => state));
await tools.close();
for (const worker of workers) worker.kill("SIGTERM");
await Promise.all(workers.map((worker) => once(worker, "exit")));
redis.kill();
await once(redis, "exit");
rmSync(folder, { recursive: true });
