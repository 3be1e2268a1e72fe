/** Prepares a compaction while the conversation goes on, so that nobody waits for it. */

import { toAnthropicTools } from "@runahead/engine";
import type { Message } from "../model/message.ts";
import { outputLimit } from "../model/models.ts";
import { NO_USAGE, type Usage, addUsage } from "../model/token-usage.ts";
import type { Model } from "../model/event.ts";
import type { CompactionRequest, Compactor } from "./compaction.ts";
import type { Conversation } from "./conversation.ts";
import type { LoopHooks } from "./hooking.ts";
import { type LoopOptions, toolsNow } from "./options.ts";
import type { Tally } from "./tally.ts";

/** Attempts at a summary, if the caller sets the waits. */
const ATTEMPTS = 4;
/** After a failure, it is tried again when the conversation has grown by this part. */
const GROWTH = 1.1;

export interface PreparationPorts {
  readonly options: LoopOptions;
  readonly conversation: Conversation;
  readonly compactor: Compactor;
  readonly hooks: LoopHooks;
}

/** A shorter history for the beginning of the conversation. */
export interface Prepared {
  readonly messages: readonly Message[];
  readonly how: "shortened" | "summarised";
  /** What hooks said to the user. */
  readonly notices: readonly string[];
}

interface Work {
  readonly base: readonly Message[];
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

export class Preparation {
  readonly #ports: PreparationPorts;
  #work: Work | undefined;
  #ready: (Prepared & { readonly base: readonly Message[] }) | undefined;
  /** No attempt below this size of the context. */
  #notBelow = 0;
  /** Used by ended attempts and not in a tally yet. */
  #spent: { usage: Usage; readonly model: Model }[] = [];

  constructor(ports: PreparationPorts) {
    this.#ports = ports;
  }

  get isRunning(): boolean {
    return this.#work !== undefined;
  }

  /** Starts the preparation if the context is large enough. Call it between turns, when every call has its result. */
  consider(): void {
    const { options, conversation, compactor } = this.#ports;
    const isPrepared = this.#work !== undefined || this.#ready !== undefined;
    if (isPrepared && !this.#isCurrent()) void this.cancel();
    else if (isPrepared) return;
    if (options.autoCompact === false) return;
    const { tokens } = conversation.meter;
    if (tokens < this.#notBelow || !compactor.isNear(tokens)) return;
    this.postpone();
    const stop = new AbortController();
    const base = conversation.messages;
    const done = this.#prepare(base, stop.signal)
      .catch(() => {})
      .finally(() => {
        if (this.#work?.stop === stop) this.#work = undefined;
      });
    this.#work = { base, stop, done };
  }

  /** No new attempt before the conversation has grown. */
  postpone(): void {
    this.#notBelow = this.#ports.conversation.meter.tokens * GROWTH;
  }

  /** Returns the history to continue with, if one is prepared. */
  take(): Prepared | undefined {
    const ready = this.#ready;
    const isCurrent = this.#isCurrent();
    this.#ready = undefined;
    this.#notBelow = 0;
    if (ready === undefined || !isCurrent) return undefined;
    const { base, messages, how, notices } = ready;
    const since = this.#ports.conversation.messages.slice(base.length);
    return { messages: [...messages, ...since], how, notices };
  }

  /** Resolves when the preparation has ended, or the signal is aborted. */
  async wait(signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#work === undefined) return;
    let stop = (): void => {};
    const aborted = new Promise<void>((resolve) => (stop = resolve));
    signal.addEventListener("abort", stop, { once: true });
    await Promise.race([this.#work.done, aborted]);
    signal.removeEventListener("abort", stop);
  }

  /** Stops the preparation and drops its result. Resolves when it has stopped. */
  async cancel(): Promise<void> {
    const work = this.#work;
    this.#work = undefined;
    this.#ready = undefined;
    work?.stop.abort();
    await work?.done;
  }

  /** Counts what ended preparations used. */
  count(tally: Tally): void {
    for (const { usage, model } of this.#spent.splice(0))
      this.#ports.conversation.spent("compaction", usage, tally.add(usage, model));
  }

  /** A rewind, a repair or another compaction replaces messages that the preparation covers. */
  #isCurrent(): boolean {
    const base = this.#work?.base ?? this.#ready?.base;
    const { messages } = this.#ports.conversation;
    return base !== undefined && base.every((message, at) => message === messages[at]);
  }

  async #prepare(base: readonly Message[], signal: AbortSignal): Promise<void> {
    const { compactor, hooks, conversation } = this.#ports;
    const { model } = conversation;
    const said = await hooks.compact(false, "", signal);
    if (said.blocked !== undefined || signal.aborted) return;
    const request = compactionRequest(this.#ports, { manual: false, signal });
    const done = await compactor.prepare(base, request);
    if (done.usage !== NO_USAGE) this.#spent.push({ usage: addUsage(NO_USAGE, done.usage), model });
    if (done.type === "failed" || signal.aborted) return;
    const { messages, how } = done;
    this.#ready = { base, messages, how, notices: said.messages };
  }
}

/** Returns a request for a summary with the prefix of every other request, so that the prompt cache is used. */
export function compactionRequest(
  { options, conversation }: Pick<PreparationPorts, "options" | "conversation">,
  { manual, signal, instructions }: Pick<CompactionRequest, "manual" | "signal" | "instructions">,
): CompactionRequest {
  const { system = "", maxTokens = outputLimit(conversation.model) } = options;
  const retry = options.retry === undefined ? {} : { retry: { ...options.retry, attempts: ATTEMPTS } };
  const tools = toAnthropicTools(toolsNow(options));
  const asked = instructions === undefined ? {} : { instructions };
  return { model: conversation.model, system, tools, maxTokens, signal, manual, ...asked, ...retry };
}
