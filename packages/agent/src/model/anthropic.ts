/** Models of the Anthropic Messages API. */

import { type ArrivingCall, type CallRequest, type CallSink, type ResponseEnding } from "@runahead/engine";
import { anthropicEvent } from "./anthropic-event.ts";
import { anthropicBody } from "./anthropic-request.ts";
import {
  type Finish,
  createAnthropicReader,
  createBlockBuilder,
  createWholeCalls,
  finishOf,
  isTooDeep,
} from "@runahead/engine/wire";
import { arrivingEvent } from "./arriving.ts";
import { noAnswerWithin } from "./connection-error.ts";
import { ModelError, NO_STOP_REASON, errorOfEvent } from "./error.ts";
import type { Model, ModelEvent, StopReason, Usage } from "./event.ts";
import { withIdleLimit } from "./idle.ts";
import type { Block } from "./message.ts";
import { type EventBatches, readThrough } from "./reading.ts";
import {
  type Check,
  type Shape,
  aString,
  checkOptions,
  isShape,
  listOf,
  required,
  shapeOf,
  stringOf,
} from "@runahead/base";
import { BEGUN, type SseEvent, isEndMark, saysNothing } from "./sse.ts";
import { type Target, UNKNOWN_TARGET, hostOf, originOf } from "./target.ts";
import { closing, openStream, readToEnd } from "./transport.ts";
import { NO_USAGE } from "./token-usage.ts";
import { laterUsage } from "./usage.ts";
import { aModelName, aProviderCode, aProviderSearch, someFacts } from "./check-options.ts";
import { type ThinkingOptions, aThinking, anEffort, anthropicThinking } from "./effort.ts";
import { type ModelFacts, factsOf } from "./models.ts";
import { anthropicOutput } from "./output-schema.ts";
import { anthropicChoice } from "./tool-choice.ts";
import { type ProviderCode, codeHeaders, containerBlock, withLostContainer } from "./provider-code.ts";
import type { ProviderSearch } from "./web-search.ts";

/** Options of {@link anthropic}. */
export interface AnthropicOptions extends ThinkingOptions {
  /** The name of the model. */
  readonly model: string;
  /** The API key. Default: `ANTHROPIC_API_KEY`. */
  readonly apiKey?: string;
  /** The address of the API. Default: `ANTHROPIC_BASE_URL`, then Anthropic's own. */
  readonly baseURL?: string;
  /** Enables Anthropic's own web search. Default: off. */
  readonly webSearch?: ProviderSearch;
  /** Enables Anthropic's own code execution, whose scripts call your tools. Default: off. */
  readonly codeExecution?: ProviderCode;
  /** What is known about the model, for models that the table does not have. Default: what the table says. */
  readonly facts?: ModelFacts;
}

const VERSION = "2023-06-01";
const OWN_ADDRESS = "https://api.anthropic.com";

const OPTIONS: Readonly<Record<keyof AnthropicOptions, Check>> = {
  model: required(aModelName),
  apiKey: aString,
  baseURL: aString,
  webSearch: aProviderSearch,
  codeExecution: aProviderCode,
  effort: anEffort,
  thinking: aThinking,
  facts: someFacts,
};

/**
 * Creates a model that uses the Anthropic Messages API.
 *
 * Throws a TypeError for invalid options. A missing key is reported as a {@link ModelError} of the kind `credentials`
 * with the first request.
 *
 * @example
 * ```ts
 * import { anthropic, createAgent } from "@runahead/agent";
 *
 * const agent = createAgent({ model: anthropic({ model: "claude-sonnet-4-6" }), tools: [] });
 * ```
 */
export function anthropic(options: AnthropicOptions): Model {
  checkOptions(options, OPTIONS, "anthropic");
  const { model, apiKey, webSearch, codeExecution } = options;
  const facts = factsOf({ name: model, ...(options.facts === undefined ? {} : { facts: options.facts }) });
  return {
    name: model,
    facts,
    stream(request, signal) {
      const key = apiKey ?? process.env["ANTHROPIC_API_KEY"] ?? "";
      if (key === "")
        throw new ModelError(
          "credentials",
          "No API key for Anthropic. Set ANTHROPIC_API_KEY, or pass the apiKey option.",
        );
      const target = targetOf(options);
      const headers = { "x-api-key": key, "anthropic-version": VERSION, ...codeHeaders(codeExecution) };
      const thinking = anthropicThinking(options, facts, request.maxTokens);
      const rest = {
        ...thinking,
        ...anthropicChoice(request, { model, thinking: thinking["thinking"] }),
        ...anthropicOutput(request, thinking["output_config"]),
      };
      const open = (own: AbortSignal, givesUp: boolean): EventBatches => {
        const body = { ...anthropicBody(model, request, { webSearch, codeExecution, givesUp }), ...rest };
        return modelEvents(openStream({ target, headers, body, signal: own }), target);
      };
      return closing(signal, (own) => withLostContainer(request, (givesUp) => open(own, givesUp)));
    },
  };
}

function targetOf({ model, apiKey, baseURL }: AnthropicOptions): Target {
  const address = baseURL ?? process.env["ANTHROPIC_BASE_URL"];
  const url = `${(address ?? OWN_ADDRESS).replace(/\/+$/, "")}/v1/messages`;
  return {
    host: hostOf(url),
    url,
    model,
    keyFrom: originOf({ given: apiKey, option: "apiKey", variable: "ANTHROPIC_API_KEY" }),
    keyName: "ANTHROPIC_API_KEY",
    addressFrom:
      address === undefined
        ? undefined
        : originOf({ given: baseURL, option: "baseURL", variable: "ANTHROPIC_BASE_URL" }),
  };
}

/** Turns the events of the wire into a model's. Exported to play recordings of the wire. */
export function modelEvents(
  events: AsyncIterable<readonly SseEvent[]>,
  target: Target = UNKNOWN_TARGET,
): EventBatches {
  const reader = new AnthropicReader();
  const late = (ms: number): ModelError => noAnswerWithin(ms, target);
  const raw = withIdleLimit(rawBatches(events, target), { counts: hasContent, late });
  return readThrough(raw, { reader, calls: createAnthropicReader(reader) });
}

function hasContent(batch: readonly Shape[]): boolean {
  return batch.some((event) => event["type"] !== "ping");
}

async function* rawBatches(
  pieces: AsyncIterable<readonly SseEvent[]>,
  target: Target,
): AsyncGenerator<readonly Shape[], void, undefined> {
  const source = pieces[Symbol.asyncIterator]();
  try {
    for (let next = await source.next(); next.done !== true; next = await source.next()) {
      const { events, error, isOver } = parsed(next.value, target);
      if (events.length > 0 || next.value === BEGUN) yield events;
      if (error !== undefined) throw error;
      if (isOver) return await readToEnd(source);
    }
  } finally {
    void source.return?.()?.catch(() => {});
  }
}

/** The events up to the one that ends the response or that is an error. */
function parsed(piece: readonly SseEvent[], target: Target): Parsed {
  const events: Shape[] = [];
  for (const sse of piece) {
    if (saysNothing(sse)) continue;
    const { data } = sse;
    try {
      const event = isEndMark(data) ? { type: "message_stop" } : anthropicEvent(data.trim());
      if (isError(sse, event)) return { events, error: errorIn(event, target), isOver: true };
      events.push(event);
      if (event["type"] === "message_stop") return { events, error: undefined, isOver: true };
    } catch (error) {
      return { events, error, isOver: true };
    }
  }
  return { events, error: undefined, isOver: false };
}

interface Parsed {
  readonly events: readonly Shape[];
  readonly error: unknown;
  readonly isOver: boolean;
}

/** Proxies report an error by the name of the event, or by the member alone. */
function isError({ event: name }: SseEvent, event: Shape): boolean {
  const { type } = event;
  return type === "error" || (type === undefined && (name === "error" || isShape(event["error"])));
}

function errorIn(event: Shape, target: Target): ModelError {
  return errorOfEvent(event["error"] ?? event, target);
}

const REASONS: ReadonlySet<string> = new Set<StopReason>([
  "end_turn",
  "tool_use",
  "max_tokens",
  "stop_sequence",
  "pause_turn",
  "compaction",
  "refusal",
  "model_context_window_exceeded",
]);

/** Gateways to other providers pass on the words of those. */
const OTHER_REASONS: Readonly<Record<Finish, StopReason | undefined>> = {
  limit: "max_tokens",
  refused: "refusal",
  whole: undefined,
  broken: undefined,
};

class AnthropicReader implements CallSink {
  readonly ready: ModelEvent[] = [];
  readonly #blocks = createBlockBuilder();
  readonly #calls = createWholeCalls();
  #usage: Usage = NO_USAGE;
  #hasOutput = false;
  #hasCalls = false;
  /** How many blocks have begun and not ended. */
  #open = 0;
  #messageId: string | undefined;
  /** The same message is repeated (A14), so its events are ignored. */
  #inCopy = false;
  #problem: string | undefined;
  #stop: { readonly reason: StopReason; readonly detail: string } | undefined;

  add(given: CallRequest): boolean {
    const whole = this.#calls.take(given);
    this.#blocks.called(given.id, whole?.block);
    if (whole === undefined) return false;
    this.#hasCalls = true;
    this.ready.push({ type: "call-complete", call: whole.call });
    return true;
  }

  /** Sees each event before its calls are added: those at the start of a message need their blocks. */
  look(event: Shape): void {
    if (event["type"] !== "message_start" || this.#messageId !== undefined) return;
    for (const [index, block] of listOf(shapeOf(event["message"])["content"]).entries())
      this.#blocks.begin(index, shapeOf(block));
  }

  /** The reader finds the end of the response in its events; violations of the protocol are reported only here. */
  end({ isMalformed, reason }: ResponseEnding = { ok: true }): void {
    if (isMalformed === true) this.#problem = reason;
  }

  arriving(call: ArrivingCall): void {
    this.ready.push(arrivingEvent(call));
  }

  take(event: Shape): void {
    if (this.#problem !== undefined) throw new ModelError("protocol", this.#problem);
    if (this.#inCopy) return;
    const index = indexOf(event);
    switch (event["type"]) {
      case "message_start":
        return this.#messageStart(shapeOf(event["message"]));
      case "content_block_start":
        return this.#begin(index, shapeOf(event["content_block"]));
      case "content_block_delta":
        return this.#delta(index, shapeOf(event["delta"]));
      case "content_block_stop":
        this.#open = Math.max(0, this.#open - 1);
        this.#blocks.end(index);
        return this.#giveBlocks(this.#blocks.take());
      case "message_delta":
        return this.#messageDelta(event);
      case "message_stop":
        return this.#messageStop();
    }
  }

  finish(): void {
    if (this.#stop === undefined) throw new ModelError("cut", NO_STOP_REASON);
    // Some servers do not report the end of a block before the end of the response.
    if (finishOf(this.#stop.reason) === "whole") this.#blocks.endAll();
    this.giveRest();
    this.ready.push({ type: "stopped", ...this.#stop });
  }

  giveRest(): void {
    this.#giveBlocks(this.#blocks.takeRest());
  }

  #messageStart(message: Shape): void {
    const id = stringOf(message["id"]);
    const isFirst = this.#messageId === undefined;
    if (isFirst) this.ready.push({ type: "message-started", id, model: stringOf(message["model"]) });
    else this.#inCopy = !this.#blocks.isEmpty;
    this.#messageId = id;
    if (this.#inCopy) return;
    this.#count(message["usage"]);
    this.#contain(message["container"]);
    if (isFirst) this.#wholeContent(message);
  }

  /** A message that continues the server's own work can begin with whole blocks, and even with its stop reason. */
  #wholeContent(message: Shape): void {
    for (const [index, block] of listOf(message["content"]).map(shapeOf).entries()) {
      this.#sayWhole(block);
      this.#blocks.end(index);
    }
    this.#giveBlocks(this.#blocks.take());
    this.#stopReason(message);
  }

  #begin(index: number | undefined, block: Shape): void {
    this.#open++;
    this.#blocks.begin(index, block);
    this.#sayWhole(block);
  }

  /** Text that came with the beginning of its block. */
  #sayWhole({ type, text, thinking }: Shape): void {
    const said = stringOf(type === "text" ? text : thinking);
    if (said !== "" && (type === "text" || type === "thinking")) this.ready.push({ type, text: said });
  }

  #delta(index: number | undefined, delta: Shape): void {
    this.#blocks.grow(index, delta);
    if (delta["type"] === "text_delta") this.ready.push({ type: "text", text: stringOf(delta["text"]) });
    if (delta["type"] === "thinking_delta")
      this.ready.push({ type: "thinking", text: stringOf(delta["thinking"]) });
  }

  #messageDelta(event: Shape): void {
    const { output_tokens: output } = shapeOf(event["usage"]);
    // The count at the start of a message is only a guess, and can be above the final one.
    if (typeof output === "number" && !this.#hasOutput) this.#usage = { ...this.#usage, outputTokens: 0 };
    this.#hasOutput ||= typeof output === "number";
    this.#count(event["usage"]);
    const delta = shapeOf(event["delta"]);
    this.#contain(delta["container"]);
    this.#stopReason(delta);
  }

  /** Some servers give no stop reason. If every block has ended, nothing was cut off. */
  #messageStop(): void {
    if (this.#open === 0) this.#stop ??= { reason: this.#hasCalls ? "tool_use" : "end_turn", detail: "" };
  }

  /** The next request names the container in which the scripts of this response ran. */
  #contain(container: unknown): void {
    const block = containerBlock(container);
    if (block !== undefined) this.#giveBlocks([block]);
  }

  #stopReason({ stop_reason: reason, stop_details: details }: Shape): void {
    if (typeof reason !== "string") return;
    const detail = reason.slice(0, 100).toWellFormed();
    const finish = finishOf(reason);
    if (REASONS.has(reason)) this.#stop = { reason: reason as StopReason, detail: detailOf(details) };
    else if (finish === "broken")
      throw new ModelError("cut", `The response ended early: the server reports "${detail}".`);
    // An unknown reason still ends the response.
    else this.#stop = { reason: OTHER_REASONS[finish] ?? "end_turn", detail };
  }

  #count(raw: unknown): void {
    this.#usage = laterUsage(this.#usage, raw);
    this.ready.push({ type: "usage", usage: this.#usage });
  }

  #giveBlocks(blocks: readonly Block[]): void {
    for (const block of blocks) this.ready.push({ type: "block", block });
  }
}

/** Some gateways leave it out. */
function indexOf({ index }: Shape): number | undefined {
  return typeof index === "number" ? index : undefined;
}

function detailOf(details: unknown): string {
  return details === undefined || details === null || isTooDeep(details) ? "" : JSON.stringify(details);
}
