/** A tool worker in a process of its own. */

import { startWorker } from "@runahead/workers";
import { appendTool } from "./append.ts";

const [redis = "", file = "", slowMs = "20"] = process.argv.slice(2);

const worker = await startWorker({
  tools: [appendTool(file, Number(slowMs))],
  connection: redis,
  queue: "tools",
  concurrency: 16,
});
process.on("SIGTERM", () => void worker.drain());
void worker.ended.then(() => process.exit(0));
process.send?.("ready");
// A test that was killed leaves no worker.
process.on("disconnect", () => process.exit(0));
