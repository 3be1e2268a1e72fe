/** Ours: the same request and parse as the hand-written loop, with the executor on the stream. */

import { anthropicCalls, defineTool, StreamingToolExecutor } from "@runahead/engine";
import { z } from "zod";
import { accumulator, declare, events, firstMessage, send } from "./sse.mjs";

/** What each tool touches, declared per path. The files of the bench are in memory, so no links can lead to them. */
export const ACCESS = {
  read: ({ path }) => [{ mode: "read", place: `memory:/${path}` }],
  write: ({ path }) => [{ mode: "write", place: `memory:/${path}` }],
  everything: () => [{ mode: "write", place: "*" }],
};

export const define = ({ name, description, shape, access, run }) =>
  defineTool({
    name,
    description,
    inputSchema: z.object(shape(z)),
    isReadOnly: () => access === "read",
    access: ACCESS[access],
    call: (input) => run(input),
  });

async function resultsOf(executor) {
  const results = [];
  for await (const update of executor.remaining()) if (update.type === "result") results.push(update.result);
  return results;
}

/** Hands calls on to the executor and their input to the message, so that it is parsed once. */
function noting(executor, message) {
  return {
    add(call) {
      message.input = call.input;
      return executor.add(call);
    },
    end: (ending) => executor.end(ending),
  };
}

export function prepare({ baseURL, trace, tools: given }) {
  const declared = declare(given, z);
  const tools = given.map(define);
  return async () => {
    const messages = [firstMessage];
    for (;;) {
      const executor = new StreamingToolExecutor({ tools, limit: trace.limit ?? 10 });
      const message = accumulator();
      const response = await send(baseURL, declared, messages);
      for await (const event of anthropicCalls(events(response), noting(executor, message)))
        message.take(event);
      const results = await resultsOf(executor);
      if (results.length === 0) return;
      messages.push({ role: "assistant", content: message.content }, { role: "user", content: results });
    }
  };
}
