/** A service that takes two calls at a time and six in a minute: an agent whose calls never exceed that. */

import { createAgent, scripted } from "@runahead/agent";
import { defineTool } from "@runahead/engine";
import { z } from "zod";

let running = 0;
let most = 0;

const issue = defineTool({
  name: "Issue",
  description: "Returns an issue.",
  inputSchema: z.object({ number: z.number() }),
  isReadOnly: () => true,
  access: ({ number }) => [{ mode: "read", place: `api:/github/issues/${number}` }],
  async call({ number }) {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 20));
    running--;
    return `issue ${number}`;
  },
});

const agent = createAgent({
  model: scripted([
    [1, 2, 3, 4, 5, 6].map((number) => ({
      type: "tool_use",
      id: `call_${number}`,
      name: "Issue",
      input: { number },
    })),
    [{ type: "text", text: "Read six issues." }],
  ]),
  tools: [issue],
  limits: { "api:/github": { concurrent: 2, perMinute: 6 } },
  onEvent: (event) => {
    if (event.type === "call-queued" && event.limit !== undefined)
      console.log(`${event.callId} waits for ${event.limit}`);
  },
});
console.log((await agent.send("Read the issues.")).text);
console.log(`at most ${most} at a time`);
await agent.close();
