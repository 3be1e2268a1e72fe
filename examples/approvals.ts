/** A call needs an approval that comes later. The process ends meanwhile, and another one continues. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentOptions, createAgent, scripted, sessions } from "@runahead/agent";
import { defineTool } from "@runahead/engine";
import { z } from "zod";

const refund = defineTool({
  name: "Refund",
  description: "Refunds an order.",
  inputSchema: z.object({ order: z.string() }),
  access: ({ order }) => [{ mode: "write", place: `orders:/${order}` }],
  call: ({ order }) => `refunded order ${order}`,
});

const home = mkdtempSync(join(tmpdir(), "runahead-example-"));
const store = sessions({ home });
const options: Omit<AgentOptions, "model" | "session"> = {
  tools: [refund],
  canUseTool: () => ({ behavior: "ask", reason: "Refunds need an approval." }),
  // Nobody is here now: the question is kept in the session.
  ask: () => ({ behavior: "defer" }),
};

// The first process: a worker that answers a ticket.
const first = createAgent({
  ...options,
  model: scripted([[{ type: "tool_use", id: "call_1", name: "Refund", input: { order: "7" } }]]),
  session: await store.create("ticket-1"),
});
const { reason, detail } = await first.send("Refund order 7.");
console.log(`${reason}: ${detail}`);
await first.close();

// Hours later, another process: a page where somebody approves.
const page = await store.resume("ticket-1");
for (const { id, toolName, input, reason: why } of page.questions) {
  console.log(`${toolName} ${JSON.stringify(input)}? ${why}`);
  await page.answer(id, { behavior: "allow" });
}
await page.close();

// A third one continues.
const last = createAgent({
  ...options,
  model: scripted([[{ type: "text", text: "The order is refunded." }]]),
  session: await store.resume("ticket-1"),
});
const { text, messages } = await last.resume();
console.log(JSON.stringify(messages.at(-2)?.content), text);
await last.close();
rmSync(home, { recursive: true });
