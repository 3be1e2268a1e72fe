/** Scripts that the provider runs: Anthropic's code execution calls a tool that runs here. */

import { anthropic, createAgent } from "@runahead/agent";
import { defineTool } from "@runahead/engine";
import { z } from "zod";
import { type RawResponse, scriptedServer } from "./scripted-server.ts";

const stock = defineTool({
  name: "Stock",
  description: "Returns how many pieces of an article are in stock.",
  inputSchema: z.object({ article: z.string() }),
  isReadOnly: () => true,
  access: ({ article }) => [{ mode: "read", place: `shop:/stock/${article}` }],
  call: ({ article }) => ({ article, pieces: (article.length * 7) % 11 }),
});

const server = await scriptedServer(scriptBegins(), scriptEnds());
const model = anthropic({
  model: "claude-sonnet-4-6",
  apiKey: "none",
  baseURL: server.url,
  codeExecution: { tools: ["Stock"] },
});
const agent = createAgent({
  model,
  tools: [stock],
  // The script runs on Anthropic's servers, but each of its calls is judged here.
  canUseTool: (_tool, input) =>
    (input as { article: string }).article === "secret"
      ? { behavior: "deny", reason: "This article is not public." }
      : { behavior: "allow" },
  onEvent: (event) => {
    if (event.type === "call-settled") console.log(`${event.callId}: ${event.outcome.type}`);
  },
});
const { text } = await agent.send("Which of these articles are out of stock?");
console.log(text);
await agent.close();
server.close();

/** What the API sends while a script waits for three calls of our tool. */
function scriptBegins(): RawResponse {
  const code = "print([await Stock({'article': a}) for a in ['screw', 'wallpapers', 'secret']])";
  const script = { type: "server_tool_use", id: "srvtoolu_1", name: "code_execution", input: { code } };
  const caller = { type: "code_execution_20260120", tool_id: "srvtoolu_1" };
  const call = (id: string, article: string) => ({
    type: "tool_use",
    id,
    name: "Stock",
    input: { article },
    caller,
  });
  const container = { id: "container_1", expires_at: "2999-01-01T00:00:00Z" };
  return {
    events: [
      {
        type: "message_start",
        message: {
          id: "msg_1",
          type: "message",
          role: "assistant",
          model: "scripted",
          container,
          content: [script, call("call_1", "screw"), call("call_2", "wallpapers"), call("call_3", "secret")],
          stop_reason: "tool_use",
          usage: { input_tokens: 100, output_tokens: 50 },
        },
      },
      { type: "message_stop" },
    ],
  };
}

/** What it sends when it has the results: the script has ended, and the model answers. */
function scriptEnds(): RawResponse {
  const content = { type: "code_execution_result", stdout: "", stderr: "", return_code: 0, content: [] };
  const ended = { type: "code_execution_tool_result", tool_use_id: "srvtoolu_1", content };
  const usage = { input_tokens: 200, output_tokens: 20 };
  const message = { id: "msg_2", type: "message", role: "assistant", model: "scripted", content: [], usage };
  return {
    events: [
      { type: "message_start", message },
      { type: "content_block_start", index: 0, content_block: ended },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
      {
        type: "content_block_delta",
        index: 1,
        delta: { type: "text_delta", text: "Two articles were looked up." },
      },
      { type: "content_block_stop", index: 1 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage },
      { type: "message_stop" },
    ],
  };
}
