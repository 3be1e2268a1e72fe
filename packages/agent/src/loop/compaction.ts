/** Makes room in the context window: shortens old results first, then lets the model summarise the conversation. */

import { type Results, memoryResults } from "@runahead/engine";
import type { Usage } from "../model/event.ts";
import type { Message } from "../model/message.ts";
import { NO_USAGE } from "../model/token-usage.ts";
import { shortenResults } from "./shorten.ts";
import { PROMPT_CHARS, SUMMARY_TOKENS, type SummaryPorts, summarise } from "./summary.ts";
import { estimateTokens } from "./tokens.ts";

export interface CompactorOptions {
  /** The size of the context window; a function if the model, and with it the window, can change. Default: 200,000. */
  readonly windowTokens?: number | (() => number | undefined);
  /** The part of the window above which compaction is needed. Default: 0.8. */
  readonly compactAt?: number;
  /** How much of the newest conversation stays unchanged. Default: 20,000; at most a quarter of the window. */
  readonly keepTokens?: number;
  /** Stores the full text of shortened results. Default: in memory. */
  readonly results?: Results;
}

export interface CompactionRequest
  extends Omit<SummaryPorts, "keepTokens" | "promptChars" | "roomTokens" | "tail"> {
  /** The user asked for it: it always summarises, and a success turns automatic compaction on again. */
  readonly manual: boolean;
}

export type CompactionResult =
  | {
      readonly type: "compacted";
      readonly messages: readonly Message[];
      readonly how: "shortened" | "summarised";
      /** Estimates, including system prompt and tools. */
      readonly beforeTokens: number;
      readonly afterTokens: number;
      readonly usage: Usage;
    }
  /** The conversation is unchanged. After giving up, automatic compaction is off. */
  | { readonly type: "failed"; readonly reason: string; readonly gaveUp: boolean; readonly usage: Usage };

const DEFAULT_WINDOW_TOKENS = 200_000;
const DEFAULT_COMPACT_AT = 0.8;
const DEFAULT_KEEP_TOKENS = 20_000;
/** An attempt that leaves more than this part has failed. */
const TOO_MUCH_LEFT = 0.9;
const FAILED_TRIES = 3;
/** A compaction is prepared above this part of the threshold: two thirds of the window by default. */
const NEAR = 5 / 6;
/** Shortening alone is enough if it leaves at most this part of the threshold and of the previous size. */
const ENOUGH = 0.5;
const KEPT_PART = 0.25;
/** Characters of the user's prompts that a summary keeps, for each token of the window: about 2 % of it. */
const PROMPT_CHARS_PER_TOKEN = 0.1;

export class Compactor {
  readonly #windowOf: () => number | undefined;
  readonly #compactAt: number;
  readonly #mostKept: number;
  readonly #results: Results;
  /** Automatic attempts in a row that failed. */
  #failures = 0;
  /** Why the last of them failed. */
  #reason = "";

  constructor(options: CompactorOptions) {
    const { windowTokens, compactAt = DEFAULT_COMPACT_AT } = options;
    const { keepTokens = DEFAULT_KEEP_TOKENS, results = memoryResults() } = options;
    if (!(compactAt > 0 && compactAt <= 1))
      throw new RangeError(`compactAt must be above 0 and at most 1, got ${compactAt}`);
    if (!(keepTokens >= 0)) throw new RangeError(`keepTokens must be 0 or more, got ${keepTokens}`);
    this.#windowOf = typeof windowTokens === "function" ? windowTokens : () => windowTokens;
    this.#compactAt = compactAt;
    this.#mostKept = keepTokens;
    this.#results = results;
    checkWindow(this.#windowTokens);
  }

  get #windowTokens(): number {
    return this.#windowOf() ?? DEFAULT_WINDOW_TOKENS;
  }

  get #threshold(): number {
    return this.#windowTokens * this.#compactAt;
  }

  get #keepTokens(): number {
    return Math.min(this.#mostKept, this.#windowTokens * KEPT_PART);
  }

  /** Returns whether a context of this size must be compacted. Always false after giving up. */
  isNeeded(tokens: number): boolean {
    return tokens > this.#threshold && !this.#gaveUp;
  }

  /** Returns whether a compaction should be prepared for a context of this size. */
  isNear(tokens: number): boolean {
    return tokens > this.#threshold * NEAR && !this.#gaveUp;
  }

  /** Returns whether there is no room for one more response of this size. */
  isFull(tokens: number, maxTokens: number): boolean {
    return tokens > Math.max(this.#threshold, this.#windowTokens - maxTokens);
  }

  /** Makes a smaller conversation like `compact`, but a failure does not count. */
  prepare(messages: readonly Message[], request: CompactionRequest): Promise<CompactionResult> {
    return this.#compacted(messages, request);
  }

  /** Makes the conversation smaller, or returns why it cannot. Throws only if it is aborted. */
  async compact(messages: readonly Message[], request: CompactionRequest): Promise<CompactionResult> {
    const { manual } = request;
    if (this.#gaveUp && !manual)
      return { type: "failed", reason: this.#reason, gaveUp: true, usage: NO_USAGE };
    const result = await this.#compacted(messages, request);
    if (result.type === "compacted") this.#failures = 0;
    if (result.type === "compacted" || manual) return result;
    this.#failures++;
    if (!this.#gaveUp) return result;
    this.#reason = `${result.reason} (${FAILED_TRIES} failed attempts in a row)`;
    return { ...result, reason: this.#reason, gaveUp: true };
  }

  get #gaveUp(): boolean {
    return this.#failures >= FAILED_TRIES;
  }

  async #compacted(messages: readonly Message[], request: CompactionRequest): Promise<CompactionResult> {
    const { system, tools, maxTokens, signal, manual } = request;
    const fixed = estimateTokens([system, tools]);
    const beforeTokens = fixed + estimateTokens(messages);
    // A short conversation is mostly summarised too, because that is what the user asked for.
    const keepTokens = Math.min(this.#keepTokens, beforeTokens * KEPT_PART);
    const short = await shortenResults(messages, { keepTokens, results: this.#results, signal });
    const compacted = (how: "shortened" | "summarised", after: readonly Message[], usage: Usage) => {
      const afterTokens = fixed + estimateTokens(after);
      return { type: "compacted", messages: after, how, beforeTokens, afterTokens, usage } as const;
    };
    const shortened = compacted("shortened", short, NO_USAGE);
    const enough = ENOUGH * Math.min(this.#threshold, beforeTokens);
    if (!manual && shortened.afterTokens <= enough) return shortened;

    const roomTokens = this.#windowTokens - fixed - Math.min(maxTokens, SUMMARY_TOKENS);
    // In a small window, prompts of a long session would leave less and less room for the conversation.
    const promptChars = Math.min(PROMPT_CHARS, this.#windowTokens * PROMPT_CHARS_PER_TOKEN);
    const summary = await summarise(messages, {
      ...request,
      keepTokens,
      promptChars,
      roomTokens,
      tail: short,
    });
    const { usage } = summary;
    const best = summary.type === "failed" ? shortened : compacted("summarised", summary.messages, usage);
    if (isWorthIt(best, manual)) return { ...best, usage };
    const saved = `the result would have ${best.afterTokens} tokens instead of ${beforeTokens}`;
    const reason = summary.type === "failed" ? `no summary: ${summary.reason}` : saved;
    return { type: "failed", reason, gaveUp: this.#gaveUp, usage };
  }
}

function checkWindow(tokens: number): void {
  if (!(tokens > 0 && tokens < Infinity))
    throw new RangeError(`windowTokens must be a number above 0, got ${tokens}`);
}

type Compacted = Extract<CompactionResult, { type: "compacted" }>;

/** If the user asked for it, any summary that is shorter is worth it. */
function isWorthIt({ how, beforeTokens, afterTokens }: Compacted, manual: boolean): boolean {
  if (manual) return how === "summarised" && afterTokens < beforeTokens;
  return afterTokens <= TOO_MUCH_LEFT * beforeTokens;
}
