/** Agents as jobs in one process: a call waits for a person while no worker waits. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ModelRequest, fileStore, scripted } from "@runahead/agent";
import { defineTool } from "@runahead/engine";
import { createAgentQueue, startAgentWorker } from "@runahead/fleet";
import { z } from "zod";

const home = mkdtempSync(join(tmpdir(), "runahead-example-"));
const queue = createAgentQueue({ store: fileStore({ home }) });

const refund = defineTool({
  name: "Refund",
  description: "Pays an order back.",
  inputSchema: z.object({ order: z.string() }),
  call: ({ order }) => `order ${order} was paid back`,
});

/** Stands in for a model: refunds the order, then reports. */
function turn({ messages }: ModelRequest) {
  if (messages.length === 1)
    return [{ type: "tool_use", id: "call_1", name: "Refund", input: { order: "A7" } }];
  return [{ type: "text", text: "The order A7 was paid back." }];
}

const worker = await startAgentWorker({
  queue,
  agent: () => ({
    model: scripted([turn, turn]),
    tools: [refund],
    canUseTool: () => ({ behavior: "ask", reason: "money leaves the account" }),
  }),
});

/** Resolves when the run has this status. */
async function until(status: string): Promise<void> {
  for await (const { entry } of queue.events("support-1")) {
    const { name, data } = entry as { name?: string; data?: { status?: string } };
    if (name === "fleet:run" && data?.status === status) return;
  }
}

await queue.start("support-1", "Please refund order A7.");
await until("waiting");
while (worker.running.length > 0) await new Promise((resolve) => setTimeout(resolve, 10));
const [question] = await queue.questions("support-1");
if (question === undefined) throw new Error("there is no question");
const { id, toolName, reason } = question;
console.log(`${toolName} waits for a person: ${reason}. Sessions at work: ${worker.running.length}`);

await queue.answer("support-1", id, { behavior: "allow", by: "maria" });
await until("ended");
console.log((await queue.info("support-1")).run);

await worker.drain();
await queue.close();
rmSync(home, { recursive: true });
