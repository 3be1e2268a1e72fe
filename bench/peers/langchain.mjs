/** LangChain's `createAgent`, streaming tokens as its docs show. */

import { ChatAnthropic } from "@langchain/anthropic";
import { createAgent, tool } from "langchain";
import { z } from "zod";

export function prepare({ baseURL, tools: given }) {
  const model = new ChatAnthropic({ model: "claude-sonnet-4-6", apiKey: "none", anthropicApiUrl: baseURL });
  const tools = given.map(({ name, description, shape, run }) =>
    tool((input) => run(input), { name, description, schema: z.object(shape(z)) }),
  );
  const agent = createAgent({ model, tools });
  return async () => {
    const input = { messages: [{ role: "user", content: "go" }] };
    const stream = await agent.stream(input, { streamMode: "messages", recursionLimit: 100 });
    for await (const chunk of stream) void chunk;
  };
}
