/** Parse the whole response, then `Promise.all`: what most people write first. */

import { z } from "zod";
import { accumulator, declare, events, firstMessage, send } from "./sse.mjs";

const together = (calls, runOne) => Promise.all(calls.map(runOne));

/** `runAll` decides how the calls of a finished message are run. */
export function loop({ baseURL, tools }, runAll) {
  const declared = declare(tools, z);
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const runOne = async ({ id, name, input }) => ({
    type: "tool_result",
    tool_use_id: id,
    content: await byName.get(name).run(input),
  });
  return async () => {
    const messages = [firstMessage];
    for (;;) {
      const message = accumulator();
      for await (const event of events(await send(baseURL, declared, messages))) message.take(event);
      const calls = message.content.filter((block) => block.type === "tool_use");
      if (calls.length === 0) return;
      messages.push({ role: "assistant", content: message.content });
      messages.push({ role: "user", content: await runAll(calls, runOne) });
    }
  };
}

export const prepare = (options) => loop(options, together);
