/** Mastra's `Agent.stream`, which starts tools in mid-stream by default. */

import { createAnthropic } from "@ai-sdk/anthropic";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";

export function prepare({ baseURL, trace, tools: given }) {
  const model = createAnthropic({ baseURL: `${baseURL}/v1`, apiKey: "none" })("claude-sonnet-4-6");
  const define = ({ name, description, shape, run }) =>
    createTool({ id: name, description, inputSchema: z.object(shape(z)), execute: (input) => run(input) });
  const tools = Object.fromEntries(given.map((one) => [one.name, define(one)]));
  const agent = new Agent({ id: "bench", name: "bench", instructions: "Go.", model, tools });
  // Its default is 10, like ours; where ours is given another limit, so is this.
  const limit = trace.limit === undefined ? {} : { toolCallConcurrency: trace.limit };
  return async () => {
    const stream = await agent.stream("go", { maxSteps: 50, ...limit });
    for await (const chunk of stream.fullStream) if (chunk.type === "error") throw chunk.payload.error;
  };
}
