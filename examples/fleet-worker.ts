/** A worker of the fleet: a program that registers tools, and drains when it is asked to end. */

import { setTimeout as pause } from "node:timers/promises";
import { defineTool } from "@runahead/engine";
import { startWorker } from "@runahead/workers";
import { z } from "zod";

export const resize = defineTool({
  name: "Resize",
  description: "Resizes an image.",
  inputSchema: z.object({ image: z.string() }),
  access: ({ image }) => [{ mode: "write", place: `images:/${image}` }],
  async call({ image }, { progress }) {
    progress({ type: "status", message: `resizing ${image}` });
    await pause(50);
    return `${image} resized by worker ${process.pid}`;
  },
});

const connection = process.env["REDIS_URL"];
if (connection !== undefined) {
  const worker = await startWorker({ tools: [resize], connection, queue: "images", concurrency: 2 });
  // Finishes its calls, takes no new ones, and exits.
  process.once("SIGTERM", () => void worker.drain());
  console.log("ready");
}
