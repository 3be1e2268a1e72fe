/** Runs one turn. A failed request is sent again as long as that can help and no call has run. */

import { NO_USAGE } from "../model/token-usage.ts";
import { boundTo } from "../agents/binding.ts";
import { AutoTurn } from "../gate/auto-turn.ts";
import { ModelError } from "../model/error.ts";
import type { ModelRequest } from "../model/message.ts";
import { type Compacting, DEFAULT_MAX_TOKENS, compactNow } from "./compacting.ts";
import type { AgentEvent, End } from "./event.ts";
import { toAnthropicTools } from "@runahead/engine";
import { judgeOf, toolsNow } from "./options.ts";
import { DEFAULT_RETRY, sleep, waitBefore } from "./retry.ts";
import { stripRejected } from "./strip-rejected.ts";
import type { Tally } from "./tally.ts";
import { type TurnPorts, type TurnResult, runTurn } from "./turn.ts";

const OVERLOADS_BEFORE_FALLBACK = 3;

type Events<Result> = AsyncGenerator<AgentEvent, Result, undefined>;

/** A turn, the end of the work, or undefined if it was aborted before it began. */
type Asked = TurnResult | End | undefined;

export class Asking {
  readonly #ports: Compacting;
  readonly #tally: Tally;
  /** Each remedy is tried once; a compacted history resets the first. */
  #hasStripped = false;
  #hasMadeRoom = false;
  /** The model reported that its context is full. */
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

  /** Tries a remedy other than waiting. Returns true if the request should be sent again now. */
  async *#remedy(error: ModelError, signal: AbortSignal): Events<boolean> {
    if (error.kind === "context-overflow" && !this.#hasMadeRoom) {
      this.#hasMadeRoom = true;
      return yield* this.#compact(signal);
    }
    if (error.kind !== "bad-history" || this.#hasStripped) return false;
    this.#hasStripped = true;
    const stripped = stripRejected(this.#ports.conversation.messages, error.message);
    if (stripped === undefined) return false;
    this.#ports.conversation.replace(stripped);
    yield {
      type: "notice",
      message: `Removed thinking or media from the history because the server rejected it. ${error.message}`,
    };
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
    if (isShorter) this.#hasStripped = false;
    return isShorter;
  }

  *#fallBack(attempt: number, error: ModelError): Generator<AgentEvent, void, undefined> {
    const { conversation, options } = this.#ports;
    const { fallbackModel } = options;
    if (error.kind !== "overloaded" || attempt < OVERLOADS_BEFORE_FALLBACK) return;
    if (fallbackModel === undefined || conversation.model === fallbackModel) return;
    const message = `${conversation.model.name} is overloaded. Switched to ${fallbackModel.name}.`;
    conversation.model = fallbackModel;
    yield { type: "notice", message };
  }

  /** Repairs the history first, so that the API accepts every request. */
  *#request(): Generator<AgentEvent, ModelRequest, undefined> {
    const { conversation, options } = this.#ports;
    for (const repair of conversation.repair())
      yield { type: "notice", message: `Repaired the history: ${repair}.` };
    const { system = "", maxTokens = DEFAULT_MAX_TOKENS } = options;
    const tools = toAnthropicTools(toolsNow(options));
    return { system, tools, messages: conversation.messages, maxTokens };
  }

  #turnPorts(signal: AbortSignal): TurnPorts {
    const { options, conversation } = this.#ports;
    const { member } = this.#ports;
    const tools = boundTo(toolsNow(options), member);
    const { limit, start, validateJsonSchema, session, permissions } = options;
    const plainAsk = options.ask ?? permissions?.ask;
    // The questions of a sub-agent already go through the line of the agent that started it.
    const ask =
      plainAsk === undefined || member.id !== undefined ? plainAsk : member.tree.questions.in(plainAsk);
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
      locks: member.tree.locks,
      owner: member.type,
    };
    const executor = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    return {
      model: conversation.model,
      executor: { ...executor, tools, context: conversation.context },
      record,
      canUseTool: (report) => judgeOf(options, this.#autoTurn(report)),
      onPermissionsChanged: (listener) => permissions?.onChange?.(listener) ?? (() => {}),
      signal,
      used: (usage) => this.#tally.add(usage, conversation.model),
      presence: member.presence,
      number: this.#tally.turns + 1,
    };
  }

  /** Decisions of auto mode are recorded and counted with the turn that they belong to. */
  #autoTurn(report: (event: AgentEvent) => void): AutoTurn | undefined {
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
        report({ type: "permission-judged", ...judged });
      },
    });
  }
}
