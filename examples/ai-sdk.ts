/** The AI SDK's own `streamText`, with tools that start while the response streams. */

import { createAnthropic } from "@ai-sdk/anthropic";
import { early, stopEarly } from "@runahead/adapters/ai-sdk";
import { stepCountIs, streamText, tool } from "ai";
import { z } from "zod";
import { scriptedServer } from "./scripted-server.ts";

const server = await scriptedServer(
  [{ call: "weather", input: { city: "Oslo" } }, { text: "Just a moment, I am looking it up for you." }],
  [{ text: "It is sunny in Oslo." }],
);
const model = createAnthropic({ baseURL: `${server.url}/v1`, apiKey: "none" })("scripted");

let isTalking = true;
const weather = tool({
  description: "Returns the weather of a city.",
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => {
    console.log(`(looking up ${city} ${isTalking ? "while the model talks" : "when it has stopped"})`);
    return "sunny";
  },
});

const tools = early({ weather }, { declare: { weather: { isReadOnly: () => true } } });
const result = streamText({
  model,
  tools,
  prompt: "How is the weather in Oslo?",
  maxOutputTokens: 1000,
  stopWhen: stepCountIs(5),
  onError: () => stopEarly(tools),
});
for await (const part of result.fullStream) {
  if (part.type === "text-delta") process.stdout.write(part.text);
  if (part.type === "finish-step") isTalking = false;
  if (part.type === "tool-result") console.log(`\n${part.toolName}: ${String(part.output)}`);
}
console.log();
server.close();
