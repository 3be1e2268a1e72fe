/**
 * What is known about models: context window, output limit, price and abilities. One row per model; to update, edit
 * this table. Facts and list prices of November 2026, without surcharges for very long prompts. Settings and options
 * can add models and override rows.
 */

import { EFFORTS, type Effort } from "./effort.ts";
import type { Price } from "./price.ts";

/** What is known about a model. Unknown members are undefined. */
export interface ModelFacts {
  /** The size of the context window, in tokens. */
  readonly contextTokens?: number;
  /** The output limit of one response, in tokens. */
  readonly maxOutputTokens?: number;
  /** The price, in US dollars per million tokens. */
  readonly price?: Price;
  /** The levels of effort that it takes, from low to high; empty if it takes none. */
  readonly efforts?: readonly Effort[];
  /** How it thinks: it decides itself, or up to a budget of tokens. `none`: not at all. */
  readonly thinking?: "adaptive" | "budget" | "none";
  /** Whether its API makes the answer fit a JSON Schema. Default: false. */
  readonly structuredOutput?: boolean;
}

type Thinking = NonNullable<ModelFacts["thinking"]>;
/** Context and output in thousands of tokens; prices of input, output, cached input and written cache. */
type Row = readonly [
  contextK: number | undefined,
  outputK: number | undefined,
  prices: readonly [input: number, output: number, cacheRead: number, cacheWrite: number],
  efforts: readonly Effort[] | undefined,
  thinking: Thinking | undefined,
];

const NONE: readonly Effort[] = [];
const TO_HIGH: readonly Effort[] = ["low", "medium", "high"];
const HIGH_AND_MAX: readonly Effort[] = ["low", "medium", "high", "max"];
const TO_XHIGH: readonly Effort[] = ["low", "medium", "high", "xhigh"];
const ALL: readonly Effort[] = EFFORTS;

/** By the name of the model without its date. */
const ROWS: Readonly<Record<string, Row>> = {
  "claude-fable-5": [1_000, 128, [10, 50, 1, 12.5], ALL, "adaptive"],
  "claude-fable-5-1": [1_000, 128, [10, 50, 0.25, 12.5], ALL, "adaptive"],
  "claude-opus-4": [200, 32, [15, 75, 1.5, 18.75], NONE, "budget"],
  "claude-opus-4-1": [200, 32, [15, 75, 1.5, 18.75], NONE, "budget"],
  "claude-opus-4-5": [200, 64, [5, 25, 0.5, 6.25], TO_HIGH, "budget"],
  "claude-opus-4-6": [1_000, 128, [5, 25, 0.5, 6.25], HIGH_AND_MAX, "adaptive"],
  "claude-opus-4-7": [1_000, 128, [5, 25, 0.5, 6.25], ALL, "adaptive"],
  "claude-opus-4-8": [1_000, 128, [5, 25, 0.5, 6.25], ALL, "adaptive"],
  "claude-opus-5": [1_000, 128, [5, 25, 0.5, 6.25], ALL, "adaptive"],
  "claude-opus-5-5": [1_000, 128, [4, 20, 0.2, 5], ALL, "adaptive"],
  "claude-sonnet-4": [200, 64, [3, 15, 0.3, 3.75], NONE, "budget"],
  "claude-sonnet-4-5": [200, 64, [3, 15, 0.3, 3.75], NONE, "budget"],
  "claude-sonnet-4-6": [1_000, 64, [3, 15, 0.3, 3.75], HIGH_AND_MAX, "adaptive"],
  "claude-sonnet-5": [1_000, 128, [2, 10, 0.2, 2.5], ALL, "adaptive"],
  "claude-sonnet-5-5": [1_000, 128, [2, 10, 0.2, 2.5], ALL, "adaptive"],
  "claude-haiku-4-5": [200, 64, [1, 5, 0.1, 1.25], NONE, "budget"],
  "gpt-4.1": [1_000, 32, [2, 8, 0.5, 2], NONE, "none"],
  "gpt-5": [400, 128, [1.25, 10, 0.125, 1.25], TO_HIGH, undefined],
  "gpt-5-mini": [400, 128, [0.25, 2, 0.025, 0.25], TO_HIGH, undefined],
  "gpt-5.2": [400, 128, [1.75, 14, 0.175, 1.75], TO_XHIGH, undefined],
  "gpt-5.4": [1_050, 128, [2.5, 15, 0.25, 2.5], TO_XHIGH, undefined],
  "gpt-5.4-mini": [400, 128, [0.75, 4.5, 0.075, 0.75], TO_XHIGH, undefined],
  "gpt-5.4-nano": [400, 128, [0.2, 1.25, 0.02, 0.2], TO_XHIGH, undefined],
  "gpt-5.5": [1_050, 128, [5, 30, 0.5, 5], TO_XHIGH, undefined],
  "gpt-6-sol": [undefined, undefined, [2, 10, 0.2, 2.5], ALL, undefined],
  "gpt-6-luna": [undefined, undefined, [0.1, 0.5, 0.01, 0.125], ALL, undefined],
};

/** The models of the table whose API cannot make an answer fit a JSON Schema. */
const WITHOUT_SCHEMA: ReadonlySet<string> = new Set(["claude-opus-4", "claude-opus-4-1", "claude-sonnet-4"]);

/** The names of all models in the table. */
export const KNOWN_MODELS: readonly string[] = Object.keys(ROWS);

/** A date or `latest` can follow the name. Any other suffix means another model. */
const VERSION = /[-@](\d{8}|\d{4}-\d{2}-\d{2}|latest)$/;

/** Returns what the table knows about a model; nothing for a model that it does not have. */
export function knownFacts(modelName: string): ModelFacts {
  const name = modelName.replace(VERSION, "");
  if (!Object.hasOwn(ROWS, name)) return {};
  const [contextK, outputK, [input, output, cacheRead, cacheWrite], efforts, thinking] = ROWS[name] as Row;
  return {
    ...(contextK === undefined ? {} : { contextTokens: contextK * 1_000 }),
    ...(outputK === undefined ? {} : { maxOutputTokens: outputK * 1_000 }),
    price: { input, output, cacheRead, cacheWrite },
    ...(efforts === undefined ? {} : { efforts }),
    ...(thinking === undefined ? {} : { thinking }),
    ...(WITHOUT_SCHEMA.has(name) ? {} : { structuredOutput: true }),
  };
}

/** Returns what is known about a model: its own facts, and those of the table for the rest. */
export function factsOf({
  name,
  facts,
}: {
  readonly name: string;
  readonly facts?: ModelFacts | undefined;
}): ModelFacts {
  return { ...knownFacts(name), ...facts };
}

const DEFAULT_OUTPUT_TOKENS = 32_000;

/** Returns the output limit of a response: enough for most, and never more than the model can give. */
export function outputLimit(model: {
  readonly name: string;
  readonly facts?: ModelFacts | undefined;
}): number {
  return Math.min(DEFAULT_OUTPUT_TOKENS, factsOf(model).maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS);
}

/** A window that somebody wishes can only lower the one that there is. */
export function loweredWindow(
  wanted: number | undefined,
  most = Infinity,
): { readonly contextTokens?: number } {
  return wanted === undefined || wanted >= most ? {} : { contextTokens: wanted };
}
