/** Runs one turn. A failed request is sent again as long as that can help and no call has run. */

import { NO_USAGE } from "../model/token-usage.ts";
import { boundTo } from "../agents/binding.ts";
import { AutoTurn } from "../gate/auto-turn.ts";
import { ModelError } from "../model/error.ts";
import type { Model } from "../model/event.ts";
import type { ModelRequest } from "../model/message.ts";
import { outputLimit } from "../model/models.ts";
import { StoredOutputs } from "../session/stored-outputs.ts";
import { type ParkedTurn, answersIn } from "../session/parked.ts";
import type { Channel } from "./channel.ts";
import { type Compacting, compactNow, usePrepared } from "./compacting.ts";
import type { AgentEvent, End } from "./event.ts";
import { withNestedCalls } from "@runahead/base";
import { type ExecutorOptions, aroundTools, toAnthropicTools } from "@runahead/engine";
import { fallbackAfter } from "./fallback.ts";
import { NestedEvents } from "./nested-events.ts";
import { nestedSettings } from "./nested.ts";
import { judgeOf } from "./options.ts";
import { type TurnSettings, settingsOf, toolsOfTurn } from "./prepare-turn.ts";
import { afterEvents } from "./questions.ts";
import { DEFAULT_RETRY, asksTooLong, sleep, waitBefore } from "./retry.ts";
import { withReasoning } from "./missing-reasoning.ts";
import { missesReasoning, stripRejected } from "./strip-rejected.ts";
import type { StructuredAnswer } from "./structured-output.ts";
import type { Tally } from "./tally.ts";
import { type TurnPorts, type TurnResult, continueTurn, runTurn } from "./turn.ts";

const OVERLOADS_BEFORE_FALLBACK = 3;

type Events<Result> = AsyncGenerator<AgentEvent, Result, undefined>;

/** A turn, the end of the work, or undefined if it was aborted before it began. */
type Asked = TurnResult | End | undefined;

export interface AskingPorts extends Compacting {
  /** Receives the events of turns. */
  readonly events: Channel<AgentEvent>;
  /** Set if the answer must fit a schema. */
  readonly answer?: StructuredAnswer | undefined;
}

export class Asking {
  readonly #ports: AskingPorts;
  readonly #tally: Tally;
  readonly #remind: () => Promise<void>;
  /** Each remedy is tried once; a compacted history resets the first. */
  #hasStripped = false;
  #hasMadeRoom = false;
  /** The attempt of this turn after which another model took over. */
  #switchedAt = 0;
  /** What is different in the turn under way. */
  #settings: TurnSettings = {};
  /** The model reported that its context is full. */
  isFull = false;

  /** `remind` adds what the model should know now; a compaction drops what was added before. */
  constructor(ports: AskingPorts, tally: Tally, remind: () => Promise<void> = async () => {}) {
    this.#ports = ports;
    this.#tally = tally;
    this.#remind = remind;
  }

  /** The model of the turn under way, or of the last one. */
  get model(): Model {
    return this.#settings.model ?? this.#ports.conversation.model;
  }

  async *turn(signal: AbortSignal): Events<Asked> {
    this.#ports.preparation.count(this.#tally);
    this.#settings = {};
    if (this.#needsRoom()) yield* this.#makeRoom(signal);
    this.#ports.preparation.consider();
    this.#switchedAt = 0;
    const failed = await this.#prepare(signal);
    if (failed !== undefined) return failed;
    for (let attempt = 1; ; attempt++) {
      if (signal.aborted) return undefined;
      try {
        const turn = await runTurn(yield* this.#request(), this.#turnPorts(signal));
        this.#hasMadeRoom = false;
        return turn;
      } catch (error) {
        if (!(error instanceof ModelError)) throw error;
        if (yield* this.#remedy(error, signal)) continue;
        const { model } = this.#ports.conversation;
        const end = yield* this.#waitOrEnd(attempt, error, signal);
        if (end !== undefined) return end;
        // The model that took over can have a smaller window.
        if (model !== this.#ports.conversation.model && this.#needsRoom()) yield* this.#makeRoom(signal);
      }
    }
  }

  /** Returns the end of the run if the caller's function fails. */
  async #prepare(signal: AbortSignal): Promise<End | undefined> {
    const { options, conversation } = this.#ports;
    if (options.prepareTurn === undefined && options.toolChoice === undefined) return undefined;
    const { messages, model } = conversation;
    try {
      const number = this.#tally.turns + 1;
      this.#settings = await settingsOf({ options, number, messages, model, signal });
      return undefined;
    } catch (error) {
      if (signal.aborted) return undefined;
      const why = error instanceof Error ? error.message : String(error);
      return { reason: "model_error", detail: `prepareTurn failed: ${why}` };
    }
  }

  async *#waitOrEnd(attempt: number, error: ModelError, signal: AbortSignal): Events<End | undefined> {
    if (error.kind === "budget") return { reason: "budget", detail: error.message };
    const policy = this.#ports.options.retry ?? DEFAULT_RETRY;
    if (!error.isRetryable || attempt >= policy.attempts || asksTooLong(error, policy)) {
      // Another model can answer although this one will not.
      if (attempt < policy.attempts && (yield* this.#fallBack(attempt, error))) return undefined;
      return { reason: "model_error", detail: error.message, error };
    }
    const waitMs = waitBefore(attempt, error, policy);
    yield { type: "retry", attempt, attempts: policy.attempts, waitMs, error };
    yield* this.#fallBack(attempt, error);
    await sleep(waitMs, signal).catch(() => {});
    return undefined;
  }

  /** Tries a remedy other than waiting. Returns true if the request should be sent again now. */
  async *#remedy(error: ModelError, signal: AbortSignal): Events<boolean> {
    if (this.#ports.answer?.isRefused(error, this.model) === true) return true;
    if (error.kind === "context-overflow" && !this.#hasMadeRoom) {
      this.#hasMadeRoom = true;
      return yield* this.#compact(signal);
    }
    if (error.kind !== "bad-history") return false;
    if (missesReasoning(error.message)) return yield* this.#addReasoning(error);
    if (this.#hasStripped) return false;
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

  /** Answers of other models, for example before a switch, have no reasoning that this one knows. */
  *#addReasoning(error: ModelError): Generator<AgentEvent, boolean, undefined> {
    const { conversation } = this.#ports;
    const complete = withReasoning(conversation.messages, this.model.name);
    if (complete === undefined) return false;
    conversation.replace(complete);
    const message = `Added empty reasoning to earlier answers because the server requires it. ${error.message}`;
    yield { type: "notice", message };
    return true;
  }

  #needsRoom(): boolean {
    const { options, conversation, compactor } = this.#ports;
    if (this.isFull) return true;
    return options.autoCompact !== false && compactor.isNeeded(conversation.meter.tokens);
  }

  /** Uses the prepared history. While it is being prepared, requests go on as long as there is room for them. */
  async *#makeRoom(signal: AbortSignal): Events<void> {
    const { options, conversation, compactor, preparation } = this.#ports;
    const { maxTokens = outputLimit(conversation.model) } = options;
    const isFull = this.isFull || compactor.isFull(conversation.meter.tokens, maxTokens);
    if (isFull) await preparation.wait(signal);
    if (signal.aborted) return;
    if (yield* usePrepared(this.#ports, signal)) {
      this.isFull = false;
      this.#hasStripped = false;
      preparation.count(this.#tally);
      await this.#remind();
      if (!this.#needsRoom()) return;
    }
    if (isFull || this.isFull) yield* this.#compact(signal);
  }

  async *#compact(signal: AbortSignal): Events<boolean> {
    this.isFull = false;
    const isShorter = yield* compactNow(this.#ports, { manual: false, signal, tally: this.#tally });
    if (!isShorter) return false;
    this.#hasStripped = false;
    await this.#remind();
    return true;
  }

  /** Switches to the next model after repeated overload. Returns true if it did. */
  *#fallBack(attempt: number, error: ModelError): Generator<AgentEvent, boolean, undefined> {
    const { conversation, options } = this.#ports;
    const isRepeated = !error.isRetryable || attempt - this.#switchedAt >= OVERLOADS_BEFORE_FALLBACK;
    const next = fallbackAfter(this.model, options.fallbackModel);
    if (error.kind !== "overloaded" || !isRepeated || next === undefined) return false;
    const message = `${this.model.name} is overloaded. Switched to ${next.name}.`;
    // A model that was chosen for one turn says nothing about the others.
    if (this.#settings.model === undefined) conversation.model = next;
    else this.#settings = { ...this.#settings, model: next };
    this.#switchedAt = attempt;
    yield { type: "notice", message };
    return true;
  }

  /** Repairs the history first, so that the API accepts every request. */
  *#request(): Generator<AgentEvent, ModelRequest, undefined> {
    const { conversation, options } = this.#ports;
    for (const repair of conversation.repair())
      yield { type: "notice", message: `Repaired the history: ${repair}.` };
    const { toolChoice } = this.#settings;
    const { maxTokens = outputLimit(this.model) } = options;
    const system = this.#settings.system ?? options.system ?? "";
    const tools = toAnthropicTools(toolsOfTurn(options, this.#settings));
    const { messages } = conversation;
    const choice = toolChoice === undefined ? {} : { toolChoice };
    const request = { system, tools, messages, maxTokens, ...choice };
    return this.#ports.answer?.ask(request, this.model) ?? request;
  }

  /** Continues the turn that waits for answers. */
  continue(parked: ParkedTurn, signal: AbortSignal): Promise<TurnResult> {
    this.#settings = {};
    return continueTurn(parked, this.#turnPorts(signal, parked));
  }

  #turnPorts(signal: AbortSignal, continues?: ParkedTurn): TurnPorts {
    const { options, conversation } = this.#ports;
    const { member } = this.#ports;
    const { answer } = this.#ports;
    const { limit, start, validateJsonSchema, session, permissions } = options;
    const given = options.ask ?? permissions?.ask;
    const plainAsk = given === undefined ? undefined : afterEvents(given, this.#ports.events);
    // The questions of a sub-agent already go through the line of the agent that started it.
    const ask =
      plainAsk === undefined || member.id !== undefined ? plainAsk : member.tree.questions.in(plainAsk);
    const record = conversation.beginTurn(continues);
    const results = session?.results ?? options.results;
    // Only the turn of a main agent can be kept on disk until an answer comes.
    const canDefer = session !== undefined && member.id === undefined;
    const hooks = this.#ports.hooks.ofCalls;
    const onPermissionsChanged = (listener: () => void) => permissions?.onChange?.(listener) ?? (() => {});
    // To the engine, an option that is undefined is one that is not given.
    const executor = {
      ask,
      hooks,
      canDefer,
      answers: continues && answersIn(continues),
      limit,
      start,
      journal: record.journal,
      scope: record.scope,
      results,
      validateJsonSchema,
      locks: member.tree.locks,
      owner: member.type,
    } as Partial<ExecutorOptions>;
    const bound = boundTo(toolsOfTurn(options, this.#settings), member);
    const nested = new NestedEvents(this.#ports.events);
    const own = withNestedCalls(bound, () =>
      nestedSettings(executor, { onPermissionsChanged, session, member, nested }),
    );
    // The calls that a call makes can use the cache too.
    const cached = member.tree.cache.tools(own, conversation, own !== bound);
    const inner = options.around === undefined ? cached : aroundTools(cached, options.around);
    const wrapped = results instanceof StoredOutputs ? aroundTools(inner, results.around) : inner;
    const tools = answer === undefined ? wrapped : [...wrapped, answer.tool];
    return {
      model: this.model,
      executor: { ...executor, tools, context: conversation.context },
      record,
      canUseTool: (report) => {
        const judge = judgeOf(options, this.#autoTurn(report));
        return answer === undefined ? judge : answer.permitted(judge);
      },
      onPermissionsChanged,
      signal,
      freshId: (id) => conversation.freshId(id),
      used: (usage, isKept) => {
        const costUsd = this.#tally.add(usage, this.model);
        if (!isKept) conversation.spent("failed-response", usage, costUsd);
      },
      presence: member.presence,
      number: this.#tally.turns + 1,
      events: this.#ports.events,
      nested,
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
        const isCounted = judged.usage !== NO_USAGE;
        const costUsd = isCounted ? this.#tally.add(judged.usage, { name: judged.model }) : 0;
        conversation.judged(judged, costUsd);
        report({ type: "permission-judged", ...judged });
      },
    });
  }
}
