import type Anthropic from "@anthropic-ai/sdk";
import { type AnyTool, type ToolResult, toAnthropicTools, toOpenAi, toOpenAiTools } from "@runahead/engine";
import type OpenAI from "openai";
import { expect, test } from "vitest";
import { z } from "zod";

const tool: AnyTool = {
  name: "Read",
  description: "Reads a file.",
  inputSchema: z.object({ path: z.string() }),
  call: () => "done",
};

const image = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: "aGk=" },
} as const;
const result: ToolResult = {
  type: "tool_result",
  tool_use_id: "toolu_1",
  content: [{ type: "text", text: "one" }, image],
  is_error: false,
};

/** Compiles only if no cast is needed. */
test("results and tools go into the SDKs' own types without a cast", () => {
  const block: Anthropic.ToolResultBlockParam = result;
  const message: Anthropic.MessageParam = { role: "user", content: [result] };
  const anthropic: Anthropic.ToolUnion[] = toAnthropicTools([tool]);
  expect([block, message.content, anthropic[0]]).toEqual([
    result,
    [result],
    {
      name: "Read",
      description: "Reads a file.",
      input_schema: {
        type: "object",
        properties: { path: { type: "string" } },
        required: ["path"],
      },
    },
  ]);
  const { chat, responses } = toOpenAi([result]);
  const chatMessages: OpenAI.ChatCompletionMessageParam[] = chat;
  const toolMessages: OpenAI.ChatCompletionToolMessageParam[] = chat;
  const input: OpenAI.Responses.ResponseInput = responses;
  const outputs: OpenAI.Responses.ResponseInputItem.FunctionCallOutput[] = responses;
  expect([chatMessages.length, toolMessages.length, input.length, outputs.length]).toEqual([1, 1, 1, 1]);
  const tools = toOpenAiTools([tool]);
  const chatTools: OpenAI.ChatCompletionTool[] = tools.chat;
  const responsesTools: OpenAI.Responses.Tool[] = tools.responses;
  expect(chatTools[0]).toMatchObject({ type: "function", function: { name: "Read" } });
  expect(responsesTools[0]).toMatchObject({ type: "function", name: "Read", strict: false });
});
