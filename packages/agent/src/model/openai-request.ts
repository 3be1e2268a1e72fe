/** Turns a history in the Messages API's form into requests of OpenAI's two APIs. */

import { type ToolResult, toOpenAi } from "@runahead/engine";
import type { Block, Message, ModelRequest } from "./message.ts";
import { chatAnswer, chatCall, stringOf } from "@runahead/base";
import { reasoningMembers } from "./chat-reasoning.ts";
import { itemIn, ownMembers } from "./openai-item.ts";
import { chatOutput, responsesOutput } from "./output-schema.ts";
import { type ProviderPrograms, withProgramCalls } from "./provider-programs.ts";
import { messageItem } from "./responses-message.ts";
import { chatChoice, responsesChoice } from "./tool-choice.ts";
import { type ProviderSearch, withOpenAiSearch } from "./web-search.ts";

type Item = Readonly<Record<string, unknown>>;

export function chatBody(model: string, request: ModelRequest, limitName: string): Item {
  const { system, tools, messages, maxTokens } = request;
  const first: Item[] = system === "" ? [] : [{ role: "system", content: system }];
  return {
    model,
    stream: true,
    stream_options: { include_usage: true },
    [limitName]: maxTokens,
    messages: [...first, ...messages.flatMap((message) => chatMessages(message, model))],
    ...(tools.length === 0
      ? {}
      : { tools: tools.map((tool) => ({ type: "function", function: functionOf(tool) })) }),
    ...chatChoice(request),
    ...chatOutput(request),
  };
}

/** Tools of the provider. */
export interface OpenAiTools {
  readonly webSearch?: ProviderSearch | undefined;
  readonly codeExecution?: ProviderPrograms | undefined;
}

export function responsesBody(
  model: string,
  request: ModelRequest,
  { webSearch, codeExecution }: OpenAiTools = {},
): Item {
  const { system, messages, maxTokens } = request;
  const offered = withOpenAiSearch(request, webSearch);
  const functions = offered.tools.map((tool) => ({ type: "function", strict: false, ...functionOf(tool) }));
  const tools = [...withProgramCalls(functions, codeExecution), ...offered.search];
  return {
    model,
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
    max_output_tokens: maxTokens,
    ...(system === "" ? {} : { instructions: system }),
    input: withPrograms(messages.flatMap(responsesItems)),
    ...(tools.length === 0 ? {} : { tools }),
    ...offered.limit,
    ...responsesChoice({ ...request, tools: offered.tools }),
    ...responsesOutput(request),
  };
}

function functionOf({ name, description, input_schema }: ModelRequest["tools"][number]): Item {
  return { name, description, parameters: input_schema };
}

function blocksOf({ content }: Message): readonly Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

const isType =
  (type: string) =>
  (block: Block): boolean =>
    block.type === type;
const textOf = (block: Block): string => stringOf(block["text"]);

function chatMessages(message: Message, model: string): Item[] {
  return message.role === "assistant"
    ? chatAnswers(blocksOf(message), model)
    : [...chatResults(message), ...chatQuestion(message)];
}

/** Returns no message if all blocks belong to another provider. */
function chatAnswers(blocks: readonly Block[], model: string): Item[] {
  const text = blocks.filter(isType("text")).map(textOf).join("");
  const calls = blocks.filter(isType("tool_use")).map((block) => {
    const { id, name, input } = block;
    return chatCall({ id, name, input }, ownMembers(block, "chat"));
  });
  if (text === "" && calls.length === 0) return [];
  return [chatAnswer({ text, calls, reasoning: reasoningMembers(blocks, model) })];
}

function chatResults(message: Message): readonly Item[] {
  return toOpenAi(resultsOf(message)).chat.map((result) => ({ ...result }));
}

function resultsOf(message: Message): ToolResult[] {
  return blocksOf(message)
    .filter(isType("tool_result"))
    .map((block) => ({ is_error: false, content: "", ...block }) as unknown as ToolResult);
}

function chatQuestion(message: Message): Item[] {
  const blocks = blocksOf(message).filter((block) => block.type !== "tool_result");
  if (blocks.length === 0) return [];
  if (blocks.every(isType("text"))) return [{ role: "user", content: blocks.map(textOf).join("\n") }];
  const parts = blocks.map((block) => {
    const url = imageUrl(block);
    return url === undefined
      ? { type: "text", text: textOf(block) }
      : { type: "image_url", image_url: { url } };
  });
  return [{ role: "user", content: parts }];
}

function imageUrl(block: Block): string | undefined {
  const source = (block["source"] ?? {}) as Record<string, unknown>;
  if (block.type !== "image") return undefined;
  if (source["type"] === "url") return stringOf(source["url"]);
  return `data:${stringOf(source["media_type"])};base64,${stringOf(source["data"])}`;
}

function responsesItems(message: Message): Item[] {
  if (message.role === "assistant") return blocksOf(message).flatMap(responsesAnswer);
  const results = toOpenAi(resultsOf(message)).responses.map((result) => ({ ...result }));
  const blocks = blocksOf(message).filter((block) => block.type !== "tool_result");
  if (blocks.length === 0) return results;
  const content = blocks.map((block) => {
    const url = imageUrl(block);
    return url === undefined
      ? { type: "input_text", text: textOf(block) }
      : { type: "input_image", image_url: url };
  });
  return [...results, { role: "user", content }];
}

/** The result of a call that a program of the provider made names the program. */
function withPrograms(items: readonly Item[]): readonly Item[] {
  const callers = new Map<unknown, unknown>();
  for (const { type, call_id, caller } of items)
    if (type === "function_call" && caller !== undefined) callers.set(call_id, caller);
  if (callers.size === 0) return items;
  return items.map((item) => {
    const caller = item["type"] === "function_call_output" ? callers.get(item["call_id"]) : undefined;
    return caller === undefined ? item : { ...item, caller };
  });
}

function responsesAnswer(block: Block): Item[] {
  if (block.type === "text") return [messageItem(block)];
  if (block.type === "tool_use") {
    const { id, name, input } = block;
    const own = ownMembers(block, "item");
    return [{ ...own, type: "function_call", call_id: id, name, arguments: JSON.stringify(input) }];
  }
  const item = itemIn(block);
  return item === undefined ? [] : [item];
}
