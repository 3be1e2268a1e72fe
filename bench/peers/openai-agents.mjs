/** OpenAI Agents, streaming, over the Responses API (its default). */

import { Agent, OpenAIResponsesModel, run as runAgent, setTracingDisabled, tool } from "@openai/agents";
import OpenAI from "openai";
import { z } from "zod";

setTracingDisabled(true);

export function prepare({ baseURL, tools: given }) {
  const client = new OpenAI({ baseURL: `${baseURL}/v1`, apiKey: "none" });
  const tools = given.map(({ name, description, shape, run }) =>
    tool({ name, description, parameters: z.object(shape(z)), execute: (input) => run(input) }),
  );
  const model = new OpenAIResponsesModel(client, "gpt-5");
  const agent = new Agent({ name: "bench", instructions: "Go.", model, tools });
  return async () => {
    const stream = await runAgent(agent, "go", { stream: true, maxTurns: 50 });
    for await (const event of stream) void event;
    await stream.completed;
  };
}
