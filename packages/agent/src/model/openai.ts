/** Models of OpenAI's APIs and of compatible servers: Ollama, llama.cpp, vLLM, OpenRouter. */

import {
  type ArrivingCall,
  type CallRequest,
  type CallSink,
  type ResponseEnding,
  openaiCalls,
} from "@runahead/engine";
import { WholeCalls } from "@runahead/engine/wire";
import { arrivingEvent } from "./arriving.ts";
import { ModelError, NO_STOP_REASON, errorOfType } from "./error.ts";
import type { Model, ModelEvent, StopReason, Usage } from "./event.ts";
import { idleLimitMs, withIdleLimit } from "./idle.ts";
import { openAiItem } from "./openai-item.ts";
import { chatBody, responsesBody } from "./openai-request.ts";
import { readThrough } from "./reading.ts";
import {
  type Check,
  type Shape,
  aString,
  checkOptions,
  listOf,
  oneOf,
  required,
  shapeOf,
  stringOf,
} from "@runahead/base";
import { type SseEvent, objectIn } from "./sse.ts";
import { type Target, UNKNOWN_TARGET, hostOf, isKey, originOf } from "./target.ts";
import { closing, openStream, readToEnd } from "./transport.ts";
import { NO_USAGE } from "./token-usage.ts";
import { laterUsage } from "./usage.ts";
import { aModelName, aProviderSearch } from "./check-options.ts";
import type { ProviderSearch } from "./web-search.ts";
import { isTooDeep, wellFormed } from "@runahead/engine/wire";

/** Options of {@link openai}. */
export interface OpenAiOptions {
  /** The name of the model. */
  readonly model: string;
  /** The API key. Default: `OPENAI_API_KEY`. Only OpenAI itself requires one. */
  readonly apiKey?: string;
  /** The address of the API. Default: `OPENAI_BASE_URL`, then `OLLAMA_HOST`, then OpenAI's own. */
  readonly baseURL?: string;
  /** Which API to use. Default: `responses` at OpenAI, elsewhere `chat`, which every server has. */
  readonly api?: "responses" | "chat";
  /** Enables OpenAI's own web search; only with `responses`. Default: off. */
  readonly webSearch?: ProviderSearch;
}

const OWN_ADDRESS = "https://api.openai.com/v1";

const OPTIONS: Readonly<Record<keyof OpenAiOptions, Check>> = {
  model: required(aModelName),
  apiKey: aString,
  baseURL: aString,
  api: oneOf("responses", "chat"),
  webSearch: aProviderSearch,
};

/**
 * Makes a model that is reached through an OpenAI API: at OpenAI, Ollama, llama.cpp, vLLM, OpenRouter and others.
 *
 * Throws a TypeError for wrong options. A missing key is reported as a {@link ModelError} of the kind `credentials`
 * with the first request.
 *
 * @example
 * ```ts
 * import { createAgent, openai } from "@runahead/agent";
 *
 * const local = openai({ model: "qwen3", baseURL: "http://localhost:11434/v1" });
 * const agent = createAgent({ model: openai({ model: "gpt-5.2" }), fallbackModel: local, tools: [] });
 * ```
 */
export function openai(options: OpenAiOptions): Model {
  checkOptions(options, OPTIONS, "openai");
  const { model, apiKey, baseURL, api, webSearch } = options;
  return {
    name: model,
    stream(request, signal) {
      const { address, from: addressFrom } = addressOf(baseURL);
      const isOwn = address === OWN_ADDRESS;
      const key = apiKey ?? process.env["OPENAI_API_KEY"] ?? "";
      if (key === "" && isOwn)
        throw new ModelError(
          "credentials",
          "No API key for OpenAI. Set OPENAI_API_KEY, or pass the apiKey option.",
        );
      const headers: Record<string, string> = key === "" ? {} : { authorization: `Bearer ${key}` };
      const isResponses = (api ?? (isOwn ? "responses" : "chat")) === "responses";
      if (webSearch !== undefined && !isResponses)
        throw new ModelError(
          "bad-request",
          'webSearch needs the Responses API. Set api to "responses", or remove webSearch.',
        );
      // Other servers know only the old name of the limit, and OpenAI's newer models only the new one.
      const body = isResponses
        ? responsesBody(model, request, webSearch)
        : chatBody(model, request, isOwn ? "max_completion_tokens" : "max_tokens");
      const url = `${address}/${isResponses ? "responses" : "chat/completions"}`;
      const keyName = "OPENAI_API_KEY";
      const keyFrom = isKey(key)
        ? originOf({ given: apiKey, option: "apiKey", variable: keyName })
        : undefined;
      const target: Target = { host: hostOf(url), url, model, keyFrom, keyName, addressFrom };
      return closing(signal, (own) =>
        openaiEvents(openStream({ target, headers, body, signal: own }), target),
      );
    },
  };
}

interface Address {
  readonly address: string;
  /** Where it came from. Undefined for OpenAI's own. */
  readonly from: string | undefined;
}

function addressOf(given: string | undefined): Address {
  const { OPENAI_BASE_URL: own = "", OLLAMA_HOST: ollama = "" } = process.env;
  const ollamaAddress = ollama === "" ? "" : `${ollama.includes("://") ? ollama : `http://${ollama}`}/v1`;
  const address = (given ?? (own || ollamaAddress || OWN_ADDRESS)).replace(/\/+$/, "");
  if (given !== undefined && given !== own && given !== ollamaAddress)
    return { address, from: "the baseURL option" };
  if (own !== "" && (given ?? own) === own) return { address, from: "OPENAI_BASE_URL" };
  return { address, from: ollamaAddress === "" ? undefined : "OLLAMA_HOST" };
}

/** Turns the events of the wire into a model's. Exported to play recordings of the wire. */
export async function* openaiEvents(
  events: AsyncIterable<SseEvent>,
  target: Target = UNKNOWN_TARGET,
): AsyncGenerator<ModelEvent, void, undefined> {
  const reader = new OpenAiReader(target);
  const raw = withIdleLimit(rawChunks(events, target), { limitMs: idleLimitMs(), counts: () => true });
  yield* readThrough(openaiCalls(raw, reader), reader);
}

/** Each of these events ends the response. */
const LAST = new Set<unknown>(["response.completed", "response.incomplete", "response.failed"]);

async function* rawChunks(
  events: AsyncIterable<SseEvent>,
  target: Target,
): AsyncGenerator<Shape, void, undefined> {
  const source = events[Symbol.asyncIterator]();
  let hasFinished = false;
  try {
    for (let next = await source.next(); next.done !== true; next = await source.next()) {
      if (next.value.data === "[DONE]") return await readToEnd(source);
      const chunk = objectIn(next.value.data);
      throwErrorIn(chunk, target);
      // After the finish reason only the usage counts: a proxy can send the whole response twice (A14).
      yield hasFinished ? { ...chunk, choices: [] } : chunk;
      hasFinished ||= stringOf(choiceOf(chunk)["finish_reason"]) !== "";
      if (LAST.has(chunk["type"])) return await readToEnd(source);
    }
  } finally {
    void source.return?.()?.catch(() => {});
  }
}

function throwErrorIn(chunk: Shape, target: Target): void {
  const error = chunk["error"] ?? (chunk["type"] === "error" ? chunk : undefined);
  if (error === undefined || error === null) return;
  const { type, code, message } = shapeOf(error);
  const types = `${stringOf(type)} ${stringOf(code)}`;
  throw errorOfType({ type: types, message: stringOf(message) || stringOf(error) }, target);
}

function choiceOf(chunk: Shape): Shape {
  return shapeOf(listOf(chunk["choices"])[0]);
}

const CHAT_REASONS: ReadonlyMap<string, StopReason> = new Map([
  ["stop", "end_turn"],
  ["tool_calls", "tool_use"],
  ["function_call", "tool_use"],
  ["length", "max_tokens"],
  ["content_filter", "refusal"],
]);

class OpenAiReader implements CallSink {
  readonly ready: ModelEvent[] = [];
  readonly #target: Target;
  #hasStarted = false;
  #text: string[] = [];
  #hasCalls = false;
  readonly #calls = new WholeCalls();
  #problem: string | undefined;
  #usage: Usage = NO_USAGE;
  #searches = 0;
  #stop: StopReason | undefined;

  constructor(target: Target) {
    this.#target = target;
  }

  add(given: CallRequest): boolean {
    const whole = this.#calls.take(given);
    if (whole === undefined) return false;
    this.#hasCalls = true;
    this.#endText();
    this.ready.push({ type: "call-complete", call: whole.call }, { type: "block", block: whole.block });
    return true;
  }

  /** A stream that broke off has no stop reason, which `finish` reports. */
  end({ ok, isMalformed, reason }: ResponseEnding = { ok: true }): void {
    if (ok) this.#stop ??= this.#hasCalls ? "tool_use" : undefined;
    else if (isMalformed === true) this.#problem = reason;
  }

  arriving({ id, name, delta, preview }: ArrivingCall): void {
    this.#endText();
    this.ready.push(arrivingEvent({ id, name, delta, preview }));
  }

  take(chunk: Shape): void {
    if (this.#problem !== undefined) throw new ModelError("protocol", this.#problem);
    if (typeof chunk["type"] === "string") this.#takeResponses(chunk);
    else this.#takeChat(chunk);
  }

  finish(): void {
    if (this.#stop === undefined) throw new ModelError("cut", NO_STOP_REASON);
    this.#endText();
    this.ready.push({ type: "stopped", reason: this.#stop, detail: "" });
  }

  #takeChat(chunk: Shape): void {
    this.#start(chunk);
    this.#count(chunk["usage"]);
    const choice = choiceOf(chunk);
    const delta = shapeOf(choice["delta"]);
    this.#addText(delta["content"]);
    this.#addThinking(delta["reasoning_content"] ?? delta["reasoning"]);
    const reason = stringOf(choice["finish_reason"]);
    if (reason !== "") this.#stop = CHAT_REASONS.get(reason) ?? "end_turn";
  }

  #takeResponses(event: Shape): void {
    const response = shapeOf(event["response"]);
    switch (event["type"]) {
      case "response.created":
        return this.#start(response);
      case "response.output_text.delta":
      case "response.refusal.delta":
        return this.#addText(event["delta"]);
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return this.#addThinking(event["delta"]);
      case "response.output_item.done":
        return this.#itemDone(shapeOf(event["item"]));
      case "response.completed":
        this.#count(response["usage"]);
        this.#stop = this.#hasCalls ? "tool_use" : "end_turn";
        return;
      case "response.incomplete":
        return this.#incomplete(response);
      case "response.failed": {
        const error = shapeOf(response["error"]);
        throw errorOfType(
          { type: stringOf(error["code"]), message: stringOf(error["message"]) },
          this.#target,
        );
      }
    }
  }

  /** Reasoning and its results must be sent back unchanged, or the next request is rejected. */
  #itemDone(item: Shape): void {
    const block = isTooDeep(item) ? undefined : openAiItem(wellFormed(item));
    if (block === undefined) return;
    this.#endText();
    this.ready.push({ type: "block", block });
    // Only searches are billed, not opening a page.
    if (item["type"] === "web_search_call" && shapeOf(item["action"])["type"] === "search") this.#searches++;
  }

  #incomplete(response: Shape): void {
    this.#count(response["usage"]);
    const { reason } = shapeOf(response["incomplete_details"]);
    this.#stop = reason === "content_filter" ? "refusal" : "max_tokens";
  }

  #start({ id, model }: Shape): void {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    this.ready.push({ type: "message-started", id: stringOf(id), model: stringOf(model) });
  }

  #addText(text: unknown): void {
    if (typeof text !== "string" || text === "") return;
    this.#text.push(text);
    this.ready.push({ type: "text", text });
  }

  #addThinking(text: unknown): void {
    if (typeof text === "string" && text !== "") this.ready.push({ type: "thinking", text });
  }

  #endText(): void {
    if (this.#text.length === 0) return;
    const text = this.#text.join("").toWellFormed();
    this.#text = [];
    // The APIs reject blocks that are only white space.
    if (text.trim() !== "") this.ready.push({ type: "block", block: { type: "text", text } });
  }

  #count(raw: unknown): void {
    if (typeof raw !== "object" || raw === null) return;
    const { prompt_tokens, completion_tokens, input_tokens, output_tokens } = raw as Shape;
    const counts = {
      input_tokens: input_tokens ?? prompt_tokens,
      output_tokens: output_tokens ?? completion_tokens,
      server_tool_use: { web_search_requests: this.#searches },
    };
    this.#usage = laterUsage(this.#usage, counts);
    this.ready.push({ type: "usage", usage: this.#usage });
  }
}
