/** Models behind OpenAI's APIs, and behind the many servers that speak like them: Ollama, llama.cpp, vLLM, OpenRouter. */

import {
  type ArrivingCall,
  type CallRequest,
  type CallSink,
  type ResponseEnding,
  openaiCalls,
} from "@runahead/engine";
import { ModelError, errorOfType } from "./error.ts";
import type { Model, ModelEvent, StopReason, Usage } from "./event.ts";
import { idleLimitMs, withIdleLimit } from "./idle.ts";
import { REASONING, chatBody, responsesBody } from "./openai-request.ts";
import { stringOf } from "./shape.ts";
import type { SseEvent } from "./sse.ts";
import { openStream } from "./transport.ts";
import { NO_USAGE, laterUsage } from "./usage.ts";

export interface OpenAiOptions {
  readonly model: string;
  /** `OPENAI_API_KEY` where absent. Servers of one's own need none. */
  readonly apiKey?: string;
  /** `OPENAI_BASE_URL` where absent, then `OLLAMA_HOST`, else OpenAI's own address. */
  readonly baseURL?: string;
  /** Responses at OpenAI's own address, else Chat Completions, which every server speaks. */
  readonly api?: "responses" | "chat";
}

const OWN_ADDRESS = "https://api.openai.com/v1";

export function openai({ model, apiKey, baseURL, api }: OpenAiOptions): Model {
  return {
    name: model,
    stream(request, signal) {
      const address = (baseURL ?? addressFromEnvironment()).replace(/\/+$/, "");
      const isOwn = address === OWN_ADDRESS;
      const key = apiKey ?? process.env["OPENAI_API_KEY"] ?? "";
      if (key === "" && isOwn)
        throw new ModelError("credentials", "no key: set OPENAI_API_KEY or give apiKey");
      const headers: Record<string, string> = key === "" ? {} : { authorization: `Bearer ${key}` };
      const isResponses = (api ?? (isOwn ? "responses" : "chat")) === "responses";
      // Servers of others know only the old name of the limit, OpenAI's newer models only the new one.
      const body = isResponses
        ? responsesBody(model, request)
        : chatBody(model, request, isOwn ? "max_completion_tokens" : "max_tokens");
      const url = `${address}/${isResponses ? "responses" : "chat/completions"}`;
      return openaiEvents(openStream({ url, headers, body, signal }));
    },
  };
}

function addressFromEnvironment(): string {
  const { OPENAI_BASE_URL: given, OLLAMA_HOST: ollama } = process.env;
  if (given !== undefined && given !== "") return given;
  if (ollama === undefined || ollama === "") return OWN_ADDRESS;
  return `${ollama.includes("://") ? ollama : `http://${ollama}`}/v1`;
}

type Raw = Readonly<Record<string, unknown>>;

/** The wire's events as a model's. */
async function* openaiEvents(events: AsyncIterable<SseEvent>): AsyncGenerator<ModelEvent, void, undefined> {
  const reader = new OpenAiReader();
  const raw = withIdleLimit(rawChunks(events), idleLimitMs(), () => true);
  for await (const chunk of openaiCalls(raw, reader)) {
    reader.take(chunk);
    yield* reader.ready.splice(0);
  }
  reader.finish();
  yield* reader.ready.splice(0);
}

async function* rawChunks(events: AsyncIterable<SseEvent>): AsyncGenerator<Raw, void, undefined> {
  for await (const { data } of events) {
    if (data === "[DONE]") return;
    let chunk: Raw;
    try {
      chunk = JSON.parse(data) as Raw;
    } catch (error) {
      throw new ModelError("protocol", `a chunk is not JSON: ${data.slice(0, 80).toWellFormed()}`, {
        cause: error,
      });
    }
    const error = (chunk["error"] ?? (chunk["type"] === "error" ? chunk : undefined)) as Raw | undefined;
    if (error !== undefined) {
      throw errorOfType(stringOf(error["type"] ?? error["code"], "error"), stringOf(error["message"]));
    }
    yield chunk;
  }
}

const CHAT_REASONS: Readonly<Record<string, StopReason>> = {
  stop: "end_turn",
  tool_calls: "tool_use",
  function_call: "tool_use",
  length: "max_tokens",
  content_filter: "refusal",
};

class OpenAiReader implements CallSink {
  readonly ready: ModelEvent[] = [];
  #hasStarted = false;
  #text: string[] = [];
  #hasCalls = false;
  #usage: Usage = NO_USAGE;
  #stop: StopReason | undefined;

  add(call: CallRequest): boolean {
    this.#hasCalls = true;
    this.#endText();
    const { id, name } = call;
    const input = "input" in call ? call.input : { INVALID_JSON: call.inputText };
    this.ready.push(
      { type: "call-complete", call },
      { type: "block", block: { type: "tool_use", id, name, input } },
    );
    return true;
  }

  /** A stream that broke off has no stop reason, which `finish` tells. */
  end({ ok }: ResponseEnding = { ok: true }): void {
    if (ok) this.#stop ??= this.#hasCalls ? "tool_use" : undefined;
  }

  arriving({ id, name, delta, preview }: ArrivingCall): void {
    this.#endText();
    this.ready.push(
      delta === "" ? { type: "call-begun", id, name } : { type: "call-delta", id, name, delta, preview },
    );
  }

  take(chunk: Raw): void {
    if (typeof chunk["type"] === "string") this.#takeResponses(chunk);
    else this.#takeChat(chunk);
  }

  finish(): void {
    if (this.#stop === undefined) throw new ModelError("cut", "the response ended without saying why");
    this.#endText();
    this.ready.push({ type: "stopped", reason: this.#stop, detail: "" });
  }

  #takeChat(chunk: Raw): void {
    this.#start(chunk);
    this.#count(chunk["usage"]);
    const [choice] = (chunk["choices"] ?? []) as readonly Raw[];
    const delta = (choice?.["delta"] ?? {}) as Raw;
    this.#addText(delta["content"]);
    this.#addThinking(delta["reasoning_content"] ?? delta["reasoning"]);
    const reason = choice?.["finish_reason"];
    if (typeof reason === "string" && reason !== "") this.#stop = CHAT_REASONS[reason] ?? "end_turn";
  }

  #takeResponses(event: Raw): void {
    const response = event["response"] as Raw | undefined;
    switch (event["type"]) {
      case "response.created":
        return this.#start(response ?? {});
      case "response.output_text.delta":
      case "response.refusal.delta":
        return this.#addText(event["delta"]);
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return this.#addThinking(event["delta"]);
      case "response.output_item.done":
        return this.#itemDone(event["item"] as Raw);
      case "response.completed":
        this.#count(response?.["usage"]);
        this.#stop = this.#hasCalls ? "tool_use" : "end_turn";
        return;
      case "response.incomplete":
        return this.#incomplete(response ?? {});
      case "response.failed": {
        const error = (response?.["error"] ?? {}) as Raw;
        throw errorOfType(stringOf(error["code"], "server_error"), stringOf(error["message"]));
      }
    }
  }

  /** Reasoning must go back as it came, or the next request is refused. */
  #itemDone(item: Raw | undefined): void {
    if (item?.["type"] === "reasoning") this.ready.push({ type: "block", block: { type: REASONING, item } });
  }

  #incomplete(response: Raw): void {
    this.#count(response["usage"]);
    const { reason } = (response["incomplete_details"] ?? {}) as { reason?: string };
    this.#stop = reason === "content_filter" ? "refusal" : "max_tokens";
  }

  #start({ id, model }: Raw): void {
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
    const text = this.#text.join("");
    this.#text = [];
    this.ready.push({ type: "block", block: { type: "text", text } });
  }

  #count(raw: unknown): void {
    if (typeof raw !== "object" || raw === null) return;
    const { prompt_tokens, completion_tokens, input_tokens, output_tokens } = raw as Raw;
    const counts = {
      input_tokens: input_tokens ?? prompt_tokens,
      output_tokens: output_tokens ?? completion_tokens,
    };
    this.#usage = laterUsage(this.#usage, counts);
    this.ready.push({ type: "usage", usage: this.#usage });
  }
}
