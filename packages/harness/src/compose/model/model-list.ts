/** Lists the models that the configured servers offer. */

import type { ModelFacts } from "@runahead/agent";
import { knownFacts } from "@runahead/agent/internal";
import { listOf, shapeOf, stringOf, aString, anObject, required } from "@runahead/base";
import type { Surroundings } from "../../surroundings.ts";
import { SERVER_NAMES, isConfigured, serverOf } from "../mcp/servers.ts";

/** The models of one server. */
export interface ListedModels {
  /** The name of the provider, as in `--model provider/name`. */
  readonly provider: string;
  /** The names of its models, as `--model` takes them. */
  readonly models: readonly string[];
  /** Why there is no list; undefined if there is one. */
  readonly problem: string | undefined;
}

interface Source {
  readonly provider: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What precedes the name for `--model`. */
  readonly prefix: string;
}

const LIMIT_MS = 5_000;

/**
 * Returns what is known about a model by its name: context window, price and abilities. A provider before the name is
 * left out. Empty for a model that is not known.
 *
 * @example
 * ```ts
 * console.log(modelFacts("claude-sonnet-5").contextTokens); // 1000000
 * ```
 */
export function modelFacts(name: string): ModelFacts {
  required(aString)(name, 'modelFacts: "name"');
  return knownFacts(name.slice(name.lastIndexOf("/") + 1));
}

/**
 * Asks each server that the environment configures (Anthropic, OpenAI or another address, OpenRouter, Ollama,
 * llama.cpp) for its models. A server that does not answer within five seconds is listed with the problem.
 *
 * @example
 * ```ts
 * import { listModels } from "@runahead/harness";
 *
 * for (const { provider, models } of await listModels(process.env)) console.log(provider, models);
 * ```
 */
export async function listModels(env: Surroundings["env"]): Promise<ListedModels[]> {
  required(anObject)(env, 'listModels: "env"');
  return Promise.all(sourcesIn(env).map(modelsOf));
}

function sourcesIn(env: Surroundings["env"]): Source[] {
  const anthropicKey = env["ANTHROPIC_API_KEY"] ?? "";
  const openAiKey = env["OPENAI_API_KEY"] ?? "";
  const openAiAddress = env["OPENAI_BASE_URL"] ?? "";
  const sources: Source[] = [];
  if (anthropicKey !== "") {
    const address = (env["ANTHROPIC_BASE_URL"] || "https://api.anthropic.com").replace(/\/+$/, "");
    const headers = { "x-api-key": anthropicKey, "anthropic-version": "2023-06-01" };
    sources.push({ provider: "anthropic", url: `${address}/v1/models?limit=100`, headers, prefix: "" });
  }
  if (openAiKey !== "" || openAiAddress !== "") {
    const address = (openAiAddress || "https://api.openai.com/v1").replace(/\/+$/, "");
    sources.push({ provider: "openai", url: `${address}/models`, headers: bearer(openAiKey), prefix: "" });
  }
  for (const provider of SERVER_NAMES) {
    const server = isConfigured(env, provider) ? serverOf(env, provider) : undefined;
    if (server === undefined) continue;
    const url = `${server.address}/models`;
    sources.push({ provider, url, headers: bearer(server.key), prefix: `${provider}/` });
  }
  return sources;
}

function bearer(key: string): Record<string, string> {
  return key === "" ? {} : { authorization: `Bearer ${key}` };
}

async function modelsOf({ provider, url, headers, prefix }: Source): Promise<ListedModels> {
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(LIMIT_MS) });
    if (!response.ok) return failed(provider, `${new URL(url).host} answered with status ${response.status}`);
    const body = shapeOf(await response.json());
    const names = listOf(body["data"]).map((each) => stringOf(shapeOf(each)["id"]));
    const models = names.filter((name) => name !== "").map((name) => prefix + name);
    return { provider, models: models.toSorted(), problem: undefined };
  } catch (error) {
    const cause = error instanceof Error ? (shapeOf(error.cause)["message"] ?? error.message) : error;
    return failed(provider, `${url} cannot be read: ${String(cause)}`);
  }
}

function failed(provider: string, problem: string): ListedModels {
  return { provider, models: [], problem };
}
