/** Models of other providers, through AI SDK packages that the user installs. They are loaded when a model needs one. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type AiSdkModel, type AiSdkOptions, type Model, aiSdk } from "@runahead/agent";
import { isShape, shapeOf } from "@runahead/base";
import { runaheadHome } from "../../home.ts";
import type { Surroundings } from "../../surroundings.ts";
import { UsageError } from "../error.ts";

interface Provider {
  readonly package: string;
  /** The name under which the package exports the provider. */
  readonly name: string;
}

/** By the first part of `provider/model`. */
const PROVIDERS: Readonly<Record<string, Provider>> = {
  azure: { package: "@ai-sdk/azure", name: "azure" },
  bedrock: { package: "@ai-sdk/amazon-bedrock", name: "bedrock" },
  cerebras: { package: "@ai-sdk/cerebras", name: "cerebras" },
  cohere: { package: "@ai-sdk/cohere", name: "cohere" },
  deepinfra: { package: "@ai-sdk/deepinfra", name: "deepinfra" },
  deepseek: { package: "@ai-sdk/deepseek", name: "deepseek" },
  fireworks: { package: "@ai-sdk/fireworks", name: "fireworks" },
  google: { package: "@ai-sdk/google", name: "google" },
  groq: { package: "@ai-sdk/groq", name: "groq" },
  mistral: { package: "@ai-sdk/mistral", name: "mistral" },
  perplexity: { package: "@ai-sdk/perplexity", name: "perplexity" },
  togetherai: { package: "@ai-sdk/togetherai", name: "togetherai" },
  vertex: { package: "@ai-sdk/google-vertex", name: "vertex" },
  xai: { package: "@ai-sdk/xai", name: "xai" },
};

/** Claude on Vertex has an entry of its own. */
const VERTEX_CLAUDE: Provider = { package: "@ai-sdk/google-vertex/anthropic", name: "vertexAnthropic" };

export function isProvider(name: string): boolean {
  return Object.hasOwn(PROVIDERS, name);
}

/** Throws a `UsageError` that names the package if it is not installed. */
export async function providerModel(
  { env, home }: Pick<Surroundings, "env" | "home">,
  { provider, model }: { readonly provider: string; readonly model: string },
  options: AiSdkOptions = {},
): Promise<Model> {
  const isClaude = provider === "vertex" && model.startsWith("claude");
  const { package: specifier, name } = isClaude ? VERTEX_CLAUDE : (PROVIDERS[provider] as Provider);
  const folder = runaheadHome({ env, home });
  const loaded = await load(specifier, folder);
  if (loaded === undefined)
    throw new UsageError(
      `The model "${provider}/${model}" needs the package ${packageOf(specifier)}, which is not installed. Install it: npm install --prefix ${folder} ${packageOf(specifier)}`,
    );
  const make = loaded[name] ?? shapeOf(loaded["default"])[name];
  if (typeof make !== "function")
    throw new UsageError(
      `The package ${packageOf(specifier)} has no export "${name}". Install another version of it.`,
    );
  return aiSdk((make as (model: string) => AiSdkModel)(model), options);
}

function packageOf(specifier: string): string {
  return specifier.split("/").slice(0, 2).join("/");
}

/** Never from the workspace, because a repository must not decide what the program runs. */
async function load(
  specifier: string,
  folder: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const entry = await entryIn(folder, specifier);
  try {
    return (await import(entry ?? specifier)) as Record<string, unknown>;
  } catch (error) {
    if (entry === undefined && shapeOf(error)["code"] === "ERR_MODULE_NOT_FOUND") return undefined;
    throw new UsageError(
      `Cannot load the package ${packageOf(specifier)}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** Finds the file of a package that is installed in the user's folder. */
async function entryIn(folder: string, specifier: string): Promise<string | undefined> {
  const root = join(folder, "node_modules", packageOf(specifier));
  const text = await readFile(join(root, "package.json"), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const { exports, module, main } = JSON.parse(text) as Record<string, unknown>;
  const sub = `.${specifier.slice(packageOf(specifier).length)}`;
  const file = fileOf(shapeOf(exports)[sub]) ?? fileOf(module) ?? fileOf(main) ?? "index.js";
  return pathToFileURL(join(root, file)).href;
}

/** Reads conditional exports as an import does. */
function fileOf(target: unknown): string | undefined {
  if (typeof target === "string") return target;
  if (!isShape(target)) return undefined;
  return fileOf(target["import"]) ?? fileOf(target["default"]) ?? fileOf(target["require"]);
}
