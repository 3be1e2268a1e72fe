/** Adapts tools of the AI SDK, without importing the SDK. */

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
import { isAsyncIterable, aString, required } from "@runahead/base";
import { Refusal } from "../shared/refusal.ts";

/** The used part of what `tool()` and `dynamicTool()` of AI SDK 6 return. */
export interface AiSdkTool {
  /** What the tool does, for the model. */
  readonly description?: string | undefined;
  /** Schema of the input, in any form that the SDK accepts. */
  readonly inputSchema: unknown;
  /** Runs the tool. Required by `fromAiSdk`. */
  execute?: ((input: never, options: never) => unknown) | undefined;
  /** Turns the output into what the model reads. */
  toModelOutput?: ((options: never) => unknown) | undefined;
  /** Whether the user must approve a call; a boolean or a function. */
  readonly needsApproval?: unknown;
}

/** The SDK's functions without their type parameters. */
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
  required(aString)(name, 'fromAiSdk: "name"');
  if (typeof tool?.execute !== "function")
    throw new TypeError(
      `fromAiSdk: the tool "${name}" has no execute function. Tools that run elsewhere cannot be adapted.`,
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

/** Uses a Standard Schema directly and converts the SDK's own schema type, which may be lazy. */
function inputSchemaOf(name: string, given: unknown): NamedSchema | JsonSchema {
  if ((given as { "~standard"?: unknown } | null | undefined)?.["~standard"] !== undefined)
    return given as NamedSchema;
  const { jsonSchema, validate } = ((typeof given === "function" ? given() : given) ?? {}) as AiSdkSchema;
  if (jsonSchema === undefined || typeof jsonSchema["then"] === "function")
    throw new TypeError(
      `fromAiSdk: the input schema of the tool "${name}" has no JSON Schema, or only a promise of one.`,
    );
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

/** Asks the user if the tool requires approval, whatever the permission rules say. */
async function approve({ adapted, members: { needsApproval }, input, context }: Approving): Promise<void> {
  const { callId, signal, permissions, context: shared } = context;
  const isNeeded =
    typeof needsApproval === "function"
      ? await needsApproval(input, { toolCallId: callId, messages: [] })
      : needsApproval;
  if (isNeeded === undefined || isNeeded === false) return;
  const reason = `The tool ${adapted.name} requires approval.`;
  const question = { callId, tool: adapted, input, context: shared, reason, waiting: 0, signal };
  const answer = await permissions.ask(question);
  if (answer.behavior === "allow") return;
  const message = answer.behavior === "deny" ? (answer.message ?? "") : "";
  throw new Refusal(`Not run: the user did not approve it. ${message}`.trimEnd());
}

const SHOWN_CHARS = 200;

/** Of several values, the last is the output, and each is reported as progress. */
async function run(members: Members, input: unknown, context: CallContext): Promise<unknown> {
  const { callId, signal, progress } = context;
  const given = members.execute(input, { toolCallId: callId, messages: [], abortSignal: signal });
  if (!isAsyncIterable(given)) return given;
  let output: unknown;
  for await (output of given) {
    signal.throwIfAborted();
    const message = typeof output === "string" ? output.slice(0, SHOWN_CHARS) : "Intermediate result";
    progress({ type: "status", message, output });
  }
  return output;
}
