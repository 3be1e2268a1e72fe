/** Tools in the formats of the model APIs. */

import { checkName, shown } from "../runtime/shapes.ts";
import type { AnyTool } from "../runtime/tool.ts";
import { jsonSchemaOf } from "./json-schema.ts";
import type { ToolDefinition } from "./message.ts";

/** Describes a tool to the Messages API. Assignable to `Anthropic.Tool`. */
export interface AnthropicTool extends ToolDefinition {
  /** The JSON Schema of its input. */
  readonly input_schema: {
    /** Always `object`: the API accepts no other input. */
    readonly type: "object";
    readonly [name: string]: unknown;
  };
}

/** Describes a tool to Chat Completions. Assignable to `OpenAI.ChatCompletionTool`. */
export interface OpenAiChatTool {
  /** Always `function`. */
  readonly type: "function";
  /** What the model reads about the tool. */
  readonly function: {
    /** The name that the model calls it by. */
    readonly name: string;
    /** What the tool does and when to use it, for the model. */
    readonly description: string;
    /** The JSON Schema of its input. */
    readonly parameters: Record<string, unknown>;
  };
}

/** Describes a tool to the Responses API. Assignable to `OpenAI.Responses.FunctionTool`. */
export interface OpenAiResponsesTool {
  /** Always `function`. */
  readonly type: "function";
  /** The name that the model calls it by. */
  readonly name: string;
  /** What the tool does and when to use it, for the model. */
  readonly description: string;
  /** The JSON Schema of its input. */
  readonly parameters: Record<string, unknown>;
  /** Always false: strict mode refuses schemas with optional members. The engine validates the input itself. */
  readonly strict: false;
}

/** Holds the same tools for both of OpenAI's APIs. */
export interface OpenAiTools {
  /** For `tools` of Chat Completions. */
  readonly chat: OpenAiChatTool[];
  /** For `tools` of the Responses API. */
  readonly responses: OpenAiResponsesTool[];
}

/** Created once for each tool, so that the definition stays byte-identical and the prompt cache works. */
const made = new WeakMap<AnyTool, AnthropicTool>();

/**
 * Describes tools to a model in the format of Anthropic's Messages API.
 *
 * The JSON Schema of a tool is its `jsonSchema`, its `inputSchema` if that is plain JSON Schema, or what its
 * schema library generates from `inputSchema`. The same tool returns the same object every time.
 *
 * @throws TypeError if a tool is wrong, or its schema cannot be converted to JSON Schema; the message says what is missing.
 *
 * @example
 * ```ts
 * import { defineTool, toAnthropicTools } from "@runahead/engine";
 * import { z } from "zod";
 *
 * const weather = defineTool({
 *   name: "Weather",
 *   description: "Returns the weather in a city.",
 *   inputSchema: z.object({ city: z.string() }),
 *   call: ({ city }) => `It is sunny in ${city}.`,
 * });
 * const request = { model: "claude-sonnet-4-5", max_tokens: 1_000, tools: toAnthropicTools([weather]) };
 * ```
 */
export function toAnthropicTools(tools: readonly AnyTool[]): AnthropicTool[] {
  if (!Array.isArray(tools))
    throw new TypeError(`toAnthropicTools needs an array of tools, not ${shown(tools)}.`);
  return tools.map((tool) => {
    checkName(tool);
    const definition = made.get(tool) ?? definitionOf(tool);
    made.set(tool, definition);
    return definition;
  });
}

/**
 * Describes tools to a model in the forms of OpenAI's two APIs.
 *
 * @throws TypeError if a tool is wrong, or its schema cannot be converted to JSON Schema, as {@link toAnthropicTools} does.
 *
 * @example
 * ```ts
 * import { defineTool, toOpenAiTools } from "@runahead/engine";
 * import { z } from "zod";
 *
 * const weather = defineTool({
 *   name: "Weather",
 *   description: "Returns the weather in a city.",
 *   inputSchema: z.object({ city: z.string() }),
 *   call: ({ city }) => `It is sunny in ${city}.`,
 * });
 * const forChat = { model: "gpt-5", tools: toOpenAiTools([weather]).chat };
 * const forResponses = { model: "gpt-5", tools: toOpenAiTools([weather]).responses };
 * ```
 */
export function toOpenAiTools(tools: readonly AnyTool[]): OpenAiTools {
  const functions = toAnthropicTools(tools).map(({ name, description, input_schema: parameters }) => ({
    name,
    description,
    parameters,
  }));
  const type = "function";
  return {
    chat: functions.map((one) => ({ type, function: one })),
    responses: functions.map((one) => ({ type, ...one, strict: false })),
  };
}

function definitionOf(tool: AnyTool): AnthropicTool {
  const { name, description } = tool;
  return { name, description, input_schema: { type: "object", ...jsonSchemaOf(tool) } };
}
