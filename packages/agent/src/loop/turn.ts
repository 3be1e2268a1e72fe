/** Runs one turn: reads the response, runs its calls, and reports the events of both. */

import {
  type AnyTool,
  type CallRequest,
  type CanUseTool,
  type ExecutorOptions,
  type Journal,
  type ParkedCall,
  type SharedContext,
  StreamingToolExecutor,
  type ToolResult,
  type Update,
  describeCall,
} from "@runahead/engine";
import type { Presence } from "../agents/presence.ts";
import { ModelError, NO_STOP_REASON } from "../model/error.ts";
import type { Model, ModelEvent, StopReason, Usage } from "../model/event.ts";
import type { Block, ModelRequest } from "../model/message.ts";
import { EventBatches } from "../model/reading.ts";
import { NO_USAGE } from "../model/token-usage.ts";
import type { ParkedTurn } from "../session/parked.ts";
import type { Channel } from "./channel.ts";
import { EngineListener } from "./engine-listener.ts";
import type { AgentEvent, TurnTimings } from "./event.ts";
import type { NestedEvents } from "./nested-events.ts";
import { UnfinishedBlocks, withoutLastThinking } from "./unfinished.ts";

/** A call in the form of the history. */
type CallBlock = Readonly<Record<"id" | "name", string>> & {
  readonly type: "tool_use";
  readonly input: unknown;
};

/** Records a turn while it runs. */
export interface TurnRecord {
  readonly journal: Journal | undefined;
  /** What the idempotency keys of its calls begin with. */
  readonly scope: string;
  /** A call has arrived completely. Called before the executor gets it. */
  called(block: CallBlock): void;
  /** A block of the response, in order. */
  block(block: Block): void;
}

export interface TurnPorts {
  readonly model: Model;
  readonly record: TurnRecord;
  /** Calls the listener when rules change: calls that have not started are judged again. Returns the unsubscriber. */
  readonly onPermissionsChanged: (listener: () => void) => () => void;
  /** The executor's options, without those that the turn sets. */
  readonly executor: Omit<ExecutorOptions, "onEvent" | "signal" | "canUseTool">;
  /** Makes the function that decides on calls; `report` emits events. */
  readonly canUseTool: (report: (event: AgentEvent) => void) => CanUseTool | undefined;
  /** Ends the turn. The reason "interrupt" means that a new prompt came. */
  readonly signal: AbortSignal;
  readonly number: number;
  /** Receives the events. */
  readonly events: Channel<AgentEvent>;
  /** Returns an id that no earlier call of the conversation has. Default: the same id. */
  readonly freshId?: (id: string) => string;
  /**
   * Called with the tokens of the response when it has ended, so that they count while its calls run. `isKept` is false
   * for a response that broke off and is not part of the conversation: the server charges for it too.
   */
  readonly used: (usage: Usage, isKept: boolean) => void;
  /** Notes when a sub-agent is at work. */
  readonly presence?: Presence | undefined;
  /** Reports the calls that calls make. */
  readonly nested?: NestedEvents | undefined;
}

export interface TurnResult {
  /** The complete blocks of the response, and one result for each of its calls. */
  readonly content: readonly Block[];
  readonly results: readonly ToolResult[];
  readonly stop: StopReason | "cut" | "aborted";
  /** Why the response broke off, or the details of a refusal. */
  readonly detail: string;
  /** Why a denied call or a hook ended the turn, if one did. */
  readonly endedBy: string | undefined;
  readonly usage: Usage;
  /** The context after all calls. */
  readonly context: SharedContext;
  /** Set if a question is answered later: the calls whose results are not in `results`. */
  readonly parked?: readonly ParkedCall[];
}

/** Throws a `ModelError` only if no call arrived, so sending the request again is safe. */
export function runTurn(request: ModelRequest, ports: TurnPorts): Promise<TurnResult> {
  return new RunningTurn(ports).run(request);
}

/** Continues a turn that was parked: its calls without a result run now, as far as they are allowed. */
export function continueTurn(parked: ParkedTurn, ports: TurnPorts): Promise<TurnResult> {
  return new RunningTurn(ports).continue(parked);
}

/** Models report every problem of a request as a `ModelError`, so anything else would fail again. */
function brokenModel(cut: unknown, model: Model): ModelError {
  if (cut === undefined) return new ModelError("cut", NO_STOP_REASON);
  const { name, message } =
    cut instanceof Error
      ? cut
      : { name: "a value that is not an error", message: JSON.stringify(cut) ?? "undefined" };
  const words = `The model ${JSON.stringify(model?.name ?? model)} failed with ${name}: ${message}. This is a bug in the code of the model, so the request is not sent again.`;
  return new ModelError("protocol", words, { cause: cut });
}

class RunningTurn {
  readonly events: Channel<AgentEvent>;
  readonly #ports: TurnPorts;
  readonly #executor: StreamingToolExecutor;
  readonly #listener: EngineListener;
  #content: Block[] = [];
  readonly #unfinished = new UnfinishedBlocks();
  /** Aborted with the run, or when a denied call or a hook ends the turn, so that the rest of the response is not awaited. */
  readonly #over = new AbortController();
  readonly #begun = performance.now();
  readonly #results: ToolResult[] = [];
  /** The ids of calls that an earlier call of the conversation has, and those that stand for them. */
  readonly #freshIds = new Map<string, string>();
  #calls = 0;
  /** The tool that was found last: the calls of a response are often of one tool. */
  #toolNamed: { readonly name: string; readonly tool: AnyTool | undefined } | undefined;
  #usage: Usage = NO_USAGE;
  #stop: StopReason | undefined;
  #detail = "";
  #firstContentMs: number | undefined;

  constructor(ports: TurnPorts) {
    this.#ports = ports;
    this.events = ports.events;
    const { executor, signal, nested } = ports;
    const canUseTool = ports.canUseTool((event) => (nested ?? this.events).push(event));
    const listener = (this.#listener = new EngineListener({
      events: this.events,
      presence: ports.presence,
      toolOf: (name) => this.#toolOf(name),
      onTurnEnded: () => this.#over.abort(),
      onSettled: (callId, outcome) => nested?.close(callId, outcome),
    }));
    this.#executor = new StreamingToolExecutor({
      ...executor,
      ...(canUseTool === undefined ? {} : { canUseTool }),
      signal,
      onEvent: (event) => listener.hear(event),
    });
  }

  async run(request: ModelRequest): Promise<TurnResult> {
    const stopListening = this.#ports.onPermissionsChanged(() => this.#executor.permissionsChanged());
    try {
      return await this.#run(request);
    } finally {
      stopListening();
    }
  }

  async continue({ content, calls }: ParkedTurn): Promise<TurnResult> {
    const stopListening = this.#ports.onPermissionsChanged(() => this.#executor.permissionsChanged());
    try {
      this.#content = [...(content as readonly Block[])];
      for (const { callId: id, toolName: name, input, result } of calls)
        if (result === undefined) this.#call({ id, name, input });
      this.#executor.end();
      const results = await this.#allResults();
      return this.#ended("tool_use", [...calls.flatMap(({ result }) => result ?? []), ...results], calls);
    } finally {
      stopListening();
    }
  }

  /** Of a turn that was parked, results come in the model's order again. */
  #ended(
    stop: TurnResult["stop"],
    results: readonly ToolResult[],
    order: readonly { readonly callId: string }[] = [],
  ): TurnResult {
    const place = (id: string): number => order.findIndex(({ callId }) => callId === id);
    const { endedBy, context, parked } = this.#executor;
    return {
      content: this.#content,
      results: results.toSorted((one, other) => place(one.tool_use_id) - place(other.tool_use_id)),
      stop: this.#ports.signal.aborted ? "aborted" : stop,
      detail: this.#detail,
      endedBy,
      usage: this.#usage,
      context,
      ...(parked === undefined ? {} : { parked }),
    };
  }

  async #run(request: ModelRequest): Promise<TurnResult> {
    const cut = await this.#listen(request);
    const responseMs = this.#elapsed();
    const stop = this.#endResponse(cut);
    this.#ports.used(this.#usage, true);
    this.#reportResponse(stop);
    const results = await this.#allResults();
    const timings: TurnTimings = {
      firstContentMs: this.#firstContentMs ?? responseMs,
      responseMs,
      totalMs: this.#elapsed(),
    };
    this.events.push({
      type: "turn-ended",
      turn: this.#ports.number,
      stop: stop === "aborted" ? "cut" : stop,
      usage: this.#usage,
      timings,
    });
    const { endedBy, context, parked } = this.#executor;
    return {
      content: this.#content,
      results,
      stop,
      detail: this.#detail,
      endedBy,
      usage: this.#usage,
      context,
      ...(parked === undefined ? {} : { parked }),
    };
  }

  #reportResponse(stop: TurnResult["stop"]): void {
    if (stop === "cut" || stop === "aborted" || this.#calls === 0) return;
    const { number: turn } = this.#ports;
    this.events.push({ type: "response-ended", turn, stop, content: this.#content, usage: this.#usage });
  }

  /** Reads the response to its end. Returns the error that broke it, if any. */
  async #listen(request: ModelRequest): Promise<unknown> {
    const { model, signal, presence } = this.#ports;
    const stop = (): void => this.#over.abort(signal.reason);
    try {
      presence?.asks(true);
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
      const stream = model.stream(request, this.#over.signal);
      if (stream instanceof EventBatches) await this.#takeBatches(stream.batches);
      else for await (const event of stream) this.#take(event);
      return undefined;
    } catch (error) {
      return error ?? new Error("The model failed without a reason.");
    } finally {
      signal.removeEventListener("abort", stop);
      presence?.asks(false);
    }
  }

  async #takeBatches(batches: AsyncIterable<readonly ModelEvent[]>): Promise<void> {
    for await (const batch of batches) {
      for (let at = 0; at < batch.length; at++) {
        const event = batch[at] as ModelEvent;
        if (!isOutdated(event, batch[at + 1])) this.#take(event);
      }
      this.#takeResults();
    }
  }

  /** A response that broke off after a complete call is not requested again, because the call may have run (promise 4). */
  #endResponse(cut: unknown): TurnResult["stop"] {
    const { signal } = this.#ports;
    if (cut === undefined && this.#stop !== undefined) {
      this.#executor.end(this.#stop === "refusal" ? { ok: false, reason: "refusal" } : { ok: true });
      return this.#stop;
    }
    this.#keepUnfinished();
    if (this.#over.signal.aborted && !signal.aborted) {
      this.#executor.end({ ok: false, reason: this.#executor.endedBy ?? "" });
      return "cut";
    }
    this.#detail = cut instanceof Error ? cut.message : NO_STOP_REASON;
    this.#executor.end({ ok: false, reason: this.#detail.replace(/\.$/, "") });
    if (signal.aborted) return "aborted";
    if (this.#calls === 0) {
      if (this.#usage !== NO_USAGE) this.#ports.used(this.#usage, false);
      throw cut instanceof ModelError ? cut : brokenModel(cut, this.#ports.model);
    }
    this.events.push({ type: "notice", message: `The response may be incomplete. ${this.#detail}` });
    return "cut";
  }

  /** What was shown stays in the history, so that the model knows what it said. */
  #keepUnfinished(): void {
    for (const block of this.#unfinished.take()) {
      this.#ports.record.block(block);
      this.#content.push(block);
    }
    this.#content = [...withoutLastThinking(this.#content)];
  }

  /** Takes the results that are there, without a promise for each. What comes with them need not be kept. */
  #takeResults(): void {
    for (const update of this.#executor.completed()) this.#heed(update);
  }

  async #allResults(): Promise<ToolResult[]> {
    this.#takeResults();
    for await (const update of this.#executor.remaining()) this.#heed(update);
    return this.#results;
  }

  #heed(update: Update): void {
    if (update.type === "result") this.#results.push(update.result);
  }

  #take(event: ModelEvent): void {
    switch (event.type) {
      case "message-started":
        return this.events.push({ type: "message-started", turn: this.#ports.number, model: event.model });
      case "text":
      case "thinking":
        this.#firstContentMs ??= this.#elapsed();
        if (event.type === "text") this.#unfinished.text(event.text);
        return this.events.push(event);
      case "call-begun":
        this.#firstContentMs ??= this.#elapsed();
        return this.#arriving(event, () => ({}));
      case "call-delta":
        return this.#arriving(event, event.preview);
      case "call-complete":
        return this.#call(this.#withFreshId(event.call, event.call.id));
      case "block":
        return this.#block(event.block);
      case "usage":
        this.#usage = event.usage;
        return;
      case "stopped":
        this.#stop = event.reason;
        this.#detail = event.detail;
    }
  }

  #arriving({ id, name }: { readonly id: string; readonly name: string }, preview: () => unknown): void {
    this.events.push({ type: "call-arriving", callId: this.#freshId(id), toolName: name, preview });
  }

  #block(given: Block): void {
    const block = given.type === "tool_use" ? this.#withFreshId(given, String(given["id"])) : given;
    this.#unfinished.block(block);
    this.#ports.record.block(block);
    this.#content.push(block);
  }

  #withFreshId<Call extends object>(call: Call, id: string): Call {
    const fresh = this.#freshId(id);
    return fresh === id ? call : { ...call, id: fresh };
  }

  #freshId(id: string): string {
    const known = this.#freshIds.size === 0 ? undefined : this.#freshIds.get(id);
    if (known !== undefined) return known;
    const fresh = this.#ports.freshId?.(id) ?? id;
    if (fresh !== id) this.#freshIds.set(id, fresh);
    return fresh;
  }

  #call(call: CallRequest): void {
    const block = blockOf(call);
    const { id: callId, name: toolName, input } = block;
    this.#ports.record.called(block);
    const tool = this.#toolOf(toolName);
    const description = tool === undefined ? toolName : describeCall(tool, input);
    this.events.push({ type: "call-arrived", callId, toolName, input, description });
    this.#unfinished.call(block);
    this.#listener.holdWaiting();
    try {
      if (this.#executor.add(call)) this.#calls++;
    } finally {
      this.#listener.giveWaiting();
    }
  }

  #toolOf(name: string): AnyTool | undefined {
    if (this.#toolNamed?.name !== name) {
      const tool = this.#ports.executor.tools.find((one) => isCalled(one, name));
      this.#toolNamed = { name, tool };
    }
    return this.#toolNamed.tool;
  }

  #elapsed(): number {
    return performance.now() - this.#begun;
  }
}

/** Whether the next event says the same of a call that is still arriving, and more. */
function isOutdated(event: ModelEvent, next: ModelEvent | undefined): boolean {
  if (event.type !== "call-begun" && event.type !== "call-delta") return false;
  if (next?.type === "call-complete") return event.id === next.call.id;
  return next?.type === "call-delta" && event.id === next.id;
}

function isCalled({ name, aliases = [] }: AnyTool, wanted: string): boolean {
  return name === wanted || aliases.includes(wanted);
}

function blockOf(call: CallRequest): CallBlock {
  const input = "input" in call ? call.input : { INVALID_JSON: call.inputText };
  return { type: "tool_use", id: call.id, name: call.name, input };
}
