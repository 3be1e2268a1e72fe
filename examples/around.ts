/** A middleware around every call: it measures time, tries reads again, and gives each tool the tenant's folder. */

import { createAgent, scripted } from "@runahead/agent";
import { type Around, defineTool } from "@runahead/engine";
import { z } from "zod";

const timed: Around = async ({ tool }, next) => {
  const begun = performance.now();
  try {
    return await next();
  } finally {
    const ms = performance.now() - begun;
    console.log(`${tool.name} ${ms < 10_000 ? "was quick" : "was slow"}`);
  }
};

const twice: Around = async ({ tool, isRepeatable, context }, next) => {
  const inFolder = { context: { ...context.context, cwd: "/tenants/alice" } };
  try {
    return await next(inFolder);
  } catch (error) {
    if (!isRepeatable) throw error;
    console.log(`${tool.name} failed and runs again`);
    return next(inFolder);
  }
};

let attempts = 0;
const look = defineTool({
  name: "Look",
  description: "Lists the files of a folder.",
  inputSchema: z.object({}),
  isReadOnly: () => true,
  call: (_input, { cwd }) => {
    if (++attempts === 1) throw new Error("not ready");
    return `files of ${cwd}: notes.txt`;
  },
});

const agent = createAgent({
  model: scripted([
    [{ type: "tool_use", id: "1", name: "Look", input: {} }],
    (request) => [{ type: "text", text: JSON.stringify(request.messages.at(-1)?.content) }],
  ]),
  tools: [look],
  // The first one is outermost.
  around: (call, next) => timed(call, () => twice(call, next) as Promise<unknown>),
});
console.log((await agent.send("What is here?")).text);
await agent.close();
