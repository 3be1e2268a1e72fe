/** AI SDK 7: `streamText` with steps. */

import { createAnthropic } from "@ai-sdk/anthropic";
import { isStepCount, streamText, tool } from "ai";
import { z } from "zod";

/** `adapt` makes other tools of the SDK's, and `wrap` another model for them. */
export function streaming({ baseURL, tools: given }, adapt, wrap = (model) => model) {
  const plain = createAnthropic({ baseURL: `${baseURL}/v1`, apiKey: "none" })("claude-sonnet-4-6");
  const define = ({ description, shape, run }) =>
    tool({ description, inputSchema: z.object(shape(z)), execute: (input) => run(input) });
  const tools = adapt(Object.fromEntries(given.map((one) => [one.name, define(one)])));
  const model = wrap(plain, tools);
  return async () => {
    let failure;
    const onError = ({ error }) => {
      failure = error;
    };
    const result = streamText({ model, tools, prompt: "go", stopWhen: isStepCount(50), onError });
    await result.consumeStream();
    if (failure !== undefined) throw failure;
  };
}

export const prepare = (options) => streaming(options, (tools) => tools);
