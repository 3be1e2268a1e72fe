/** AI SDK 6.0.0, the last that started tools in mid-stream: `streamText` with steps. */

import { stepCountIs, streamText } from "ai6";
import { createAnthropic } from "ai6-anthropic";
import { z } from "zod";

export function prepare({ baseURL, tools: given }) {
  const model = createAnthropic({ baseURL: `${baseURL}/v1`, apiKey: "none" })("claude-sonnet-4-6");
  const define = ({ description, shape, run }) => ({
    description,
    inputSchema: z.object(shape(z)),
    execute: (input) => run(input),
  });
  const tools = Object.fromEntries(given.map((one) => [one.name, define(one)]));
  return async () => {
    let failure;
    const onError = ({ error }) => {
      failure = error;
    };
    const result = streamText({ model, tools, prompt: "go", stopWhen: stepCountIs(50), onError });
    await result.consumeStream();
    if (failure !== undefined) throw failure;
  };
}
