/** Models of OpenAI's APIs and of compatible servers: Ollama, llama.cpp, vLLM, OpenRouter. */

import { type Check, aString, checkOptions, oneOf, required } from "@runahead/base";
import { aModelName, aProviderSearch, someFacts, someProviderPrograms } from "./check-options.ts";
import { type ThinkingOptions, aThinking, anEffort, openAiEffort } from "./effort.ts";
import { type ModelFacts, factsOf } from "./models.ts";
import { ModelError } from "./error.ts";
import type { Model } from "./event.ts";
import { openaiEvents } from "./openai-events.ts";
import type { ProviderPrograms } from "./provider-programs.ts";
import { chatBody, responsesBody } from "./openai-request.ts";
import { type Target, hostOf, isKey, originOf } from "./target.ts";
import { closing, openStream } from "./transport.ts";
import type { ProviderSearch } from "./web-search.ts";

export { openaiEvents };

/** Options of {@link openai}. */
export interface OpenAiOptions extends ThinkingOptions {
  /** The name of the model. */
  readonly model: string;
  /** The API key. Default: `OPENAI_API_KEY`. Only OpenAI itself requires one. */
  readonly apiKey?: string;
  /** The environment variable that holds the key, as error messages name it. Default: `OPENAI_API_KEY`. */
  readonly keyName?: string;
  /** The address of the API. Default: `OPENAI_BASE_URL`, then `OLLAMA_HOST`, then OpenAI's own. */
  readonly baseURL?: string;
  /** The environment variable that holds the address, as error messages name it. Default: the variable that has it. */
  readonly addressName?: string;
  /** Which API to use. Default: `responses` at OpenAI, elsewhere `chat`, which every server has. */
  readonly api?: "responses" | "chat";
  /** Enables OpenAI's own web search; only with `responses`. Default: off. */
  readonly webSearch?: ProviderSearch;
  /**
   * Enables OpenAI's programmatic tool calling: scripts of the model that run on OpenAI's servers and call your tools; only
   * with `responses`, and with models that support it. Default: off.
   */
  readonly codeExecution?: ProviderPrograms;
  /** What is known about the model, for models that the table does not have. Default: what the table says. */
  readonly facts?: ModelFacts;
}

const OWN_ADDRESS = "https://api.openai.com/v1";

const OPTIONS: Readonly<Record<keyof OpenAiOptions, Check>> = {
  model: required(aModelName),
  apiKey: aString,
  keyName: aString,
  baseURL: aString,
  addressName: aString,
  api: oneOf("responses", "chat"),
  webSearch: aProviderSearch,
  codeExecution: someProviderPrograms,
  effort: anEffort,
  thinking: aThinking,
  facts: someFacts,
};

/**
 * Creates a model that uses an OpenAI API: OpenAI, Ollama, llama.cpp, vLLM, OpenRouter and others.
 *
 * Throws a TypeError for invalid options. A missing key is reported as a {@link ModelError} of the kind `credentials`
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
  const { model, apiKey, keyName = "OPENAI_API_KEY", baseURL, api, webSearch, codeExecution } = options;
  const facts = factsOf({ name: model, ...(options.facts === undefined ? {} : { facts: options.facts }) });
  const effort = openAiEffort(options, facts);
  return {
    name: model,
    facts,
    stream(request, signal) {
      const { address, from } = addressOf(baseURL);
      const addressFrom = options.addressName ?? from;
      const isOwn = address === OWN_ADDRESS;
      const key = apiKey ?? process.env[keyName] ?? "";
      if (key === "" && isOwn)
        throw new ModelError(
          "credentials",
          "No API key for OpenAI. Set OPENAI_API_KEY, or pass the apiKey option.",
        );
      const headers: Record<string, string> = key === "" ? {} : { authorization: `Bearer ${key}` };
      const isResponses = (api ?? (isOwn ? "responses" : "chat")) === "responses";
      const [needing] =
        Object.entries({ webSearch, codeExecution }).find(([, given]) => given !== undefined) ?? [];
      if (needing !== undefined && !isResponses)
        throw new ModelError(
          "bad-request",
          `${needing} needs the Responses API. Set api to "responses", or remove ${needing}.`,
        );
      // Other servers know only the old name of the limit, and OpenAI's newer models only the new one.
      const body = isResponses
        ? {
            ...responsesBody(model, request, { webSearch, codeExecution }),
            ...(effort && { reasoning: { effort } }),
          }
        : {
            ...chatBody(model, request, isOwn ? "max_completion_tokens" : "max_tokens"),
            ...(effort && { reasoning_effort: effort }),
          };
      const url = `${address}/${isResponses ? "responses" : "chat/completions"}`;
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
