/** The turn loop: send the history, run what comes back, append the results, and again, until nothing is asked for. */

import { type ExecutorOptions, repairHistory } from "@runahead/engine";
import type { ModelError } from "../model/error.ts";
import type { Model, Usage } from "../model/event.ts";
import type { Block, Message, ModelRequest } from "../model/message.ts";
import { stringOf } from "../model/shape.ts";
import { NO_USAGE, addUsage } from "../model/usage.ts";
import { toolDefinitions } from "./definitions.ts";
import type { AgentEvent, EndReason, QueryResult } from "./event.ts";
import { DEFAULT_RETRY, type RetryPolicy, sleep, waitBefore } from "./retry.ts";
import { type TurnResult, runTurn } from "./turn.ts";

type FromExecutor = Pick<
  ExecutorOptions,
  "tools" | "canUseTool" | "ask" | "hooks" | "limit" | "start" | "journal" | "results" | "validateJsonSchema"
>;

export interface QueryOptions extends FromExecutor {
  readonly prompt: string | readonly Block[];
  readonly model: Model;
  /** Takes over after repeated overload. */
  readonly fallbackModel?: Model;
  readonly system?: string;
  /** The conversation so far; repaired where the model's API would refuse it. */
  readonly messages?: readonly Message[];
  readonly cwd?: string;
  /** 50 where absent. */
  readonly maxTurns?: number;
  /** The output limit of one response: 32,000 where absent. */
  readonly maxTokens?: number;
  /** Ends the loop before the turn that would begin above one of these. */
  readonly budget?: { readonly tokens?: number; readonly calls?: number; readonly ms?: number };
  readonly signal?: AbortSignal;
  readonly retry?: RetryPolicy;
}

const DEFAULT_MAX_TURNS = 50;
const DEFAULT_MAX_TOKENS = 32_000;
/** So often in a row a response that was cut by its limit, or overload, is put up with. */
const CONTINUATIONS = 3;
const OVERLOADS_BEFORE_FALLBACK = 3;

const CUT_OFF =
  "Your last response was cut off by the output limit. Go on from where it stopped, in smaller steps.";
const EMPTY = "Your last response was empty. Go on, or say that you are done.";

/** Gives events while it runs and ends in a result. Only wrong use throws: what goes wrong is in the result. */
export function query(options: QueryOptions): AsyncGenerator<AgentEvent, QueryResult, undefined> {
  return new Loop(options).run();
}

class Loop {
  readonly #options: QueryOptions;
  readonly #signal: AbortSignal;
  readonly #begun = performance.now();
  readonly #tools: ModelRequest["tools"];
  #history: readonly Message[];
  #context: { readonly cwd: string };
  #model: Model;
  #usage: Usage = NO_USAGE;
  #turns = 0;
  #calls = 0;
  #text = "";
  /** Responses in a row that were cut by their limit, and that were empty. */
  #cut = 0;
  #empty = 0;

  constructor(options: QueryOptions) {
    const { prompt, messages = [], cwd = process.cwd() } = options;
    this.#options = options;
    this.#signal = options.signal ?? new AbortController().signal;
    this.#tools = toolDefinitions(options.tools);
    this.#history = [...messages, { role: "user", content: prompt }];
    this.#context = { cwd };
    this.#model = options.model;
  }

  async *run(): AsyncGenerator<AgentEvent, QueryResult, undefined> {
    const { reason, detail } = yield* this.#loop();
    const { messages } = repairHistory(this.#history);
    const result: QueryResult = {
      reason,
      detail,
      text: this.#text,
      messages,
      turns: this.#turns,
      usage: this.#usage,
    };
    yield { type: "ended", result };
    return result;
  }

  async *#loop(): AsyncGenerator<AgentEvent, End, undefined> {
    for (;;) {
      const limit = this.#limitReached();
      if (limit !== undefined) return limit;
      const turn = yield* this.#turn();
      if ("reason" in turn) return turn;
      const end = this.#append(turn);
      if (end !== undefined) return end;
    }
  }

  #limitReached(): End | undefined {
    const { maxTurns = DEFAULT_MAX_TURNS, budget = {} } = this.#options;
    if (this.#signal.aborted) return { reason: "aborted_streaming", detail: "" };
    if (this.#turns >= maxTurns) return { reason: "max_turns", detail: `${maxTurns} turns` };
    const tokens = this.#usage.inputTokens + this.#usage.outputTokens;
    if (tokens >= (budget.tokens ?? Infinity)) return { reason: "budget", detail: `${tokens} tokens` };
    if (this.#calls >= (budget.calls ?? Infinity))
      return { reason: "budget", detail: `${this.#calls} calls` };
    const ms = performance.now() - this.#begun;
    return ms >= (budget.ms ?? Infinity) ? { reason: "budget", detail: `${Math.round(ms)} ms` } : undefined;
  }

  /** One turn, asked for again while that can help and nothing has been run. */
  async *#turn(): AsyncGenerator<AgentEvent, TurnResult | End, undefined> {
    const policy = this.#options.retry ?? DEFAULT_RETRY;
    for (let attempt = 1; ; attempt++) {
      try {
        const turn = yield* runTurn(yield* this.#request(), this.#ports());
        this.#turns++;
        return turn;
      } catch (error) {
        if (this.#signal.aborted) return { reason: "aborted_streaming", detail: "" };
        if (!isModelError(error)) throw error;
        if (!error.isRetryable || attempt >= policy.attempts)
          return { reason: "model_error", detail: error.message };
        const waitMs = waitBefore(attempt, error, policy);
        yield { type: "retry", attempt, waitMs, error };
        yield* this.#fallBack(attempt, error);
        await sleep(waitMs, this.#signal).catch(() => {});
      }
    }
  }

  *#fallBack(attempt: number, error: ModelError): Generator<AgentEvent, void, undefined> {
    const { fallbackModel } = this.#options;
    if (error.kind !== "overloaded" || attempt < OVERLOADS_BEFORE_FALLBACK) return;
    if (fallbackModel === undefined || this.#model === fallbackModel) return;
    this.#model = fallbackModel;
    yield {
      type: "notice",
      message: `${this.#options.model.name} is overloaded: ${fallbackModel.name} takes over.`,
    };
  }

  /** Every request is one that the model's API takes. */
  *#request(): Generator<AgentEvent, ModelRequest, undefined> {
    const { messages, repairs } = repairHistory(this.#history);
    for (const repair of repairs) yield { type: "notice", message: `The history was repaired: ${repair}.` };
    this.#history = messages;
    const { system = "", maxTokens = DEFAULT_MAX_TOKENS } = this.#options;
    return { system, tools: this.#tools, messages, maxTokens };
  }

  #ports() {
    const { tools, canUseTool, ask, hooks, limit, start, journal, results, validateJsonSchema } =
      this.#options;
    const given = { canUseTool, ask, hooks, limit, start, journal, results, validateJsonSchema };
    const executor = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    return {
      model: this.#model,
      executor: { ...executor, tools, context: this.#context },
      signal: this.#signal,
      number: this.#turns + 1,
    };
  }

  /** Puts a turn into the history and says whether the loop is over. */
  #append(turn: TurnResult): End | undefined {
    const { content, results } = turn;
    this.#usage = addUsage(this.#usage, turn.usage);
    this.#calls += results.length;
    this.#context = turn.context;
    this.#text = textOf(content);
    if (content.length > 0) this.#add("assistant", content);
    if (results.length > 0)
      this.#add(
        "user",
        results.map((result) => ({ ...result })),
      );
    return this.#stopped(turn) ?? this.#goOn(turn);
  }

  #stopped({ stop, results, endedBy, detail }: TurnResult): End | undefined {
    if (stop === "aborted" || this.#signal.aborted) {
      const during = results.length > 0;
      // A new message says itself that the person has interrupted.
      if (this.#signal.reason !== "interrupt") this.#add("user", interruption(during));
      return { reason: during ? "aborted_tools" : "aborted_streaming", detail: "" };
    }
    if (endedBy !== undefined) return { reason: "hook_stopped", detail: endedBy };
    return stop === "refusal" ? { reason: "completed", detail: `refusal ${detail}`.trimEnd() } : undefined;
  }

  /** The presence of calls decides, not the stop reason. */
  #goOn({ content, results, stop }: TurnResult): End | undefined {
    const wasCut = stop === "max_tokens" || stop === "model_context_window_exceeded";
    this.#cut = wasCut ? this.#cut + 1 : 0;
    this.#empty = content.length === 0 ? this.#empty + 1 : 0;
    if (wasCut && this.#cut > CONTINUATIONS)
      return { reason: "model_error", detail: `${stop}, ${this.#cut} times` };
    // An empty answer to results is asked about once.
    const isLost = results.length === 0 && this.#empty === 1 && this.#calls > 0;
    if (wasCut || isLost) this.#add("user", wasCut ? CUT_OFF : EMPTY);
    if (wasCut || isLost || results.length > 0 || stop === "pause_turn") return undefined;
    return { reason: "completed", detail: "" };
  }

  #add(role: Message["role"], content: Message["content"]): void {
    this.#history = [...this.#history, { role, content }];
  }
}

interface End {
  readonly reason: EndReason;
  readonly detail: string;
}

function isModelError(error: unknown): error is ModelError {
  return error instanceof Error && error.name === "ModelError";
}

function interruption(duringTools: boolean): string {
  return duringTools ? "[The person interrupted while tools were running.]" : "[The person interrupted.]";
}

function textOf(content: readonly Block[]): string {
  return content.flatMap((block) => (block.type === "text" ? [stringOf(block["text"])] : [])).join("");
}
