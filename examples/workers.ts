/** Runs a tool on a worker. Here the worker is the same process, and the example starts its own Redis server. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineTool, runTools } from "@runahead/engine";
import { remote, startWorker } from "@runahead/workers";
import { z } from "zod";

const folder = mkdtempSync(join(tmpdir(), "runahead-example-"));
const port = 20_000 + (process.pid % 10_000);
const place = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder];
const kept = ["--appendonly", "yes", "--maxmemory-policy", "noeviction"];
const server = spawn("redis-server", [...place, ...kept], { stdio: "ignore" });
server.on("error", () => {
  console.error("This example needs redis-server. Run: sudo apt-get install -y redis-server");
  process.exit(1);
});

const count = defineTool({
  name: "Count",
  description: "Counts the letters of a text.",
  inputSchema: z.object({ text: z.string() }),
  isReadOnly: () => true,
  call: ({ text }, { progress }) => {
    progress({ type: "status", message: "counting on the worker" });
    return `${text.length} letters`;
  },
});

// On the other machine.
const connection = `redis://127.0.0.1:${port}`;
const worker = await startWorker({ tools: [count], connection, queue: "example" });

// Here: declarations, permissions and order are the same as for local tools.
const tools = remote([count], { connection, queue: "example" });
const call = { id: "1", name: "Count", input: { text: "runahead" } };
for await (const update of runTools([call], { tools })) console.log(update);

await tools.close();
await worker.drain();
server.kill();
await once(server, "exit");
rmSync(folder, { recursive: true });
