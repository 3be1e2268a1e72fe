/** Room in a full window: old results are shortened first, then the model sums the conversation up. */

import { type Results, memoryResults } from "@runahead/engine";
import type { Usage } from "../model/event.ts";
import type { Message } from "../model/message.ts";
import { NO_USAGE } from "../model/token-usage.ts";
import { shortenResults } from "./shorten.ts";
import { type SummaryPorts, summarise } from "./summary.ts";
import { estimateTokens } from "./tokens.ts";

export interface CompactorOptions {
  /** How much the model's window holds: 200,000 where absent. */
  readonly windowTokens?: number;
  /** The part of the window above which compaction is needed: 0.8 where absent. */
  readonly compactAt?: number;
  /** How much of the newest conversation stays as it is: 20,000 where absent, at most a quarter of the window. */
  readonly keepTokens?: number;
  /** Where the whole of a shortened result goes: into memory where absent. */
  readonly results?: Results;
}

export interface CompactionRequest extends Omit<SummaryPorts, "keepTokens"> {
  /** A person asks for it: then there is always a summary, and a success turns automatic compaction on again. */
  readonly manual: boolean;
}

export type CompactionResult =
  | {
      readonly type: "compacted";
      readonly messages: readonly Message[];
      readonly how: "shortened" | "summarised";
      /** Estimates, system and tools included. */
      readonly beforeTokens: number;
      readonly afterTokens: number;
      readonly usage: Usage;
    }
  /** The conversation stays as it was. After giving up, automatic compaction is off. */
  | { readonly type: "failed"; readonly reason: string; readonly gaveUp: boolean; readonly usage: Usage };

const DEFAULT_WINDOW_TOKENS = 200_000;
const DEFAULT_COMPACT_AT = 0.8;
const DEFAULT_KEEP_TOKENS = 20_000;
/** A try that leaves more than this part of what was there is fruitless. */
const FRUITLESS = 0.9;
const FRUITLESS_TRIES = 3;
/** Shortening alone will do when it leaves at most this part: of the threshold, so that it lasts, and of what was there. */
const ENOUGH = 0.5;
const KEPT_PART = 0.25;

export class Compactor {
  readonly #threshold: number;
  readonly #keepTokens: number;
  readonly #results: Results;
  /** Automatic tries in a row that were fruitless. */
  #fruitless = 0;
  /** Why the last of them was. */
  #reason = "";

  constructor(options: CompactorOptions) {
    const { windowTokens = DEFAULT_WINDOW_TOKENS, compactAt = DEFAULT_COMPACT_AT } = options;
    const { keepTokens = DEFAULT_KEEP_TOKENS, results = memoryResults() } = options;
    if (!(windowTokens > 0 && windowTokens < Infinity))
      throw new RangeError(`windowTokens is ${windowTokens}: it must be a number above 0`);
    if (!(compactAt > 0 && compactAt <= 1))
      throw new RangeError(
        `compactAt is ${compactAt}: it must be a part of the window, above 0 and at most 1`,
      );
    if (!(keepTokens >= 0)) throw new RangeError(`keepTokens is ${keepTokens}: it must be 0 or more`);
    this.#threshold = windowTokens * compactAt;
    this.#keepTokens = Math.min(keepTokens, windowTokens * KEPT_PART);
    this.#results = results;
  }

  /** With this many tokens in the context; never after giving up. */
  isNeeded(tokens: number): boolean {
    return tokens > this.#threshold && !this.#gaveUp;
  }

  /** Makes the conversation smaller, or says why it cannot. Throws only when it is aborted. */
  async compact(messages: readonly Message[], request: CompactionRequest): Promise<CompactionResult> {
    const { manual } = request;
    if (this.#gaveUp && !manual)
      return { type: "failed", reason: this.#reason, gaveUp: true, usage: NO_USAGE };
    const result = await this.#compacted(messages, request);
    if (result.type === "compacted") this.#fruitless = 0;
    if (result.type === "compacted" || manual) return result;
    this.#fruitless++;
    if (!this.#gaveUp) return result;
    this.#reason = `${result.reason} (${FRUITLESS_TRIES} fruitless tries in a row)`;
    return { ...result, reason: this.#reason, gaveUp: true };
  }

  get #gaveUp(): boolean {
    return this.#fruitless >= FRUITLESS_TRIES;
  }

  async #compacted(messages: readonly Message[], request: CompactionRequest): Promise<CompactionResult> {
    const { system, tools, signal, manual } = request;
    const fixed = estimateTokens([system, tools]);
    const beforeTokens = fixed + estimateTokens(messages);
    // Of a short conversation most is summed up too: that is why a person asks.
    const keepTokens = Math.min(this.#keepTokens, beforeTokens * KEPT_PART);
    const short = await shortenResults(messages, { keepTokens, results: this.#results, signal });
    const compacted = (how: "shortened" | "summarised", after: readonly Message[], usage: Usage) => {
      const afterTokens = fixed + estimateTokens(after);
      return { type: "compacted", messages: after, how, beforeTokens, afterTokens, usage } as const;
    };
    const shortened = compacted("shortened", short, NO_USAGE);
    const enough = ENOUGH * Math.min(this.#threshold, beforeTokens);
    if (!manual && shortened.afterTokens <= enough) return shortened;

    const summary = await summarise(short, { ...request, keepTokens });
    const { usage } = summary;
    const best = summary.type === "failed" ? shortened : compacted("summarised", summary.messages, usage);
    if (isWorthIt(best, manual)) return { ...best, usage };
    const saved = `of ${beforeTokens} tokens ${best.afterTokens} would be left`;
    const reason = summary.type === "failed" ? `no summary: ${summary.reason}` : saved;
    return { type: "failed", reason, gaveUp: this.#gaveUp, usage };
  }
}

type Compacted = Extract<CompactionResult, { type: "compacted" }>;

/** What a person asks for is a summary, and any gain is one. */
function isWorthIt({ how, beforeTokens, afterTokens }: Compacted, manual: boolean): boolean {
  if (manual) return how === "summarised" && afterTokens < beforeTokens;
  return afterTokens <= FRUITLESS * beforeTokens;
}
