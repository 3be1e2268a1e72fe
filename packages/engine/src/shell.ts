/**
 * The shell of the core: the only mutable wiring. It records each event, steps the core, performs the effects, and
 * feeds what comes of them back as events. All branching about calls is in the core (step.ts).
 */

import { type Claim, WRITES_EVERYTHING } from "./access.ts";
import { type Access, type Call, statusOf } from "./call.ts";
import { ContextLine } from "./context.ts";
import { Deadlines } from "./deadlines.ts";
import { Delivery } from "./delivery.ts";
import type { JournalEvent } from "./event.ts";
import { DEFAULT_LIMIT_MS, Execution } from "./execute.ts";
import { Judge } from "./judge.ts";
import type { LiveCall } from "./live-call.ts";
import type { EngineEvent } from "./notice.ts";
import type { complete } from "./options.ts";
import { Outbox } from "./outbox.ts";
import { type Cause, type Ending, type Outcome, toToolResult } from "./outcome.ts";
import type { Answer, CanUseTool, Question } from "./ports.ts";
import { PromptLine } from "./prompts.ts";
import { Fifo } from "./queue.ts";
import { messageOf } from "./serialise.ts";
import { step } from "./step.ts";
import { isThenable } from "./thenable.ts";
import type { SharedContext } from "./tool.ts";
import { type Toolbox, accessOf } from "./toolbox.ts";
import { type CallEffect, type Effect, type Turn, newTurn } from "./turn.ts";

/** How long a call that was told to stop may take before it is abandoned. */
const STOP_GRACE_MS = 5_000;

type Options<Context extends SharedContext> = ReturnType<typeof complete<Context>>;

export class Shell<Context extends SharedContext> {
  readonly turn: Turn;
  readonly outbox = new Outbox();
  readonly inProgress = new Set<string>();
  permissionsVersion = 0;
  /** Why a refusal or a hook ended the turn, if one did. */
  endedBy: string | undefined;
  readonly #options: Options<Context>;
  readonly #onDone: () => void;
  readonly #context: ContextLine<Context>;
  readonly #delivery: Delivery;
  readonly #judge: Judge;
  readonly #execution: Execution;
  readonly #lives = new Map<string, LiveCall>();
  readonly #deadlines: Deadlines<LiveCall>;
  readonly #events = new Fifo<JournalEvent>();
  #isDraining = false;

  constructor(options: Options<Context>, toolbox: Toolbox, onDone: () => void) {
    this.#options = options;
    this.#onDone = onDone;
    this.turn = newTurn(options.limit, options.start, this.hasListener);
    this.#deadlines = new Deadlines(options.clock, ({ id }, limitMs) => {
      this.dispatch({ type: "call-timed-out", id, limitMs });
    });
    this.#context = new ContextLine(options.context, (error) => {
      this.tell({ type: "context-failed", message: messageOf(error) });
    });
    this.#delivery = new Delivery(this.outbox, options.results, {
      idle: () => this.#checkDone(),
      failed: (callId, toolName, message) => this.tell({ type: "results-failed", callId, toolName, message }),
    });
    const prompts = options.ask === undefined ? undefined : new PromptLine(options.ask);
    this.#judge = this.#newJudge(toolbox, prompts);
    this.#execution = this.#newExecution(prompts);
  }

  /** Without one nothing need be told. */
  get hasListener(): boolean {
    return this.#options.onEvent !== undefined;
  }

  get context(): Context {
    return this.#context.latest;
  }

  /** A call whose tool is known and whose input is valid, as far as that is known yet. */
  arrive(live: LiveCall, declared: Access): void {
    const { id, tool } = live;
    this.#lives.set(id, live);
    const access = this.#resolve(declared);
    const hooked = this.#judge.isHooked(live);
    const permitted = !hooked && this.#judge.isFree(live);
    if (permitted && this.hasListener) this.#tellQueued(live);
    this.dispatch({ type: "call-arrived", id, toolName: tool.name, access, hooked, permitted });
  }

  /** Whether every call has its result, or the response was discarded. */
  get isDone(): boolean {
    const { discarded, responseEnded, unfinished } = this.turn;
    return discarded || (responseEnded && unfinished.size === 0 && this.#delivery.isIdle);
  }

  /** One event after the other: what an effect reports at once waits until the step it came from is done. */
  dispatch(event: JournalEvent): void {
    if (this.#isDraining) return this.#events.push(event);
    this.#isDraining = true;
    try {
      this.#handle(event);
      for (let next = this.#events.shift(); next !== undefined; next = this.#events.shift())
        this.#handle(next);
    } finally {
      this.#isDraining = false;
    }
    this.#checkDone();
  }

  #checkDone(): void {
    if (!this.isDone) return;
    this.#deadlines.sweep();
    this.#onDone();
    this.outbox.wake();
  }

  #handle(event: JournalEvent): void {
    const saved = this.#record(event);
    for (const effect of step(this.turn, event)) this.#perform(effect, saved);
  }

  /** Before the effects of an event (promise 4). What cannot be recorded is told, and the turn goes on. */
  #record(event: JournalEvent): Promise<void> | undefined {
    try {
      const saved = this.#options.journal.record(event);
      return isThenable(saved) ? Promise.resolve(saved).catch(this.#journalFailed) : undefined;
    } catch (error) {
      this.#journalFailed(error);
      return undefined;
    }
  }

  readonly #journalFailed = (error: unknown): void => {
    this.tell({ type: "journal-failed", message: messageOf(error) });
  };

  #perform(effect: Effect, saved: Promise<void> | undefined): void {
    if (effect.type === "end-turn") {
      this.endedBy ??= effect.reason;
      return this.tell({ type: "turn-ended", reason: effect.reason });
    }
    if (effect.type === "settle") return this.#settle(effect.call, effect.outcome);
    if (effect.type === "deliver") return this.#deliver(effect.call, saved);
    const live = this.#lives.get(effect.call.id) as LiveCall;
    live.call ??= effect.call;
    if (this.hasListener) this.#tellState(live, effect.call);
    this.#performFor(live, effect, saved);
  }

  #performFor(live: LiveCall, effect: CallEffect, saved: Promise<void> | undefined): void {
    switch (effect.type) {
      case "judge":
        this.inProgress.delete(live.id);
        return this.#startJudging(live, effect.call);
      case "ask":
        return this.#startAsking(live, effect.call);
      case "withdraw":
        return live.withdraw();
      case "start":
        return this.#start(live, effect.call, saved);
      case "launch":
        return this.#launch(live);
      case "stop":
        return this.#stop(live, effect.cause);
    }
  }

  #startJudging(live: LiveCall, { id, round }: Call): void {
    const judgement = this.#judge.judge(live);
    if (!(judgement instanceof Promise)) return this.dispatch({ type: "call-judged", id, round, judgement });
    void judgement.then((later) => this.dispatch({ type: "call-judged", id, round, judgement: later }));
  }

  #startAsking(live: LiveCall, call: Call): void {
    const { id, round } = call;
    void this.#judge.ask(live).then((judgement) => {
      // A check that refuses a call can change the context of later ones.
      if (live.changes !== undefined && call.phase.state === "asking") this.#changeContext(live, call);
      this.dispatch({ type: "call-answered", id, round, judgement });
    });
  }

  /** A call that writes waits until the record of its start is safe (promise 4). */
  #start(live: LiveCall, { id, round, access }: Call, saved: Promise<void> | undefined): void {
    this.inProgress.add(id);
    if (saved === undefined || access.readOnly) return this.#launch(live);
    this.dispatch({ type: "call-delayed", id });
    void saved.then(() => this.dispatch({ type: "call-launched", id, round }));
  }

  #launch(live: LiveCall): void {
    live.startedAt = this.#options.clock.now();
    this.#deadlines.watch(live, limitOf(live));
    this.#execution.run(live);
  }

  #stop(live: LiveCall, cause: Cause): void {
    const { clock } = this.#options;
    this.#deadlines.end(live);
    live.grace = clock.after(STOP_GRACE_MS, () => {
      const ranMs = clock.now() - live.startedAt;
      this.dispatch({ type: "call-ignored-stop", id: live.id, ranMs, output: live.printed });
    });
    live.stop(stopReason(cause));
  }

  #settle(call: Call, outcome: Outcome): void {
    const { id: callId, toolName } = call;
    const live = this.#lives.get(callId);
    this.inProgress.delete(callId);
    if (live !== undefined) this.#deadlines.end(live);
    if (live?.grace !== undefined) this.#options.clock.cancel(live.grace);
    if (live?.changes !== undefined) this.#context.settled(call.index, live.changes as never);
    if (this.hasListener) {
      const settled = { state: "settled", status: "completed", outcome, output: live?.output } as const;
      this.tell({ type: "call-settled", callId, toolName, ...settled });
    }
    if (this.turn.discarded) this.#lives.delete(callId);
  }

  #deliver(call: Call, saved: Promise<void> | undefined): void {
    const { id: callId, phase } = call;
    if (phase.state !== "settled") return;
    const { outcome, stillRunning } = phase;
    const output = this.#lives.get(callId)?.output;
    this.#lives.delete(callId);
    this.#context.delivered(call.index);
    const result = toToolResult(callId, outcome, stillRunning);
    this.#delivery.deliver(call.toolName, { type: "result", callId, result, output, outcome }, saved);
  }

  #resolve(access: Access): Access {
    try {
      if (access.claims.every(this.#isResolved)) return access;
      const claims = access.claims.map(({ mode, place }) => ({ mode, place: this.#resolvePlace(place) }));
      return { ...access, claims };
    } catch {
      return { ...access, claims: WRITES_EVERYTHING };
    }
  }

  readonly #isResolved = ({ place }: Claim): boolean => this.#resolvePlace(place) === place;

  #resolvePlace(place: string): string {
    return place === "*" ? place : this.#options.resolvePlace(place);
  }

  #contextOf(live: LiveCall): Context {
    return live.call === undefined ? this.#context.latest : this.#context.before(live.call.index);
  }

  #progress(live: LiveCall, data: unknown): void {
    if (live.call === undefined || statusOf(live.call.phase.state) !== "executing") return;
    const { type, content } = (data ?? {}) as { type?: unknown; content?: unknown };
    if (type === "output" && typeof content === "string") live.print(content);
    this.tell({ type: "call-progress", callId: live.id, toolName: live.tool.name, data });
    this.outbox.progress(live.id, data);
  }

  #finished(live: LiveCall, ending: Ending, endTurn: string | undefined): void {
    const { id, tool, call } = live;
    if (live.changes !== undefined && call !== undefined && call.phase.state !== "settled")
      this.#changeContext(live, call);
    if (call?.phase.state === "settled")
      this.tell({ type: "call-ended-late", callId: id, toolName: tool.name });
    this.dispatch({ type: "call-finished", id, ending, endTurn });
  }

  /**
   * While the call still holds its claims, so that nobody who waits for it has started: a relative path of theirs is
   * another one now, and so may be the verdict on it.
   */
  #changeContext(live: LiveCall, call: Call): void {
    this.#context.settled(call.index, live.changes as never);
    live.changes = undefined;
    this.permissionsVersion++;
    for (const { id, index } of this.turn.unfinished) {
      const later = this.#lives.get(id);
      if (index <= call.index || later === undefined || later.validation !== undefined) continue;
      later.changedAccess = this.#resolve(accessOf(later.tool, later.input, this.#contextOf(later)));
      this.dispatch({ type: "call-reconsidered", id, access: later.changedAccess });
    }
  }

  /** A state that was told already, or that the same step has left again, is not told. */
  #tellState(live: LiveCall, { id: callId, toolName, phase: { state } }: Call): void {
    if (state === live.toldState || state === "settled") return;
    live.toldState = state;
    this.tell({ type: "call-changed", callId, toolName, state, status: statusOf(state) });
  }

  /** Also of a call that starts at once it is told when it came in. */
  #tellQueued(live: LiveCall): void {
    const state = (live.toldState = "waiting");
    this.tell({ type: "call-changed", callId: live.id, toolName: live.tool.name, state, status: "queued" });
  }

  /** A listener that fails must not take the turn with it. */
  tell(event: Untimed<EngineEvent>): void {
    const { onEvent, clock } = this.#options;
    if (onEvent === undefined) return;
    try {
      onEvent({ ...event, at: clock.now() });
    } catch (error) {
      process.emitWarning(`onEvent failed: ${messageOf(error)}`, "RunaheadWarning");
    }
  }

  readonly #hookFailed = (live: LiveCall, hook: string, error: unknown): void => {
    this.tell({
      type: "hook-failed",
      callId: live.id,
      toolName: live.tool.name,
      hook,
      message: messageOf(error),
    });
  };

  #newJudge(toolbox: Toolbox, prompts: PromptLine | undefined): Judge {
    const { canUseTool, hooks, clock } = this.#options;
    return new Judge({
      toolbox,
      canUseTool: canUseTool as CanUseTool | undefined,
      prompts,
      hooks,
      clock,
      contextOf: (live) => this.#contextOf(live),
      resolve: (access) => this.#resolve(access),
      version: () => this.permissionsVersion,
      hookFailed: this.#hookFailed,
    });
  }

  #newExecution(prompts: PromptLine | undefined): Execution {
    const { hooks, results, clock, canUseTool } = this.#options;
    const ask = (question: Question): Promise<Answer> =>
      prompts === undefined ? Promise.reject(new Error("there is nobody to ask")) : prompts.ask(question);
    return new Execution({
      hooks,
      results,
      clock,
      permissions: {
        canUseTool: (canUseTool as CanUseTool | undefined) ?? (() => ({ behavior: "allow" })),
        ask,
      },
      contextOf: (live) => this.#contextOf(live),
      progress: (live, data) => this.#progress(live, data),
      finished: (live, ending, endTurn) => this.#finished(live, ending, endTurn),
      hookFailed: this.#hookFailed,
      resultsFailed: (live, message) =>
        this.tell({ type: "results-failed", callId: live.id, toolName: live.tool.name, message }),
    });
  }
}

type Untimed<Event> = Event extends unknown ? Omit<Event, "at"> : never;

function limitOf({ tool, input }: LiveCall): number {
  try {
    const limitMs = tool.timeoutMs?.(input) ?? DEFAULT_LIMIT_MS;
    return limitMs > 0 ? limitMs : DEFAULT_LIMIT_MS;
  } catch {
    return DEFAULT_LIMIT_MS;
  }
}

function stopReason(cause: Cause): Error {
  const reason = new Error(`The call was stopped: ${cause.kind}`, { cause });
  reason.name = "AbortError";
  return reason;
}
