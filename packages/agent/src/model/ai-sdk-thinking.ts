/** How much a model thinks, in the words of the AI SDK's providers. */

import { type Effort, type ThinkingOptions, budgetFor, effortOf } from "./effort.ts";
import type { ModelFacts } from "./models.ts";

type Members = Readonly<Record<string, unknown>>;

/** What is asked for, in both forms: a provider takes one of them. */
interface Wish {
  readonly modelId: string;
  readonly isOff: boolean;
  /** Undefined to leave it to the model. */
  readonly effort: Effort | undefined;
  readonly budgetTokens: number;
  /** A budget was asked for, not a level. */
  readonly isBudget: boolean;
  readonly facts: ModelFacts;
}

/** Returns the options of a provider. */
type Words = (wish: Wish) => Members;

/** Providers have no level above `high` unless stated. */
function upToHigh(effort: Effort | undefined): string | undefined {
  return effort === "xhigh" || effort === "max" ? "high" : effort;
}

const reasoningEffort: Words = ({ isOff, effort }) => ({
  reasoningEffort: isOff ? "none" : upToHigh(effort),
});

const anthropic: Words = ({ isOff, effort, budgetTokens, isBudget, facts }) => {
  if (isOff) return { thinking: { type: "disabled" } };
  if (isBudget && facts.thinking === "adaptive") return { thinking: { type: "adaptive" } };
  // Older models have no levels.
  const takesBudget = isBudget || effort === undefined;
  return takesBudget ? { thinking: { type: "enabled", budgetTokens } } : { effort };
};

/** Gemini 3 takes levels, earlier models a budget. */
const google: Words = ({ modelId, isOff, effort, budgetTokens, isBudget }) => {
  const takesLevel = /gemini-(?:[3-9]|\d\d)/.test(modelId) && !isBudget && !isOff;
  const level = effort === "low" ? "low" : "high";
  return {
    thinkingConfig: takesLevel ? { thinkingLevel: level } : { thinkingBudget: isOff ? 0 : budgetTokens },
  };
};

const bedrock: Words = ({ isOff, budgetTokens }) => ({
  reasoningConfig: isOff ? { type: "disabled" } : { type: "enabled", budgetTokens },
});

const thinkingSwitch: Words = ({ isOff }) => ({ thinking: { type: isOff ? "disabled" : "enabled" } });

const cohere: Words = ({ isOff, budgetTokens }) => ({
  thinking: isOff ? { type: "disabled" } : { type: "enabled", tokenBudget: budgetTokens },
});

type Family = readonly [name: RegExp, keys: readonly string[], words: Words];

/** By the part of `model.provider` that names the family, with the keys that its options have. First match wins. */
const FAMILIES: readonly Family[] = [
  [/anthropic/, ["anthropic"], anthropic],
  [/bedrock/, ["bedrock"], bedrock],
  [/google|vertex/, ["google", "vertex"], google],
  [/azure|openai/, ["openai", "azure"], reasoningEffort],
  [/xai/, ["xai"], reasoningEffort],
  [/groq/, ["groq"], reasoningEffort],
  [/cerebras/, ["cerebras"], reasoningEffort],
  [/deepinfra/, ["deepinfra"], reasoningEffort],
  [/togetherai/, ["togetherai"], reasoningEffort],
  [/fireworks/, ["fireworks"], reasoningEffort],
  [/deepseek/, ["deepseek"], thinkingSwitch],
  [/cohere/, ["cohere"], cohere],
];

/** Models of the package for compatible servers are called by the name that the caller chose. */
function compatible(provider: string): Family | undefined {
  const [name = "", kind] = provider.split(".");
  if (kind !== "chat" || name === "mistral") return undefined;
  return [/^/, [name, "openaiCompatible"], reasoningEffort];
}

interface Described {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  readonly facts: ModelFacts;
}

/** The members of a call; undefined if nothing is known about the provider, so that the wish has no effect. */
export function aiSdkThinking(
  options: ThinkingOptions,
  { specificationVersion, provider, modelId, facts }: Described,
): Members | undefined {
  const { effort, thinking } = options;
  if (effort === undefined && (thinking === undefined || thinking === "adaptive")) return {};
  const isBudget = typeof thinking === "object";
  const level = effortOf(options, facts);
  // From version 4 on, every provider takes a level in the same words.
  if (specificationVersion === "v4" && !isBudget)
    return { reasoning: thinking === "off" ? "none" : level === "max" ? "xhigh" : level };
  const family = FAMILIES.find(([name]) => name.test(provider)) ?? compatible(provider);
  if (family === undefined)
    return specificationVersion === "v4" ? { reasoning: level === "max" ? "xhigh" : level } : undefined;
  const [, keys, words] = family;
  const wish = {
    modelId,
    isOff: thinking === "off",
    effort: level,
    budgetTokens: budgetFor(options),
    isBudget,
    facts,
  };
  return { providerOptions: Object.fromEntries(keys.map((key) => [key, words(wish)])) };
}

/** The caller's own options win over those that follow from effort and thinking. */
export function mergedOptions(ours: unknown, given: unknown): Members {
  const own = (ours ?? {}) as Record<string, Members>;
  const other = (given ?? {}) as Record<string, Members>;
  const merged = { ...own, ...other };
  for (const key of Object.keys(other)) merged[key] = { ...own[key], ...other[key] };
  return merged;
}
