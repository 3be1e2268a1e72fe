/** The loop over HTTP with servers whose reasoning must come back: the second request decides. */

import { afterEach, expect, test } from "vitest";
import { openai } from "../../src/model/openai.ts";
import { type ModelServer, modelServer, sse } from "../support/model-server.ts";
import { read } from "../support/read-tool.ts";
import { runQuery } from "../support/run-query.ts";
import { chatChunk } from "../support/wires.ts";

const servers: ModelServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

const called = (delta: object) =>
  sse([
    chatChunk({ role: "assistant", ...delta }),
    chatChunk({
      tool_calls: [
        { index: 0, id: "a", type: "function", function: { name: "Read", arguments: '{"file_path":"a"}' } },
      ],
    }),
    chatChunk({}, "tool_calls"),
  ]);
const done = sse([chatChunk({ content: "Done." }), chatChunk({}, "stop")]);

/** The assistant's message in the second request. */
async function sentBack(delta: object): Promise<unknown> {
  const server = await modelServer({ pieces: [called(delta)] }, { pieces: [done] });
  servers.push(server);
  const model = openai({ model: "thinker", apiKey: "key", baseURL: `${server.url}/v1` });
  const { result } = await runQuery({ model, tools: [read], prompt: "go" });
  expect(result.reason).toBe("completed");
  const { messages } = (server.requests[1]?.body ?? {}) as unknown as { messages: { role: string }[] };
  return messages.find(({ role }) => role === "assistant");
}

test("class reasoning: the second turn carries the reasoning of the first", async () => {
  for (const name of ["reasoning_content", "reasoning"])
    expect(await sentBack({ [name]: "I must look." })).toMatchObject({
      [name]: "I must look.",
      tool_calls: [{ id: "a" }],
    });
  const thought = { type: "thinking", thinking: [{ type: "text", text: "I must look." }] };
  expect(await sentBack({ content: [thought] })).toMatchObject({
    content: [thought],
    tool_calls: [{ id: "a" }],
  });
});
