/** A tool of the AI SDK as a tool of ours. Nothing of the SDK is imported: what is used of a tool is its form. */

import {
  type AnyTool,
  type CallContext,
  type JsonSchema,
  defineTool,
  type ToolDeclarations,
} from "@runahead/engine";
import { aiSdkContent } from "./from-ai-sdk-output.ts";
import { type AdaptedOutput, contentOf, valueBlocks } from "./from-content.ts";
import { type NamedSchema, fromJsonSchema, issuesOf, schemaOf } from "./from-schema.ts";
import { isAsyncIterable } from "@runahead/base";
import { Refusal } from "../shared/refusal.ts";

/** What `tool()` and `dynamicTool()` of AI SDK 6 give, as far as it is used. */
export interface AiSdkTool {
  /** What the tool does, for the model. */
  readonly description?: string | undefined;
  /** Schema of the input, in any form that the SDK accepts. */
  readonly inputSchema: unknown;
  /** Runs the tool. Required by `fromAiSdk`. */
  execute?: ((input: never, options: never) => unknown) | undefined;
  /** Turns the output into what the model reads. */
  toModelOutput?: ((options: never) => unknown) | undefined;
  /** Whether a person must approve a call; a boolean or a function. */
  readonly needsApproval?: unknown;
}

/** What the SDK's functions are called with, once their types are left behind. */
interface Members {
  execute(input: unknown, options: object): unknown;
  toModelOutput?(options: object): unknown;
  readonly needsApproval?: boolean | ((input: unknown, options: object) => unknown);
}

/**
 * Turns a tool of the AI SDK into a tool of the engine.
 *
 * @param name Name that the model calls it by.
 * @param added What the tool reads and writes. Without it, every call counts as a write of everything.
 * @throws {TypeError} if the tool has no `execute`.
 * @example
 * ```ts
 * const weather = fromAiSdk("Weather", tool({ inputSchema, execute }), { isReadOnly: () => true });
 * ```
 */
export function fromAiSdk(name: string, tool: AiSdkTool, added: ToolDeclarations = {}): AnyTool {
  if (typeof tool.execute !== "function")
    throw new TypeError(
      `The AI SDK tool "${name}" has no execute: it would have to be run by somebody else.`,
    );
  const members = tool as unknown as Members;
  const adapted: AnyTool = defineTool<unknown, Promise<AdaptedOutput>>({
    ...added,
    name,
    description: tool.description ?? "",
    inputSchema: inputSchemaOf(name, tool.inputSchema),
    call: async (input, context) => {
      await approve({ adapted, members, input, context });
      const output = await run(members, input, context);
      if (members.toModelOutput === undefined) return { output, content: valueBlocks(output) };
      const said: unknown = await members.toModelOutput({ toolCallId: context.callId, input, output });
      return { output, content: await aiSdkContent(said, context.signal) };
    },
    toResult: contentOf,
  });
  return adapted;
}

interface AiSdkSchema {
  readonly jsonSchema?: JsonSchema | PromiseLike<JsonSchema>;
  readonly validate?: (value: unknown) => AiSdkValidation | PromiseLike<AiSdkValidation>;
}

type AiSdkValidation = { success: true; value: unknown } | { success: false; error: unknown };

/** A Standard Schema is taken as it is; the SDK's own form, perhaps made later, is turned into one. */
function inputSchemaOf(name: string, given: unknown): NamedSchema | JsonSchema {
  if ((given as { "~standard"?: unknown } | null | undefined)?.["~standard"] !== undefined)
    return given as NamedSchema;
  const { jsonSchema, validate } = ((typeof given === "function" ? given() : given) ?? {}) as AiSdkSchema;
  if (jsonSchema === undefined || typeof jsonSchema["then"] === "function")
    throw new TypeError(`The schema of the AI SDK tool "${name}" has no JSON Schema, or has it only later.`);
  if (validate === undefined) return fromJsonSchema(jsonSchema as JsonSchema);
  return schemaOf(jsonSchema as JsonSchema, async (value) => {
    const result = await validate(value);
    return result.success ? { value: result.value } : issuesOf(result.error);
  });
}

interface Approving {
  readonly adapted: AnyTool;
  readonly members: Members;
  readonly input: unknown;
  readonly context: CallContext;
}

/** The tool's author wants a person to be asked, whatever the rules say. */
async function approve({ adapted, members: { needsApproval }, input, context }: Approving): Promise<void> {
  const { callId, signal, permissions, context: shared } = context;
  const isNeeded =
    typeof needsApproval === "function"
      ? await needsApproval(input, { toolCallId: callId, messages: [] })
      : needsApproval;
  if (isNeeded === undefined || isNeeded === false) return;
  const reason = `The tool ${adapted.name} itself asks for approval.`;
  const question = { callId, tool: adapted, input, context: shared, reason, waiting: 0, signal };
  const answer = await permissions.ask(question);
  if (answer.behavior === "allow") return;
  throw new Refusal(`It was not run: the person did not approve it. ${answer.message ?? ""}`.trimEnd());
}

const SHOWN_CHARS = 200;

/** Of several values the last is the output, and each of them progress. */
async function run(members: Members, input: unknown, context: CallContext): Promise<unknown> {
  const { callId, signal, progress } = context;
  const given = members.execute(input, { toolCallId: callId, messages: [], abortSignal: signal });
  if (!isAsyncIterable(given)) return given;
  let output: unknown;
  for await (output of given) {
    signal.throwIfAborted();
    const message = typeof output === "string" ? output.slice(0, SHOWN_CHARS) : "An intermediate result";
    progress({ type: "status", message, output });
  }
  return output;
}
