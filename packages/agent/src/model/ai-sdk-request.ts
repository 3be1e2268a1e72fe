/** Builds the options of the AI SDK's streaming call. */

import { AI_SDK_PART, PROVIDER_OPTIONS } from "./ai-sdk-part.ts";
import { aiSdkFile, aiSdkOutput } from "./ai-sdk-result.ts";
import type { Block, Message, ModelRequest } from "./message.ts";
import { aiSdkFormat } from "./output-schema.ts";
import { aiSdkChoice } from "./tool-choice.ts";
import { type Shape, isShape, shapeOf, stringOf } from "@runahead/base";

export type ProviderOptions = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The options of the call that are used here; the SDK's types have more. */
export interface AiSdkCall {
  readonly prompt: readonly object[];
  readonly maxOutputTokens?: number | undefined;
  readonly tools?: readonly object[] | undefined;
  readonly toolChoice?: object | undefined;
  readonly responseFormat?: object | undefined;
  readonly abortSignal?: AbortSignal | undefined;
  readonly providerOptions?: object | undefined;
  readonly headers?: object | undefined;
  readonly reasoning?: string | undefined;
}

/** Only Anthropic's provider reads this; the others cache automatically. */
const CACHED = { [PROVIDER_OPTIONS]: { anthropic: { cacheControl: { type: "ephemeral" } } } };
/** Two marks, so that a turn with many results still finds the mark of the previous request. */
const MARKED_MESSAGES = 2;

export function aiSdkCall(request: ModelRequest, version: string): AiSdkCall {
  const { system, tools, messages, maxTokens } = request;
  const convert = new Conversion(version);
  const first = system === "" ? [] : [{ role: "system", content: system, ...CACHED }];
  const users = messages.filter(({ role }) => role === "user").slice(-MARKED_MESSAGES);
  const rest = messages.flatMap((message) => {
    const converted = convert.message(message);
    if (!users.includes(message)) return converted;
    return converted.map((each, at) => (at === converted.length - 1 ? { ...each, ...CACHED } : each));
  });
  const definitions = tools.map(({ name, description, input_schema: inputSchema }, at) => {
    const tool = { type: "function", name, description, inputSchema };
    return at === tools.length - 1 ? { ...tool, ...CACHED } : tool;
  });
  const withTools = tools.length === 0 ? {} : { tools: definitions };
  return {
    prompt: [...first, ...rest],
    maxOutputTokens: maxTokens,
    ...withTools,
    ...aiSdkChoice(request),
    ...aiSdkFormat(request),
  };
}

class Conversion {
  readonly #version: string;
  /** The SDK requires the name of the tool in each result. */
  readonly #toolNames = new Map<unknown, unknown>();

  constructor(version: string) {
    this.#version = version;
  }

  message({ role, content }: Message): object[] {
    const blocks: readonly Block[] =
      typeof content === "string" ? [{ type: "text", text: content }] : content;
    if (role === "assistant") return messageOf("assistant", blocks.flatMap(this.#answerPart));
    const results = blocks.filter(({ type }) => type === "tool_result");
    const others = blocks.filter(({ type }) => type !== "tool_result");
    return [
      ...messageOf("tool", results.map(this.#resultPart)),
      ...messageOf(
        "user",
        others.map((block) => aiSdkFile(block, this.#version) ?? textPart(block)),
      ),
    ];
  }

  readonly #answerPart = (block: Block): Shape[] => {
    switch (block.type) {
      case "text":
        return [{ ...textPart(block), ...optionsOf(block) }];
      case "thinking": {
        const options = { anthropic: { signature: stringOf(block["signature"]) } };
        return [{ type: "reasoning", text: stringOf(block["thinking"]), [PROVIDER_OPTIONS]: options }];
      }
      case "redacted_thinking": {
        const options = { anthropic: { redactedData: stringOf(block["data"]) } };
        return [{ type: "reasoning", text: "", [PROVIDER_OPTIONS]: options }];
      }
      case "tool_use": {
        const { id: toolCallId, name: toolName, input } = block;
        this.#toolNames.set(toolCallId, toolName);
        return [{ type: "tool-call", toolCallId, toolName, input, ...optionsOf(block) }];
      }
      case AI_SDK_PART:
        return [shapeOf(block["part"])];
      default:
        // Data of another provider.
        return [];
    }
  };

  readonly #resultPart = (block: Block): Shape => {
    const toolCallId = block["tool_use_id"];
    const toolName = this.#toolNames.get(toolCallId) ?? "unknown";
    return { type: "tool-result", toolCallId, toolName, output: aiSdkOutput(block, this.#version) };
  };
}

function messageOf(role: string, content: readonly Shape[]): object[] {
  return content.length === 0 ? [] : [{ role, content }];
}

function textPart(block: Block): Shape {
  return { type: "text", text: stringOf(block["text"]) };
}

function optionsOf(block: Block): Shape {
  const options = block[PROVIDER_OPTIONS];
  return isShape(options) ? { [PROVIDER_OPTIONS]: options } : {};
}
