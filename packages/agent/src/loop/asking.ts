/** One turn, asked for again while that can help and nothing has been run. */

import { NO_USAGE } from "../model/token-usage.ts";
import { AutoTurn } from "../gate/auto-turn.ts";
import { ModelError } from "../model/error.ts";
import type { ModelRequest } from "../model/message.ts";
import { type Compacting, DEFAULT_MAX_TOKENS, compactNow } from "./compacting.ts";
import type { AgentEvent, End } from "./event.ts";
import { mendHistory } from "./mend.ts";
import { toAnthropicTools } from "@runahead/engine";
import { judgeOf, toolsNow } from "./options.ts";
import { DEFAULT_RETRY, sleep, waitBefore } from "./retry.ts";
import type { Tally } from "./tally.ts";
import { type TurnPorts, type TurnResult, runTurn } from "./turn.ts";

const OVERLOADS_BEFORE_FALLBACK = 3;

type Events<Result> = AsyncGenerator<AgentEvent, Result, undefined>;

/** A turn, the end of everything, or nothing: it was called off before it began. */
type Asked = TurnResult | End | undefined;

export class Asking {
  readonly #ports: Compacting;
  readonly #tally: Tally;
  /** Each helps once, or not at all; a compacted history is another one. */
  #hasMended = false;
  #hasMadeRoom = false;
  /** The model has said that its context is full. */
  isFull = false;

  constructor(ports: Compacting, tally: Tally) {
    this.#ports = ports;
    this.#tally = tally;
  }

  async *turn(signal: AbortSignal): Events<Asked> {
    if (this.#needsRoom()) yield* this.#compact(signal);
    for (let attempt = 1; ; attempt++) {
      if (signal.aborted) return undefined;
      try {
        const turn = yield* runTurn(yield* this.#request(), this.#turnPorts(signal));
        this.#hasMadeRoom = false;
        return turn;
      } catch (error) {
        if (!(error instanceof ModelError)) throw error;
        if (yield* this.#remedy(error, signal)) continue;
        const end = yield* this.#waitOrEnd(attempt, error, signal);
        if (end !== undefined) return end;
      }
    }
  }

  async *#waitOrEnd(attempt: number, error: ModelError, signal: AbortSignal): Events<End | undefined> {
    const policy = this.#ports.options.retry ?? DEFAULT_RETRY;
    if (!error.isRetryable || attempt >= policy.attempts)
      return { reason: "model_error", detail: error.message, error };
    const waitMs = waitBefore(attempt, error, policy);
    yield { type: "retry", attempt, waitMs, error };
    yield* this.#fallBack(attempt, error);
    await sleep(waitMs, signal).catch(() => {});
    return undefined;
  }

  /** What can be done about a refusal other than to wait: whether it is worth asking again now. */
  async *#remedy(error: ModelError, signal: AbortSignal): Events<boolean> {
    if (error.kind === "context-overflow" && !this.#hasMadeRoom) {
      this.#hasMadeRoom = true;
      return yield* this.#compact(signal);
    }
    if (error.kind !== "bad-history" || this.#hasMended) return false;
    this.#hasMended = true;
    const mended = mendHistory(this.#ports.conversation.messages, error.message);
    if (mended === undefined) return false;
    this.#ports.conversation.replace(mended);
    yield { type: "notice", message: `The history was refused (${error.message}) and has been mended.` };
    return true;
  }

  #needsRoom(): boolean {
    const { options, conversation, compactor } = this.#ports;
    if (this.isFull) return true;
    return options.autoCompact !== false && compactor.isNeeded(conversation.meter.tokens);
  }

  async *#compact(signal: AbortSignal): Events<boolean> {
    this.isFull = false;
    const isShorter = yield* compactNow(this.#ports, { manual: false, signal, tally: this.#tally });
    if (isShorter) this.#hasMended = false;
    return isShorter;
  }

  *#fallBack(attempt: number, error: ModelError): Generator<AgentEvent, void, undefined> {
    const { conversation, options } = this.#ports;
    const { fallbackModel } = options;
    if (error.kind !== "overloaded" || attempt < OVERLOADS_BEFORE_FALLBACK) return;
    if (fallbackModel === undefined || conversation.model === fallbackModel) return;
    const message = `${conversation.model.name} is overloaded: ${fallbackModel.name} takes over.`;
    conversation.model = fallbackModel;
    yield { type: "notice", message };
  }

  /** Every request is one that the model's API takes. */
  *#request(): Generator<AgentEvent, ModelRequest, undefined> {
    const { conversation, options } = this.#ports;
    for (const repair of conversation.repair())
      yield { type: "notice", message: `The history was repaired: ${repair}.` };
    const { system = "", maxTokens = DEFAULT_MAX_TOKENS } = options;
    const tools = toAnthropicTools(toolsNow(options));
    return { system, tools, messages: conversation.messages, maxTokens };
  }

  #turnPorts(signal: AbortSignal): TurnPorts {
    const { options, conversation } = this.#ports;
    const tools = toolsNow(options);
    const { limit, start, validateJsonSchema, session, permissions } = options;
    const ask = options.ask ?? permissions?.ask;
    const record = conversation.beginTurn();
    const results = session?.results ?? options.results;
    const hooks = this.#ports.hooks.ofCalls;
    const given = {
      ask,
      hooks,
      limit,
      start,
      journal: record.journal,
      results,
      validateJsonSchema,
    };
    const executor = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    return {
      model: conversation.model,
      executor: { ...executor, tools, context: conversation.context },
      record,
      canUseTool: (tell) => judgeOf(options, this.#autoTurn(tell)),
      onPermissionsChanged: (listener) => permissions?.onChange?.(listener) ?? (() => {}),
      signal,
      number: this.#tally.turns + 1,
    };
  }

  /** Decisions of auto mode are recorded and counted with the turn that they belong to. */
  #autoTurn(tell: (event: AgentEvent) => void): AutoTurn | undefined {
    const { options, conversation } = this.#ports;
    const { permissions } = options;
    const judge = permissions?.judge;
    if (judge === undefined) return undefined;
    return new AutoTurn({
      judge,
      said: conversation.said,
      onChange: (listener) => permissions?.onChange?.(listener) ?? (() => {}),
      judged: (judged) => {
        conversation.judged(judged);
        if (judged.usage !== NO_USAGE) this.#tally.add(judged.usage, { name: judged.model });
        tell({ type: "permission-judged", ...judged });
      },
    });
  }
}
