/**
 * Code mode: 30 lookups and a filter, with one call in each turn, with all calls in one turn, and with one script. Measures turns, tokens and time. The model answers after 300 ms and writes 50 tokens in a second.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { createAgent } from "@runahead/agent";
import { codeTool } from "@runahead/code";
import { defineTool } from "@runahead/engine";
import { z } from "zod";
import { answer as report } from "./answer.mjs";

const LOOKUPS = 30;
const LOOKUP_MS = 100;
const FIRST_MS = 300;
const CHARS_PER_TOKEN = 4;
const TOKENS_PER_SECOND = 50;
const PAGE = "a line of details that the model does not need. ".repeat(40);

const tokens = (value) => Math.ceil(JSON.stringify(value).length / CHARS_PER_TOKEN);

const lookup = defineTool({
  name: "Lookup",
  description: "Returns the details of an order.",
  inputSchema: z.object({ order: z.number() }),
  isReadOnly: () => true,
  access: ({ order }) => [{ mode: "read", place: `shop:/orders/${order}` }],
  call: ({ order }) => sleep(LOOKUP_MS, { order, isLate: order % 10 === 0, details: PAGE }),
});

const script = `
  const orders = await Promise.all(Array.from({ length: ${LOOKUPS} }, (_, order) => tools.Lookup({ order })));
  return orders.filter(({ isLate }) => isLate).map(({ order }) => order);
`;

const use = (id, name, input) => ({ type: "tool_use", id: `call_${id}`, name, input });
const look = (order) => use(order, "Lookup", { order });
const answer = [{ type: "text", text: "Orders 0, 10 and 20 are late." }];

const WAYS = {
  serial: { tools: [lookup], turns: [...Array.from({ length: LOOKUPS }, (_, at) => [look(at)]), answer] },
  parallel: { tools: [lookup], turns: [Array.from({ length: LOOKUPS }, (_, at) => look(at)), answer] },
  script: { tools: [codeTool([lookup])], turns: [[use(0, "Code", { script })], answer] },
};

/** Writes its blocks at a real speed, and counts what it reads and writes. */
function slowModel(turns, count) {
  let next = 0;
  return {
    name: "slow",
    async *stream({ messages, tools }) {
      const blocks = turns[next++];
      count.turns++;
      count.input += tokens(messages) + tokens(tools);
      yield { type: "message-started", id: `${next}`, model: "slow" };
      await sleep(FIRST_MS);
      for (const block of blocks) {
        count.output += tokens(block);
        await sleep((tokens(block) / TOKENS_PER_SECOND) * 1_000);
        if (block.type === "tool_use") yield { type: "call-complete", call: block };
        yield { type: "block", block };
      }
      const isLast = !blocks.some(({ type }) => type === "tool_use");
      yield { type: "stopped", reason: isLast ? "end_turn" : "tool_use", detail: "" };
    },
  };
}

async function measure() {
  const measured = {};
  for (const [name, { tools, turns }] of Object.entries(WAYS)) {
    const count = { turns: 0, input: 0, output: 0 };
    const agent = createAgent({ model: slowModel(turns, count), tools, contextTokens: 10_000_000 });
    const start = performance.now();
    await agent.send("Which orders are late?");
    measured[name] = { ...count, ms: performance.now() - start };
    await agent.close();
  }
  return { lookups: LOOKUPS, ...measured };
}

report(measure);
