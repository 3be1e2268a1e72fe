/**
 * Adapts a language model object of the AI SDK. It uses the model's own streaming call, not the SDK's tool loop, and
 * imports nothing of the SDK.
 */

import { createAnthropicReader } from "@runahead/engine/wire";
import { errorOfAiSdk } from "./ai-sdk-error.ts";
import { AiSdkReader } from "./ai-sdk-reader.ts";
import { type AiSdkCall, type ProviderOptions, aiSdkCall } from "./ai-sdk-request.ts";
import { CallWire, type WireEvent } from "./ai-sdk-wire.ts";
import { aiSdkThinking, mergedOptions } from "./ai-sdk-thinking.ts";
import { someFacts } from "./check-options.ts";
import { noAnswerWithin } from "./connection-error.ts";
import { type ThinkingOptions, aThinking, anEffort } from "./effort.ts";
import { ModelError } from "./error.ts";
import { type ModelFacts, factsOf } from "./models.ts";
import type { Model } from "./event.ts";
import { withIdleLimit } from "./idle.ts";
import { type EventBatches, readThrough } from "./reading.ts";
import { type Check, type Shape, anObject, checkOptions, shapeOf, stringOf } from "@runahead/base";
import type { ModelRequest } from "./message.ts";
import { isForced, throwIfThinking } from "./tool-choice.ts";
import { UNKNOWN_TARGET } from "./target.ts";
import { closing, readToEnd } from "./transport.ts";

/** A language model object of the AI SDK: `LanguageModelV2` (AI SDK 5), `V3` (6) or `V4` (7). */
export interface AiSdkModel {
  /** `v2`, `v3` or `v4`. */
  readonly specificationVersion: string;
  /** The name of the provider. */
  readonly provider: string;
  /** The name of the model. */
  readonly modelId: string;
  /** Sends a request and returns its stream. */
  doStream(call: AiSdkCall): PromiseLike<{
    readonly stream: AsyncIterable<unknown>;
    readonly response?: { readonly headers?: object | undefined } | undefined;
  }>;
}

/** Options of {@link aiSdk}. */
export interface AiSdkOptions extends ThinkingOptions {
  /** Sent to the provider with every request, for example a thinking budget. */
  readonly providerOptions?: ProviderOptions;
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What is known about the model, for models that the table does not have. Default: what the table says. */
  readonly facts?: ModelFacts;
}

const OPTIONS: Readonly<Record<keyof AiSdkOptions, Check>> = {
  providerOptions: anObject,
  headers: anObject,
  effort: anEffort,
  thinking: aThinking,
  facts: someFacts,
};
const VERSIONS: ReadonlySet<unknown> = new Set(["v2", "v3", "v4"]);

/**
 * Creates a model from a language model object of the AI SDK 5, 6 or 7.
 *
 * Throws a TypeError for any other object and for unknown options.
 *
 * @example
 * ```ts
 * import { type AiSdkModel, aiSdk, createAgent } from "@runahead/agent";
 *
 * // For example: import { anthropic } from "@ai-sdk/anthropic"; const model = anthropic("claude-sonnet-4-6");
 * declare const model: AiSdkModel;
 * const agent = createAgent({ model: aiSdk(model), tools: [] });
 * ```
 */
export function aiSdk(model: AiSdkModel, options: AiSdkOptions = {}): Model {
  const { specificationVersion: version, doStream } = shapeOf(model);
  const isModel = VERSIONS.has(version) && typeof doStream === "function";
  if (!isModel) {
    const given = stringOf(version, typeof model);
    throw new TypeError(
      `aiSdk: expected a language model object of the AI SDK (specification v2 to v4), got ${given}`,
    );
  }
  checkOptions(options, OPTIONS, "aiSdk");
  const facts = factsOfModel(model, options);
  const sent = membersOf(model, options, facts);
  return {
    name: model.modelId,
    facts,
    stream: (request, signal) =>
      closing(signal, (own) => {
        checkChoice(request, model, sent.providerOptions);
        const call = { ...aiSdkCall(request, model.specificationVersion), ...sent, abortSignal: own };
        return aiSdkEvents(model, call, signal);
      }),
  };
}

/** Other providers have a way of their own to make an answer fit a schema, which cannot be combined with tools. */
const TAKES_SCHEMA = /^(?:openai|azure)\b/;

function factsOfModel({ modelId, provider }: AiSdkModel, options: AiSdkOptions): ModelFacts {
  const facts = factsOf({ name: modelId, facts: options.facts });
  const structuredOutput = options.facts?.structuredOutput ?? TAKES_SCHEMA.test(provider);
  return { ...facts, structuredOutput: structuredOutput && facts.structuredOutput === true };
}

/** Only Anthropic's models refuse a forced call while they think. */
function checkChoice({ toolChoice }: ModelRequest, { provider, modelId }: AiSdkModel, sent: unknown): void {
  if (!isForced(toolChoice) || !provider.includes("anthropic")) return;
  const { thinking } = shapeOf(shapeOf(sent)["anthropic"]);
  throwIfThinking(toolChoice, { model: modelId, thinking });
}

/** What every call has beside the request. */
function membersOf(model: AiSdkModel, options: AiSdkOptions, facts: ModelFacts): Partial<AiSdkCall> {
  const { effort: _effort, thinking: _thinking, facts: _facts, providerOptions, ...others } = options;
  const { specificationVersion, provider, modelId } = model;
  const thinking = aiSdkThinking(options, { specificationVersion, provider, modelId, facts });
  if (thinking === undefined)
    process.emitWarning(
      `effort and thinking have no effect on models of ${provider}: its options for them are not known. Use providerOptions.`,
      "RunaheadWarning",
    );
  const merged = mergedOptions(thinking?.["providerOptions"], providerOptions);
  return { ...thinking, ...others, ...(Object.keys(merged).length === 0 ? {} : { providerOptions: merged }) };
}

function aiSdkEvents(model: AiSdkModel, call: AiSdkCall, signal: AbortSignal): EventBatches {
  const reader = new AiSdkReader(model.modelId);
  const target = { ...UNKNOWN_TARGET, host: `The server of ${model.provider}` };
  const late = (ms: number): ModelError => noAnswerWithin(ms, target);
  const parts = withIdleLimit(partsOf(model, call, signal), { counts: isContent, late });
  return readThrough(wireEvents(parts, reader), { reader, calls: createAnthropicReader(reader) });
}

const SAYS_NOTHING: ReadonlySet<unknown> = new Set(["stream-start", "raw", "ping"]);

function isContent(part: Shape): boolean {
  return !SAYS_NOTHING.has(part["type"]);
}

/** Yields the parts of the stream. Everything that the provider throws becomes a `ModelError`. */
async function* partsOf(
  model: AiSdkModel,
  call: AiSdkCall,
  signal: AbortSignal,
): AsyncGenerator<Shape, void, undefined> {
  const { provider, modelId } = model;
  let hasBegun = false;
  try {
    const { stream, response } = await model.doStream(call);
    hasBegun = true;
    throwIfPage(provider, shapeOf(response?.headers)["content-type"]);
    const source = stream[Symbol.asyncIterator]();
    for (let next = await source.next(); next.done !== true; next = await source.next()) {
      const part = shapeOf(next.value);
      if (part["type"] === "error") throw errorOfAiSdk(part["error"], { hasBegun, provider, model: modelId });
      yield part;
      if (part["type"] === "finish") return await readToEnd(source);
    }
  } catch (error) {
    if (signal.aborted || error instanceof ModelError) throw error;
    throw errorOfAiSdk(error, { hasBegun, provider, model: modelId });
  }
}

/** A portal or a proxy answers with a page. It would do so again, so this is not retried (A12). */
function throwIfPage(provider: string, type: unknown): void {
  if (typeof type !== "string" || !/^(?:text\/html|application\/json)\b/.test(type)) return;
  throw new ModelError(
    "protocol",
    `The server of ${provider} answered with ${type} instead of an event stream. Check its address and your proxy.`,
  );
}

async function* wireEvents(
  parts: AsyncIterable<Shape>,
  reader: AiSdkReader,
): AsyncGenerator<readonly WireEvent[], void, undefined> {
  const wire = new CallWire();
  for await (const part of parts) {
    // The reader must know the part of a call before the adapter reports the call as complete.
    reader.expect(part);
    yield [...wire.eventsOf(part)];
  }
}
