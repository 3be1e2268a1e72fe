/** Chooses the model by the options, the settings and the API keys in the environment. */

import { readFile } from "node:fs/promises";
import {
  type Model,
  ModelError,
  type ProviderSearch,
  type Recording,
  anthropic,
  openai,
  replay,
} from "@runahead/agent";
import { NoModel, UsageError } from "./error.ts";
import type { Surroundings } from "../surroundings.ts";

const DEFAULTS = { anthropic: "claude-sonnet-5", openai: "gpt-5.2" } as const;

export interface ModelFlags {
  readonly model?: string;
  /** Plays back a recording instead of asking a model. */
  readonly replay?: string;
}

export interface ModelChoice {
  /** The `model` setting. */
  readonly fromSettings?: string | undefined;
  /** Used only at the providers' own addresses, because compatible servers refuse unknown tools. */
  readonly webSearch?: ProviderSearch | undefined;
}

export interface ChosenModel {
  readonly model: Model;
  /** Whether the provider searches the web itself. */
  readonly hasSearch: boolean;
}

/** Throws `NoModel` if no model is configured. */
export async function chooseModel(
  { env }: Surroundings,
  flags: ModelFlags,
  { fromSettings, webSearch }: ModelChoice = {},
): Promise<ChosenModel> {
  if (flags.replay !== undefined) return { model: await played(flags.replay), hasSearch: false };
  const { model, hasSearch } = modelFor(env, flags.model ?? fromSettings, webSearch);
  return { model: givenUpEarly(model), hasSearch };
}

/** The model that takes over after repeated overload. */
export async function fallbackOf(
  world: Surroundings,
  { fallbackModel: model, replay: file }: ModelFlags & { readonly fallbackModel?: string },
): Promise<{ readonly fallbackModel?: Model }> {
  if (model === undefined || file !== undefined) return {};
  return { fallbackModel: (await chooseModel(world, { model })).model };
}

/** About seven seconds, with the pauses of the loop. */
const MOST_UNANSWERED = 5;

/** Stops retrying early if the server was never reached: then the network or the address is probably wrong. */
function givenUpEarly(model: Model): Model {
  let unanswered = 0;
  return {
    name: model.name,
    async *stream(request, signal) {
      try {
        for await (const event of model.stream(request, signal)) {
          unanswered = Number.NEGATIVE_INFINITY;
          yield event;
        }
      } catch (error) {
        if (!(error instanceof ModelError) || error.kind !== "unreachable") throw error;
        if (++unanswered < MOST_UNANSWERED) throw error;
        throw new ModelError("unreachable", error.message, { cause: error, isPermanent: true });
      }
    },
  };
}

function modelFor(
  env: Surroundings["env"],
  name: string | undefined,
  webSearch: ProviderSearch | undefined,
): ChosenModel {
  const searchAt = (address: string): { webSearch?: ProviderSearch } =>
    webSearch === undefined || address !== "" ? {} : { webSearch };
  const anthropicKey = env["ANTHROPIC_API_KEY"] ?? "";
  const isOpenAi = name !== undefined && /^(gpt|o\d|chatgpt)/.test(name);
  if (anthropicKey !== "" && !isOpenAi) {
    const address = env["ANTHROPIC_BASE_URL"] ?? "";
    const search = searchAt(address);
    return {
      model: anthropic({
        model: name ?? DEFAULTS.anthropic,
        apiKey: anthropicKey,
        ...addressOf(address),
        ...search,
      }),
      hasSearch: search.webSearch !== undefined,
    };
  }
  const openAiKey = env["OPENAI_API_KEY"] ?? "";
  const ownAddress = env["OPENAI_BASE_URL"] ?? "";
  if (openAiKey !== "" || ownAddress !== "") {
    const search = searchAt(ownAddress || (env["OLLAMA_HOST"] ?? ""));
    return {
      model: openai({
        model: name ?? DEFAULTS.openai,
        apiKey: openAiKey || "none",
        ...addressOf(ownAddress),
        ...search,
      }),
      hasSearch: search.webSearch !== undefined,
    };
  }
  const ollama = env["OLLAMA_HOST"] ?? "";
  if (ollama !== "" && name !== undefined) {
    const host = ollama.includes("://") ? ollama : `http://${ollama}`;
    const model = openai({ model: name, apiKey: "none", baseURL: `${host}/v1`, api: "chat" });
    return { model, hasSearch: false };
  }
  throw new NoModel();
}

function addressOf(baseURL: string): { baseURL?: string } {
  return baseURL === "" ? {} : { baseURL };
}

async function played(file: string): Promise<Model> {
  try {
    return replay(JSON.parse(await readFile(file, "utf8")) as Recording);
  } catch (error) {
    throw new UsageError(
      `Cannot read the recording ${file}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
