/** A plan for each turn: a search first, with a small model; then a large one that can also act. */

import { type Model, createAgent, scripted } from "@runahead/agent";
import { defineTool } from "@runahead/engine";
import { z } from "zod";

// In your program: anthropic({ model: "claude-haiku-4-5" }) and anthropic({ model: "claude-opus-4-6" }).
const small: Model = {
  ...scripted([[{ type: "tool_use", id: "1", name: "Search", input: { text: "order 17" } }]]),
  name: "small",
};
const large: Model = {
  ...scripted([
    [{ type: "tool_use", id: "2", name: "Refund", input: { order: 17 } }],
    [{ type: "text", text: "The refund is on its way." }],
  ]),
  name: "large",
};

const search = defineTool({
  name: "Search",
  description: "Searches the orders.",
  inputSchema: z.object({ text: z.string() }),
  isReadOnly: () => true,
  call: ({ text }) => `${text}: paid, not sent`,
});
const refund = defineTool({
  name: "Refund",
  description: "Refunds an order.",
  inputSchema: z.object({ order: z.number() }),
  call: ({ order }) => `order ${order} is refunded`,
});

const agent = createAgent({
  model: large,
  tools: [search, refund],
  prepareTurn: ({ number, model, tools }) => {
    const isFirst = number === 1;
    const offered = tools.map(({ name }) => name).filter((name) => !isFirst || name === "Search");
    if (number <= 2)
      console.log(`turn ${number}: ${isFirst ? small.name : model.name} with ${offered.join(", ")}`);
    return isFirst ? { model: small, tools: offered, toolChoice: { tool: "Search" } } : undefined;
  },
});
console.log((await agent.send("Where is order 17? Refund it if it was not sent.")).text);
await agent.close();
