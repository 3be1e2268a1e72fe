/** An agent with 300 tools: requests have no definitions, and the model finds the tool that it needs. */

import { createAgent, scripted, toolSearch } from "@runahead/agent";
import { defineTool } from "@runahead/engine";
import { z } from "zod";

const refund = defineTool({
  name: "Refund",
  description: "Gives a customer money back.",
  inputSchema: z.object({ customer: z.string() }),
  call: ({ customer }) => `refunded ${customer}`,
});
const reports = Array.from({ length: 299 }, (_, number) =>
  defineTool({
    name: `Report${number}`,
    description: `Makes the report with the number ${number}.`,
    inputSchema: z.object({ month: z.string() }),
    call: ({ month }) => `report ${number} of ${month}`,
  }),
);

// What a model would do.
const model = scripted([
  [{ type: "tool_use", id: "call_1", name: "ToolSearch", input: { query: "money back" } }],
  [
    {
      type: "tool_use",
      id: "call_2",
      name: "CallTool",
      input: { tool: "Refund", input: { customer: "Ada" } },
    },
  ],
  [{ type: "text", text: "Ada has her money back." }],
]);

const searched = toolSearch({ model, tools: [refund, ...reports] });
const agent = createAgent({
  ...searched,
  prepareTurn: ({ number, tools }) => {
    if (number === 1) console.log(`${tools.length} tools`);
  },
  onEvent: (event) => {
    if (event.type === "call-settled") console.log(`${event.toolName}: ${event.outcome.type}`);
  },
});
console.log((await agent.send("Give Ada her money back.")).text);
await agent.close();
