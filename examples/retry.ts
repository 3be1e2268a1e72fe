/** A service that fails now and then: the call is tried again, and the model reads one result. */

import { createAgent, scripted } from "@runahead/agent";
import { defineTool } from "@runahead/engine";
import { z } from "zod";

class Unavailable extends Error {}

let requests = 0;

const rate = defineTool({
  name: "Rate",
  description: "Returns the exchange rate of a currency.",
  inputSchema: z.object({ currency: z.string() }),
  isReadOnly: () => true,
  retry: { attempts: 4, backoffMs: 50, jitter: 0, on: (error) => error instanceof Unavailable },
  call({ currency }) {
    requests++;
    if (requests < 3) throw new Unavailable("the service does not answer");
    return `1 EUR = 1.1 ${currency}`;
  },
});

const agent = createAgent({
  model: scripted([
    [{ type: "tool_use", id: "call_1", name: "Rate", input: { currency: "USD" } }],
    [{ type: "text", text: "A euro is 1.1 dollars." }],
  ]),
  tools: [rate],
  onEvent: (event) => {
    if (event.type === "call-retried")
      console.log(`${event.toolName} failed (attempt ${event.attempt}), next try in ${event.waitMs} ms`);
    if (event.type === "call-settled") console.log(`${event.outcome.type} after ${requests} attempts`);
  },
});
console.log((await agent.send("What is a euro in dollars?")).text);
await agent.close();
