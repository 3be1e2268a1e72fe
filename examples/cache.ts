/** Reads that are not repeated: a lookup runs again only if a call has written what it reads, or if its stamp changed. */

import { createAgent, scripted } from "@runahead/agent";
import { defineTool } from "@runahead/engine";
import { z } from "zod";

const prices = new Map([["apple", 3]]);
let version = 1;
let lookups = 0;

const price = defineTool({
  name: "Price",
  description: "Looks up the price of a fruit.",
  inputSchema: z.object({ fruit: z.string() }),
  isReadOnly: () => true,
  access: ({ fruit }) => [{ mode: "read", place: `shop:/prices/${fruit}` }],
  cache: true,
  // Other programs change prices too. The shop has a version, which is cheap to ask for.
  stamp: () => `version ${version}`,
  async call({ fruit }) {
    lookups++;
    return `${fruit}: ${prices.get(fruit)}`;
  },
});

const setPrice = defineTool({
  name: "SetPrice",
  description: "Sets the price of a fruit.",
  inputSchema: z.object({ fruit: z.string(), price: z.number() }),
  access: ({ fruit }) => [{ mode: "write", place: `shop:/prices/${fruit}` }],
  call: ({ fruit, price: wanted }) => {
    prices.set(fruit, wanted);
    return "set";
  },
});

const use = (id: string, name: string, input: object) => [{ type: "tool_use", id, name, input }];
const look = (id: string) => use(id, "Price", { fruit: "apple" });

const agent = createAgent({
  model: scripted([
    look("call_1"),
    look("call_2"),
    use("call_3", "SetPrice", { fruit: "pear", price: 2 }),
    look("call_4"),
    use("call_5", "SetPrice", { fruit: "apple", price: 4 }),
    look("call_6"),
    [{ type: "text", text: "Done." }],
    look("call_7"),
    [{ type: "text", text: "Done." }],
  ]),
  tools: [price, setPrice],
});
await agent.send("Watch the price of apples.");
console.log(`4 calls, ${lookups} lookups`);

version = 2;
await agent.send("And now?");
console.log(`5 calls, ${lookups} lookups`);
await agent.close();
