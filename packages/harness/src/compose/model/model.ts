/** Chooses the model by the options, the settings and the API keys in the environment. */

import { readFile } from "node:fs/promises";
import {
  type Model,
  ModelError,
  type ModelEvent,
  type ProviderSearch,
  type Recording,
  anthropic,
  openai,
  replay,
} from "@runahead/agent";
import { noteToolSearch, passOn } from "@runahead/agent/internal";
import { NoModel, UsageError } from "../error.ts";
import { modelNamed } from "./model-alias.ts";
import type { Surroundings } from "../../surroundings.ts";
import { noteEffort } from "./effort-level.ts";
import type { ModelWishes } from "./model-wishes.ts";
import { isProvider, providerModel } from "./providers.ts";
import { type ModelServer, SERVER_NAMES, serverOf } from "../mcp/servers.ts";

const DEFAULTS = { anthropic: "claude-sonnet-5", openai: "gpt-5.2" } as const;

export interface ModelFlags {
  readonly model?: string;
  /** Plays back a recording instead of asking a model. */
  readonly replay?: string;
}

export interface ModelChoice {
  /** The model if no option names one. */
  readonly fromSettings?: string | undefined;
  /** Used only at the providers' own addresses, because compatible servers refuse unknown tools. */
  readonly webSearch?: ProviderSearch | undefined;
  readonly wishes?: ModelWishes;
}

export interface ChosenModel {
  readonly model: Model;
  /** Whether the provider searches the web itself. */
  readonly hasSearch: boolean;
}

/** The model of the environment, or else of the settings. */
export function configuredModel(
  env: Surroundings["env"],
  { model }: { readonly model?: string | undefined },
): string | undefined {
  const named = (env["ANTHROPIC_MODEL"] ?? "").trim();
  return named === "" ? model : named;
}

/** Throws `NoModel` if no model is configured. */
export async function chooseModel(
  surroundings: Surroundings,
  flags: ModelFlags,
  choice: ModelChoice = {},
): Promise<ChosenModel & { readonly fallback?: readonly Model[] }> {
  if (flags.replay !== undefined) return { model: await played(flags.replay), hasSearch: false };
  const name = modelNamed(flags.model ?? choice.fromSettings, surroundings.env);
  const { model, hasSearch } = await modelFor(surroundings, name, choice);
  const { fallback } = choice.wishes ?? {};
  const chosen = { model: noteEffort(givenUpEarly(model), choice.wishes ?? NO_WISHES), hasSearch };
  if (fallback === undefined) return chosen;
  const names = fallback.map((each) => modelNamed(each, surroundings.env));
  // A model does not take over from itself.
  const other = names.filter((each) => each !== name && each !== model.name);
  const others = await Promise.all(other.map((each) => modelFor(surroundings, each, choice)));
  return { ...chosen, fallback: others.map((each) => givenUpEarly(each.model)) };
}

/** About seven seconds, with the pauses of the loop. */
const MOST_UNANSWERED = 5;

/** Stops retrying early if the server was never reached: then the network or the address is probably wrong. */
function givenUpEarly(model: Model): Model {
  let unanswered = 0;
  const each = (event: ModelEvent): ModelEvent[] => {
    unanswered = Number.NEGATIVE_INFINITY;
    return [event];
  };
  const failed = (error: unknown): unknown => {
    const isUnreached = error instanceof ModelError && error.kind === "unreachable";
    if (!isUnreached || ++unanswered < MOST_UNANSWERED) return error;
    return new ModelError("unreachable", error.message, { cause: error, isPermanent: true });
  };
  return {
    ...model,
    stream: (request, signal) => passOn(() => model.stream(request, signal), { each, failed }),
  };
}

async function modelFor(
  { env, home }: Surroundings,
  name: string | undefined,
  { webSearch, wishes = NO_WISHES }: ModelChoice,
): Promise<ChosenModel> {
  if (isForOwnServer(env, name)) return openAiModel({ env, name, webSearch, wishes });
  const [provider, rest] = parted(name);
  if (provider !== undefined && isProvider(provider))
    return {
      model: await providerModel({ env, home }, { provider, model: rest }, thinkingOf(wishes, rest)),
      hasSearch: false,
    };
  const server = provider === undefined ? undefined : serverOf(env, provider);
  if (server !== undefined) return { model: atServer(server, rest, wishes), hasSearch: false };
  const given = { env, name: provider === undefined ? name : rest, webSearch, wishes };
  if (provider === "anthropic") return anthropicModel(given);
  if (provider === "openai") return openAiModel(given);
  const hasOpenAi = (env["OPENAI_API_KEY"] ?? "") !== "" || (env["OPENAI_BASE_URL"] ?? "") !== "";
  const isOther = name !== undefined && (isOfOpenAi(name) || (hasOpenAi && !isAtAnthropic(env, name)));
  if ((env["ANTHROPIC_API_KEY"] ?? "") !== "" && !isOther) return anthropicModel(given);
  if (hasOpenAi) return openAiModel(given);
  const ollama = serverOf(env, "ollama");
  if (ollama !== undefined && (env["OLLAMA_HOST"] ?? "") !== "" && name !== undefined)
    return { model: atServer(ollama, name, wishes), hasSearch: false };
  throw new NoModel(name);
}

function isOfOpenAi(name: string): boolean {
  return /^(gpt|o\d|chatgpt)/.test(name);
}

/** Servers that are compatible with Anthropic's have models of any name. */
function isAtAnthropic(env: Surroundings["env"], name: string): boolean {
  return (env["ANTHROPIC_BASE_URL"] ?? "") !== "" || /claude/i.test(name);
}

const NO_WISHES: ModelWishes = { models: {} };

/** Names that servers such as OpenRouter have in front of their own models. */
const VENDORS: ReadonlySet<string> = new Set([
  "anthropic",
  "openai",
  "google",
  "deepseek",
  "cohere",
  "perplexity",
]);

/**
 * Whether the server at `OPENAI_BASE_URL` takes a name as it is, with the vendor in front. Anthropic's own models are
 * asked there only without a key for Anthropic.
 */
function isForOwnServer(env: Surroundings["env"], name = ""): boolean {
  const vendor = parted(name)[0] ?? "";
  if ((env["OPENAI_BASE_URL"] ?? "") === "" || !VENDORS.has(vendor)) return false;
  return vendor !== "anthropic" || (env["ANTHROPIC_API_KEY"] ?? "") === "";
}

/** Splits `provider/model`. */
function parted(name = ""): readonly [provider: string | undefined, model: string] {
  const [first = "", ...others] = name.split("/");
  const isName = others.length > 0 && others.join("/") !== "";
  const isKnown = VENDORS.has(first) || isProvider(first) || SERVER_NAMES.includes(first);
  return isName && isKnown ? [first, others.join("/")] : [undefined, name];
}

interface Given extends Pick<ModelChoice, "webSearch"> {
  readonly env: Surroundings["env"];
  readonly name: string | undefined;
  readonly wishes: ModelWishes;
}

function anthropicModel({ env, name, webSearch, wishes }: Given): ChosenModel {
  const address = env["ANTHROPIC_BASE_URL"] ?? "";
  const search = searchAt(address, webSearch);
  const model = name ?? DEFAULTS.anthropic;
  const made = anthropic({
    model,
    apiKey: env["ANTHROPIC_API_KEY"] ?? "",
    ...addressOf(address),
    ...search,
    ...thinkingOf(wishes, model),
  });
  return {
    model: noteToolSearch(made, model, address),
    hasSearch: search.webSearch !== undefined,
  };
}

function openAiModel({ env, name, webSearch, wishes }: Given): ChosenModel {
  const address = env["OPENAI_BASE_URL"] ?? "";
  const search = searchAt(address || (env["OLLAMA_HOST"] ?? ""), webSearch);
  const model = name ?? DEFAULTS.openai;
  return {
    model: openai({
      model,
      apiKey: (env["OPENAI_API_KEY"] ?? "") || "none",
      ...addressOf(address),
      ...search,
      ...thinkingOf(wishes, model),
    }),
    hasSearch: search.webSearch !== undefined,
  };
}

function atServer(server: ModelServer, model: string, wishes: ModelWishes): Model {
  const { address: baseURL, addressName, keyName, key } = server;
  const thinking = thinkingOf(wishes, model);
  return openai({ model, apiKey: key || "none", keyName, baseURL, addressName, api: "chat", ...thinking });
}

function searchAt(address: string, webSearch: ProviderSearch | undefined): { webSearch?: ProviderSearch } {
  return webSearch === undefined || address !== "" ? {} : { webSearch };
}

function thinkingOf({ effort, thinking, models }: ModelWishes, model: string) {
  const facts = Object.hasOwn(models, model) ? models[model] : undefined;
  return {
    ...(effort === undefined ? {} : { effort }),
    ...(thinking === undefined ? {} : { thinking }),
    ...(facts === undefined ? {} : { facts }),
  };
}

function addressOf(baseURL: string): { baseURL?: string } {
  return baseURL === "" ? {} : { baseURL };
}

async function played(file: string): Promise<Model> {
  try {
    return replay(JSON.parse(await readFile(file, "utf8")) as Recording);
  } catch (error) {
    const isMissing = (error as { code?: unknown }).code === "ENOENT";
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(
      `Cannot read the recording ${file}: ${isMissing ? "the file does not exist. Check --replay." : why}`,
    );
  }
}
