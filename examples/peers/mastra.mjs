/** An unchanged Mastra agent, with tools that run in the model's order if they conflict. */

import { createAnthropic } from "@ai-sdk/anthropic";
import { Agent } from "@mastra/core/agent";
import { early } from "@runahead/adapters/ai-sdk";
import { tool } from "ai";
import { z } from "zod";

const weather = tool({
  description: "Returns the weather of a city.",
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => {
    console.log(`(looking up ${city})`);
    return "sunny";
  },
});

const model = createAnthropic({ baseURL: `${process.env.SERVER}/v1`, apiKey: "none" })("claude-sonnet-4-6");
// Mastra passes a new list of messages to each call.
const tools = early({ weather }, { oneRun: true, declare: { weather: { isReadOnly: () => true } } });
const agent = new Agent({ id: "example", name: "example", instructions: "Be brief.", model, tools });

const stream = await agent.stream("How is the weather in Oslo?", { maxSteps: 5 });
for await (const chunk of stream.fullStream) {
  if (chunk.type === "text-delta") process.stdout.write(chunk.payload.text);
  if (chunk.type === "tool-result")
    console.log(`\n${chunk.payload.toolName}: ${String(chunk.payload.result)}`);
  if (chunk.type === "error") throw chunk.payload.error;
}
console.log();
