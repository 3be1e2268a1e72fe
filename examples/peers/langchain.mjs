/** LangChain with its own model, tools and messages; the calls run while the response streams. */

import { ChatAnthropic } from "@langchain/anthropic";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { defineTool, openaiCalls, StreamingToolExecutor } from "@runahead/engine";
import { tool } from "langchain";
import { z } from "zod";

const look = tool(
  async ({ city }) => {
    console.log(`(looking up ${city})`);
    return "sunny";
  },
  { name: "weather", description: "Returns the weather of a city.", schema: z.object({ city: z.string() }) },
);

/** Wraps a LangChain tool, and declares what it touches. */
const weather = defineTool({
  name: look.name,
  description: look.description,
  inputSchema: look.schema,
  isReadOnly: () => true,
  call: (input, { signal }) => look.invoke(input, { signal }),
});

/** LangChain's chunks contain calls like Chat Completions, but their index also counts other blocks. */
async function* asChat(chunks, seen) {
  const places = [];
  for await (const chunk of chunks) {
    seen.message = seen.message?.concat(chunk) ?? chunk;
    if (typeof chunk.text === "string") process.stdout.write(chunk.text);
    for (const { index } of chunk.tool_call_chunks ?? []) if (!places.includes(index)) places.push(index);
    const tool_calls = (chunk.tool_call_chunks ?? []).map(({ index, id, name, args }) => ({
      index: places.indexOf(index),
      id,
      function: { name, arguments: args },
    }));
    yield { choices: [{ index: 0, delta: { tool_calls }, finish_reason: null }] };
  }
  yield { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] };
}

const model = new ChatAnthropic({
  model: "claude-sonnet-4-6",
  apiKey: "none",
  anthropicApiUrl: process.env.SERVER,
}).bindTools([look]);

const messages = [new HumanMessage("How is the weather in Oslo?")];
for (;;) {
  const executor = new StreamingToolExecutor({ tools: [weather] });
  const seen = {};
  for await (const _chunk of openaiCalls(asChat(await model.stream(messages), seen), executor));
  messages.push(seen.message);
  const before = messages.length;
  for await (const { type, result } of executor.remaining())
    if (type === "result")
      messages.push(
        new ToolMessage({
          tool_call_id: result.tool_use_id,
          content: result.content,
          status: result.is_error ? "error" : "success",
        }),
      );
  if (messages.length === before) break;
}
console.log(`\n${messages.map((message) => message.type).join(", ")}`);
