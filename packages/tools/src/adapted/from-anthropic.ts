/** Adapts tools of the Anthropic SDK's tool runner, without importing the SDK. */

import {
  type AnyTool,
  type CallContext,
  type JsonSchema,
  type ResultBlock,
  defineTool,
  type ToolDeclarations,
} from "@runahead/engine";
import { type AdaptedOutput, contentOf, imageBlocks, valueBlocks } from "./from-content.ts";
import { type NamedSchema, checkOf, issuesOf, schemaOf } from "./from-schema.ts";
import { Refusal } from "../shared/refusal.ts";

/** The used part of what `betaTool` and `betaZodTool` return. */
export interface AnthropicRunnableTool {
  /** Name that the model calls it by. */
  readonly name: string;
  /** What the tool does, for the model. */
  readonly description?: string | undefined;
  /** JSON Schema of the input. */
  readonly input_schema: object;
  /** Runs the tool. */
  run(input: never, context?: never): unknown;
  /** Checks and converts the input before `run`. */
  parse?(content: unknown): unknown;
}

interface Members {
  run(input: unknown, context: object): unknown;
  parse?(content: unknown): unknown;
}

/** Tools that the SDK's types allow; some have no schema. */
type Runnable = { readonly name: string; run(input: never, context?: never): unknown };

/**
 * Turns a runnable tool of the Anthropic SDK into a tool of the engine.
 *
 * @param added What the tool reads and writes. Without it, every call counts as a write of everything.
 * @throws {TypeError} if the tool has no `run` or no `input_schema`: then it runs on the server.
 * @example
 * ```ts
 * const weather = fromAnthropicTool(betaZodTool({ name: "Weather", inputSchema, run }), { isReadOnly: () => true });
 * ```
 */
export function fromAnthropicTool(
  tool: AnthropicRunnableTool | Runnable,
  added: ToolDeclarations = {},
): AnyTool {
  if (typeof tool !== "object" || tool === null)
    throw new TypeError(`fromAnthropicTool: expected a tool of the Anthropic SDK, got ${String(tool)}.`);
  const { name, description = "", input_schema } = tool as AnthropicRunnableTool;
  if (typeof tool.run !== "function" || typeof input_schema !== "object" || input_schema === null)
    throw new TypeError(
      `fromAnthropicTool: the tool "${name}" has no run function or no input_schema. Tools that run on the server cannot be adapted.`,
    );
  const members = tool as unknown as Members;
  return defineTool<unknown, Promise<AdaptedOutput>>({
    ...added,
    name,
    description,
    inputSchema: inputSchemaOf(input_schema as JsonSchema, members),
    call: async (input, context) => {
      const output = await run(members, { name, input }, context);
      return { output, content: await blocksOf(output, context.signal) };
    },
    toResult: contentOf,
  });
}

/** A `parse` that returns its argument has not validated it, so the JSON Schema is used. */
function inputSchemaOf(jsonSchema: JsonSchema, members: Members): NamedSchema | JsonSchema {
  const check = checkOf(jsonSchema);
  return schemaOf(jsonSchema, (value) => {
    try {
      const parsed = members.parse === undefined ? value : members.parse(value);
      return parsed === value && check !== undefined ? check(value) : { value: parsed };
    } catch (error) {
      return issuesOf(error);
    }
  });
}

interface Running {
  readonly name: string;
  readonly input: unknown;
}

async function run(
  members: Members,
  { name, input }: Running,
  { callId, signal }: CallContext,
): Promise<unknown> {
  const toolUse = { type: "tool_use", id: callId, name, input };
  try {
    return await members.run(input, { toolUse, toolUseBlock: toolUse, signal });
  } catch (error) {
    throw readableError(error);
  }
}

/** The `content` of the SDK's `ToolError` is meant for the model. */
function readableError(error: unknown): unknown {
  const { content } = (error ?? {}) as { content?: unknown };
  if (!(error instanceof Error)) return error;
  if (typeof content === "string") return new Refusal(content);
  if (!Array.isArray(content)) return error;
  const parts = (content as readonly { type?: string; text?: string }[]).map(
    ({ type, text }) => text ?? `[${type ?? "unknown"}]`,
  );
  return new Refusal(parts.join("\n"));
}

type Source = { readonly type?: unknown; readonly data?: unknown };

async function blocksOf(output: unknown, signal: AbortSignal): Promise<readonly ResultBlock[]> {
  if (!Array.isArray(output)) return valueBlocks(output);
  const blocks: ResultBlock[] = [];
  for (const block of output as readonly ResultBlock[]) {
    const { type, data } = (block as { source?: Source } | null)?.source ?? {};
    const isInline = block?.type === "image" && type === "base64";
    blocks.push(...(isInline ? await imageBlocks(String(data), signal) : [block]));
  }
  return blocks;
}
