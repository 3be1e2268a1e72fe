/** A worker in a process of its own: SIGTERM drains it. */

import { startWorker } from "../../src/index.ts";
import { TOOLS } from "./tools.ts";

const [connection = "", queue = "", concurrency = "4", release = ""] = process.argv.slice(2);
const worker = await startWorker({
  tools: TOOLS,
  connection,
  queue,
  concurrency: Number(concurrency),
  release,
  onNotice: (message) => console.error(message),
});
process.on("SIGTERM", () => void worker.drain());
process.send?.({ id: worker.id });
await worker.ended;
process.disconnect?.();
