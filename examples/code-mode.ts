/** One script instead of 30 turns: the model writes code that calls tools, and reads only what the code returns. */

import { createAgent, scripted } from "@runahead/agent";
import { codeTool } from "@runahead/code";
import { defineTool } from "@runahead/engine";
import { z } from "zod";

const stock = defineTool({
  name: "Stock",
  description: "Returns how many pieces of an article are in stock.",
  inputSchema: z.object({ article: z.string() }),
  isReadOnly: () => true,
  access: ({ article }) => [{ mode: "read", place: `shop:/stock/${article}` }],
  call: ({ article }) => ({ article, pieces: (article.length * 7) % 11 }),
});

const order = defineTool({
  name: "Order",
  description: "Orders more of an article.",
  inputSchema: z.object({ article: z.string() }),
  access: ({ article }) => [{ mode: "write", place: `shop:/stock/${article}` }],
  call: ({ article }) => `ordered ${article}`,
});

// What a model would write.
const script = `
  const articles = Array.from({ length: 30 }, (_, at) => "article" + "x".repeat(at));
  const found = await Promise.all(articles.map((article) => tools.Stock({ article })));
  const missing = found.filter(({ pieces }) => pieces === 0);
  for (const { article } of missing) await tools.Order({ article });
  return { checked: found.length, ordered: missing.length };
`;

const agent = createAgent({
  model: scripted([
    [{ type: "tool_use", id: "call_1", name: "Code", input: { script } }],
    (request) => {
      const last = JSON.stringify(request.messages.at(-1)?.content);
      console.log(/"content":"(.*?)\\n/.exec(last)?.[1]?.replaceAll("\\", ""));
      return [{ type: "text", text: "Done." }];
    },
  ]),
  tools: [codeTool([stock, order])],
});
const { turns } = await agent.send("Order what is out of stock.");
console.log(`${turns} turns`);
await agent.close();
