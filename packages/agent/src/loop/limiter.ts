/** Limits that many agents share: requests and tokens in a window of time, requests at the same time, and cost. */

import {
  aNumberFromZero,
  aPositiveNumber,
  type Check,
  checkOptions,
  required,
  withOptions,
} from "@runahead/base";
import { ModelError } from "../model/error.ts";
import type { Model, ModelEvent, Usage } from "../model/event.ts";
import type { ModelRequest } from "../model/message.ts";
import { factsOf } from "../model/models.ts";
import { type Price, costOf } from "../model/price.ts";
import { EventBatches, batchesOf } from "../model/reading.ts";
import { NO_USAGE, addUsage } from "../model/token-usage.ts";
import { PRICE, aModel } from "./check-options.ts";
import { TokenGuess } from "./token-guess.ts";
import { estimateTokens } from "./tokens.ts";
import { LocalWindow, type RequestWindow } from "./request-window.ts";

/** Options of {@link createLimiter}. */
export interface LimiterOptions {
  /** The maximum number of requests in each window. Default: no limit. */
  readonly requests?: number;
  /** The maximum number of tokens in each window, input and output together. Default: no limit. */
  readonly tokens?: number;
  /** The length of the window in milliseconds. Default: 60,000. */
  readonly windowMs?: number;
  /** The maximum number of requests at the same time. Default: no limit. */
  readonly concurrent?: number;
  /** The budget in US dollars. When it is spent, requests fail; those under way finish. Default: no limit. */
  readonly costUsd?: number;
  /**
   * The tokens that are reserved for the output of each request until its usage is known. Lower it to let more requests
   * run at the same time, if answers are short. Default: the output limit of the request.
   */
  readonly outputTokens?: number;
  /** The price of the models, if it is not in the table or differs from it. */
  readonly price?: Price;
}

/** What the models of a limiter have used. */
export interface LimiterSpent {
  /** Requests that were sent. */
  readonly requests: number;
  /** Their tokens. */
  readonly usage: Usage;
  /** Their cost in US dollars; undefined if the price of a model is unknown. */
  readonly costUsd: number | undefined;
}

/** Limits that all models of {@link Limiter.limit} share. */
export interface Limiter {
  /**
   * Returns a model whose requests wait until the limits leave room for them, in the order of asking. A request that waits
   * can be aborted. Throws a TypeError if there is a budget and the price of the model is unknown.
   */
  limit(model: Model): Model;
  /** What has been used so far. */
  readonly spent: LimiterSpent;
  /** The number of requests that wait. */
  readonly waiting: number;
}

/** The checks of the options. */
export const LIMITER_OPTIONS: Readonly<Record<keyof LimiterOptions, Check>> = {
  requests: aPositiveNumber,
  tokens: aPositiveNumber,
  windowMs: aPositiveNumber,
  concurrent: aPositiveNumber,
  costUsd: aNumberFromZero,
  outputTokens: aNumberFromZero,
  price: withOptions(PRICE),
};

/**
 * Makes limits that many agents share. Give all of them models of the same limiter: their turns, summaries and sub-agents
 * count together.
 *
 * @example
 * ```ts
 * import { anthropic, createAgent, createLimiter } from "@runahead/agent";
 *
 * const limiter = createLimiter({ requests: 50, tokens: 400_000, costUsd: 20 });
 * const model = limiter.limit(anthropic({ model: "claude-sonnet-4-6" }));
 * const agents = ["a", "b", "c"].map(() => createAgent({ model, tools: [] }));
 * ```
 */
export function createLimiter(options: LimiterOptions): Limiter {
  checkOptions(options, LIMITER_OPTIONS, "createLimiter");
  return limiterOn(new LocalWindow(options), options);
}

/** Makes a limiter whose requests wait in this window. */
export function limiterOn(window: RequestWindow, options: LimiterOptions): Limiter {
  return new SharedLimiter(window, options);
}

class SharedLimiter implements Limiter {
  readonly #options: LimiterOptions;
  readonly #window: RequestWindow;
  readonly #guess = new TokenGuess();
  #requests = 0;
  #usage: Usage = NO_USAGE;
  #costUsd: number | undefined = 0;

  constructor(window: RequestWindow, options: LimiterOptions) {
    this.#window = window;
    this.#options = options;
  }

  get spent(): LimiterSpent {
    return { requests: this.#requests, usage: this.#usage, costUsd: this.#costUsd };
  }

  get waiting(): number {
    return this.#window.waiting;
  }

  limit(model: Model): Model {
    required(aModel)(model, "limit: the model");
    if (this.#options.costUsd !== undefined && this.#priceOf(model) === undefined)
      throw new TypeError(
        `limit: the price of ${model.name} is unknown, so the budget would have no effect. Pass "price" to createLimiter.`,
      );
    return {
      get name() {
        return model.name;
      },
      get facts() {
        return model.facts;
      },
      stream: (request, signal) => new EventBatches(this.#batches(model, request, signal)),
    };
  }

  async *#batches(
    model: Model,
    request: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<readonly ModelEvent[], void, undefined> {
    const estimate = estimateTokens([request.system, request.tools, request.messages]);
    const input = this.#guess.of(estimate);
    const { outputTokens = request.maxTokens } = this.#options;
    const taken = await this.#window.take(input + outputTokens, signal, (spentUsd = this.#costUsd) =>
      this.#checkBudget(spentUsd ?? 0),
    );
    this.#requests++;
    let usage: Usage | undefined;
    try {
      for await (const batch of batchesOf(model.stream(request, signal))) {
        taken.answered();
        for (const event of batch) if (event.type === "usage") usage = event.usage;
        yield batch;
      }
    } catch (error) {
      this.#holdUp(error);
      throw error;
    } finally {
      const costUsd = this.#count(usage, model);
      if (usage !== undefined) this.#guess.learn(estimate, inputOf(usage));
      taken.end(usage === undefined ? input : tokensOf(usage), costUsd);
    }
  }

  /** Requests that were under way when the budget was spent have been counted by now. */
  #checkBudget(spentUsd: number): void {
    const { costUsd } = this.#options;
    if (costUsd === undefined || spentUsd < costUsd) return;
    throw new ModelError(
      "budget",
      `The budget of the limiter is spent: ${spentUsd.toFixed(4)} of ${costUsd} US dollars. Raise costUsd to continue.`,
    );
  }

  /** A server that refuses one request would refuse the others too. */
  #holdUp(error: unknown): void {
    if (!(error instanceof ModelError) || error.kind !== "rate-limit") return;
    this.#window.pause(error.retryAfterMs ?? 0);
  }

  /** Returns the cost of a request; undefined if its price is unknown. */
  #count(usage: Usage | undefined, model: Model): number | undefined {
    if (usage === undefined) return 0;
    this.#usage = addUsage(this.#usage, usage);
    const price = this.#priceOf(model);
    const costUsd = price === undefined ? undefined : costOf(usage, price);
    this.#costUsd =
      costUsd === undefined || this.#costUsd === undefined ? undefined : this.#costUsd + costUsd;
    return costUsd;
  }

  #priceOf(model: Model): Price | undefined {
    return this.#options.price ?? factsOf(model).price;
  }
}

function inputOf({ inputTokens, cacheReadTokens, cacheWriteTokens }: Usage): number {
  return inputTokens + cacheReadTokens + cacheWriteTokens;
}

function tokensOf(usage: Usage): number {
  return inputOf(usage) + usage.outputTokens;
}
