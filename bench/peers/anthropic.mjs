/** The Anthropic SDK's tool runner over streams, starting tools when the message is complete (its default). */

import Anthropic from "@anthropic-ai/sdk";
import { betaZodTool } from "@anthropic-ai/sdk/helpers/beta/zod";
import { z } from "zod";

/** `settings` are further settings of the runner. */
export function toolRunner({ baseURL, tools: given }, settings) {
  const client = new Anthropic({ baseURL, apiKey: "none" });
  const tools = given.map(({ name, description, shape, run }) =>
    betaZodTool({ name, description, inputSchema: z.object(shape(z)), run: (input) => run(input) }),
  );
  return async () => {
    const runner = client.beta.messages.toolRunner({
      model: "claude-sonnet-4-6",
      max_tokens: 4096,
      messages: [{ role: "user", content: "go" }],
      tools,
      stream: true,
      ...settings,
    });
    for await (const stream of runner) {
      for await (const event of stream) void event;
    }
  };
}

export const prepare = (options) => toolRunner(options, {});
