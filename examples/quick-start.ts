import { StreamingToolExecutor, anthropicCalls, defineTool } from "@runahead/engine";
import { z } from "zod";
import { scriptedResponse } from "./scripted-response.ts";

// In your program: `await client.messages.create({ …, stream: true })`.
const stream = scriptedResponse([
  { text: "Let me see. " },
  { call: "Weather", input: { city: "Oslo" } },
  { text: "Just a moment." },
]);

const weather = defineTool({
  name: "Weather",
  description: "Returns the weather of a city.",
  inputSchema: z.object({ city: z.string() }),
  isReadOnly: () => true,
  call: async ({ city }) => `It is sunny in ${city}.`,
});
const executor = new StreamingToolExecutor({ tools: [weather] });
for await (const event of anthropicCalls(stream, executor)) console.log(event.type);
for await (const update of executor.remaining()) console.log(update);
