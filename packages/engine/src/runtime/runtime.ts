/**
 * Runs a turn around the core: records each event, steps the core, performs the effects, and feeds their results back
 * as events. All decisions about calls are in the core (step.ts).
 *
 * An event is processed at once, wherever it comes from, so what a tool, a hook or a listener does takes effect
 * immediately. Effects are performed one after the other, and each only if it still fits the state of its call.
 */

import { type Access, type Call, hasStarted } from "../core/call.ts";
import { CheckLine } from "./check-line.ts";
import { ContextLine, sameContext } from "./context.ts";
import { Deadlines } from "./deadlines.ts";
import { Delivery } from "./delivery.ts";
import type { JournalEvent, Judgement } from "../core/event.ts";
import type { Execution } from "./execute.ts";
import type { Judge } from "./judge.ts";
import { TurnLocks } from "./locks.ts";
import { Notifier } from "./notifier.ts";
import type { CompleteOptions } from "./options.ts";
import { Outbox, type Update } from "./outbox.ts";
import { type Cause, type Ending, type Outcome, toToolResult } from "../core/outcome.ts";
import { Places } from "./places.ts";
import { Fifo } from "../core/queue.ts";
import type { Readable } from "./reader.ts";
import { Recorder } from "./recorder.ts";
import type { Attempt } from "./retry.ts";
import { type ContextChange, Run, limitOf } from "./run.ts";
import { step } from "../core/step.ts";
import type { TakenCall } from "./taken-call.ts";
import type { SharedContext } from "./tool.ts";
import type { Toolbox } from "./toolbox.ts";
import {
  type Effect,
  type OpenEffect,
  type Turn,
  hasEnded,
  isParked,
  newTurn,
  stillFits,
} from "../core/turn.ts";
import { wire } from "./wiring.ts";

/** How long a call that was asked to stop can take before it is abandoned. */
const STOP_GRACE_MS = 5_000;

export class TurnRuntime<Context extends SharedContext> implements Readable {
  readonly turn: Turn;
  readonly notifier: Notifier;
  readonly outbox = new Outbox();
  /** Why a refusal or a hook ended the turn, if one did. */
  endedBy: string | undefined;
  readonly #options: CompleteOptions<Context>;
  readonly #onDone: () => void;
  readonly #context: ContextLine<Context>;
  readonly #places: Places;
  readonly #recorder: Recorder;
  readonly #delivery: Delivery;
  readonly #judge: Judge;
  readonly #execution: Execution;
  readonly #checks: CheckLine;
  /** The calls that are not delivered, and the runs of those whose tool was called. */
  readonly #taken = new Map<string, TakenCall>();
  readonly #runs = new Map<string, Run>();
  readonly #deadlines: Deadlines<Run>;
  readonly #locks: TurnLocks | undefined;
  /** Events that came in while one was being recorded. */
  readonly #events = new Fifo<JournalEvent>();
  /** The effects of each event that are not performed yet, and when its record is safe. */
  readonly #effects = new Fifo<readonly Effect[]>();
  readonly #saves = new Fifo<Promise<void> | undefined>();
  #isStepping = false;
  #isPerforming = false;

  constructor(options: CompleteOptions<Context>, toolbox: Toolbox, onDone: () => void) {
    const notifier = (this.notifier = new Notifier(options.onEvent, options.clock));
    this.#options = options;
    this.#onDone = onDone;
    this.turn = newTurn(options.limit, options.start, notifier.hasListener);
    this.#locks =
      options.locks &&
      new TurnLocks(options.locks, options.owner, ({ id }) => this.dispatch({ type: "call-granted", id }));
    this.#places = new Places(options.resolvePlace);
    this.#recorder = new Recorder(options.journal, (error) => notifier.journalFailed(error));
    this.#deadlines = new Deadlines(options.clock, ({ taken: { id }, limitMs }) =>
      this.dispatch({ type: "call-timed-out", id, limitMs }),
    );
    this.#context = new ContextLine(options.context, (error) => notifier.contextFailed(error));
    this.#delivery = new Delivery(this.outbox, options.results, {
      idle: () => this.#checkDone(),
      failed: (...about) => notifier.resultsFailed(...about),
    });
    this.#checks = new CheckLine(this.turn, () => this.#checkDone());
    ({ judge: this.#judge, execution: this.#execution } = wire(options, {
      toolbox,
      places: this.#places,
      notifier,
      checks: this.#checks,
      contextOf: this.#contextOf,
      changeAfter: ({ phase, index }, changes) => {
        if (phase.state === "asking") this.#applyChanges(index, changes);
      },
      progress: this.#progress,
      retries: this.#retries,
      finished: this.#finished,
    }));
  }

  get context(): Context {
    return this.#context.latest;
  }

  /** Whether every call has its result, or the response was discarded. */
  get isDone(): boolean {
    const { discarded, undelivered } = this.turn;
    if (discarded) return true;
    const isIdle = !this.#isPerforming && this.#effects.size === 0 && this.#delivery.isIdle;
    return isIdle && hasEnded(this.turn) && (undelivered.size === 0 || this.isParked);
  }

  /** Whether nothing but an answer is missing that comes later. */
  get isParked(): boolean {
    return isParked(this.turn, this.#checks.isHeld);
  }

  /** Returns the next update, if one is available. */
  take(): Update | undefined {
    const update = this.outbox.take();
    if (update?.type === "result") this.notifier.yielded(update.callId);
    return update;
  }

  /** Whether a call with this id has arrived, also if its arrival is still being recorded. */
  hasArrived(id: string): boolean {
    return this.turn.known.has(id) || this.#taken.has(id);
  }

  /** The arrival of a call with a known tool and, as far as is known, valid input. */
  arrivalOf(taken: TakenCall, declared: Access): JournalEvent {
    const { id, tool } = taken;
    this.#taken.set(id, taken);
    const access = this.#places.resolve(declared);
    const hooked = this.#judge.isHooked(taken);
    const permitted = !hooked && this.#judge.isFree(taken);
    return { type: "call-arrived", id, toolName: tool.name, access, hooked, permitted };
  }

  /** An event is recorded, then the core steps over it, then its effects are performed (promise 4). */
  dispatch(event: JournalEvent): void {
    if (this.#isStepping) return this.#events.push(event);
    this.#isStepping = true;
    try {
      this.#step(event);
      for (let next = this.#events.shift(); next !== undefined; next = this.#events.shift()) this.#step(next);
    } finally {
      this.#isStepping = false;
    }
    if (!this.#isPerforming && this.#effects.size > 0) this.#performAll();
    else if (!this.#isPerforming) this.#checkDone();
    this.#checks.look();
    this.#locks?.passOn();
  }

  #step(event: JournalEvent): void {
    const saved = this.#recorder.record(event);
    const effects = step(this.turn, event);
    if (effects.length === 0) return;
    this.#effects.push(effects);
    this.#saves.push(saved);
  }

  #performAll(): void {
    this.#isPerforming = true;
    try {
      for (let effects = this.#effects.shift(); effects !== undefined; effects = this.#effects.shift()) {
        const saved = this.#saves.shift();
        for (const effect of effects) this.#perform(effect, saved);
      }
    } finally {
      this.#isPerforming = false;
    }
    this.#checkDone();
  }

  #checkDone(): void {
    if (!this.isDone) return;
    this.#deadlines.sweep();
    this.#onDone();
    this.outbox.wakeAll();
  }

  #perform(effect: Effect, saved: Promise<void> | undefined): void {
    if (effect.type === "end-turn") return this.#endTurn(effect.reason);
    if (effect.type === "settle") return this.#settle(effect.call, effect.outcome);
    if (effect.type === "deliver") return this.#deliver(effect.call, saved);
    const taken = this.#taken.get(effect.call.id);
    if (taken === undefined) return;
    if (this.notifier.hasListener) this.#report(effect.call);
    if (stillFits(effect)) this.#performFor(taken, effect, saved);
  }

  /** A turn ends once, though the hooks of several calls can end it. */
  #endTurn(reason: string): void {
    if (this.endedBy !== undefined) return;
    this.endedBy = reason;
    this.notifier.tell({ type: "turn-ended", reason });
  }

  /** What a call waits for is looked up only for those that wait. */
  #report(call: Call): void {
    const locks = call.phase.state === "queued" ? this.#locks : undefined;
    const waitsFor = locks?.blockerOf(call);
    const limit = locks?.limitOf(call);
    if (waitsFor !== undefined) this.notifier.waits(call, { waitsFor });
    else if (limit !== undefined) this.notifier.waits(call, { limit });
    else this.notifier.state(call);
  }

  #performFor(taken: TakenCall, effect: OpenEffect, saved: Promise<void> | undefined): void {
    const { call } = effect;
    switch (effect.type) {
      case "judge":
        return this.#startJudging(taken, call, effect.epoch);
      case "locate":
        return this.#locate(taken, call);
      case "ask":
        return this.#startAsking(taken, call, effect.question);
      case "withdraw":
        return this.#judge.withdraw(taken.id);
      case "start":
        return this.#start(taken, call, saved);
      case "stop":
        return this.#stop(taken.id, effect.cause);
      case "changed":
        return;
    }
  }

  #startJudging(taken: TakenCall, call: Call, epoch: number): void {
    const heard = (judgement: Judgement | undefined): void => {
      if (judgement !== undefined) this.dispatch({ type: "call-judged", id: taken.id, epoch, judgement });
    };
    const judgement = this.#judge.judge(taken, call);
    if (judgement instanceof Promise) void judgement.then(heard);
    else heard(judgement);
  }

  /** If the input of a call is not known, neither are its claims. */
  #locate(taken: TakenCall, call: Call): void {
    const { id, tool, validation } = taken;
    const isUnvalidated = validation !== undefined && call.input === 0;
    const access = isUnvalidated
      ? call.access
      : this.#places.accessOf(tool, this.#judge.inputOf(taken), this.#contextOf(call));
    const isKnown = call.phase.state !== "locating" && !call.isUnlocated;
    if (isKnown && JSON.stringify(access) === JSON.stringify(call.access)) return;
    this.dispatch({ type: "call-located", id, access });
  }

  #startAsking(taken: TakenCall, call: Call, question: number): void {
    const { id } = taken;
    void this.#judge.ask(taken, call).then((answer) => {
      if (answer === undefined) return this.dispatch({ type: "question-closed", id, question });
      if (answer.behavior !== "defer")
        return this.dispatch({ type: "call-answered", id, question, judgement: answer });
      const { behavior: _, ...about } = answer;
      this.dispatch({ type: "call-deferred", id, question, ...about });
    });
  }

  /** A call that writes waits until the record of its start is safe (promise 4). */
  #start(taken: TakenCall, call: Call, saved: Promise<void> | undefined): void {
    if (this.#locks?.hold(call) === false) return this.dispatch({ type: "call-queued", id: taken.id });
    if (saved === undefined || call.access.readOnly) return this.#launch(taken, call);
    const { epoch } = call;
    void saved.then(() => {
      if (call.epoch === epoch) this.#launch(taken, call);
    });
  }

  /**
   * The listener is called first, so that it can still prevent the call from running. If it causes a new start, the
   * record of that start has to be safe first.
   */
  #launch(taken: TakenCall, call: Call): void {
    const { id, tool } = taken;
    const { epoch } = call;
    if (call.phase.state !== "starting") return;
    const input = this.#judge.inputOf(taken);
    const limitMs = limitOf(tool, input);
    if (this.notifier.hasListener) this.notifier.launching(call, this.#judge.changeOf(taken));
    if (call.phase.state !== "starting" || call.epoch !== epoch) return;
    this.#locks?.tick();
    const startedAt = this.#options.clock.now();
    const run = new Run(taken, call, { input, startedAt, limitMs });
    this.#runs.set(id, run);
    this.dispatch({ type: "call-launched", id });
    // The journal may have stopped the call in the meantime.
    if (!isRunning(call))
      return this.#finished(run, { type: "failed", content: "", ranMs: 0, output: "" }, undefined);
    this.#deadlines.watch(run);
    this.#execution.start(run);
  }

  #stop(id: string, cause: Cause): void {
    const run = this.#runs.get(id);
    const { clock } = this.#options;
    if (run === undefined) return;
    this.#deadlines.end(run);
    run.timers(clock).after(STOP_GRACE_MS, () => {
      const ranMs = clock.now() - run.startedAt;
      this.dispatch({ type: "call-ignored-stop", id, ranMs, output: run.printed });
    });
    run.stop(cause);
  }

  #settle(call: Call, outcome: Outcome): void {
    const run = this.#runs.get(call.id);
    if (run !== undefined) this.#deadlines.end(run);
    // The call was abandoned: its changes so far apply, later ones do not.
    if (run !== undefined) this.#changeContext(run, call);
    this.#judge.end(call.id);
    run?.end();
    if (this.notifier.hasListener) this.notifier.settled(call, outcome, run?.output);
    if (this.turn.discarded) this.#forget(call.id);
  }

  #deliver(call: Call, saved: Promise<void> | undefined): void {
    const { id: callId, phase } = call;
    if (phase.state !== "settled") return;
    const { outcome, stillRunning } = phase;
    const output = this.#runs.get(callId)?.output;
    this.#forget(callId);
    this.#context.delivered(call.index);
    const result = toToolResult(callId, outcome, stillRunning);
    this.#delivery.deliver(call.toolName, { type: "result", callId, result, output, outcome }, saved);
  }

  #forget(id: string): void {
    this.#taken.delete(id);
    this.#runs.delete(id);
  }

  readonly #contextOf = (call: Call | undefined): Context =>
    call === undefined ? this.#context.latest : this.#context.before(call.index);

  readonly #progress = (run: Run, data: unknown): void => {
    const { id: callId, toolName, phase } = run.call;
    if (!hasStarted(phase)) return;
    if (!run.noteProgress(data)) return;
    this.notifier.tell({ type: "call-progress", callId, toolName, data });
    this.outbox.progress(callId, data);
  };

  readonly #retries = ({ call: { id, toolName } }: Run, attempt: Attempt): void => {
    this.dispatch({ type: "call-retried", id, ...attempt });
    this.notifier.tell({ type: "call-retried", callId: id, toolName, ...attempt });
  };

  /** Changes of the context apply while the call still holds its claims, so that no waiting call has started. */
  readonly #finished = (run: Run, ending: Ending, endTurn: string | undefined): void => {
    const { call } = run;
    const { id, toolName } = call;
    if (call.phase.state === "settled") this.notifier.tell({ type: "call-ended-late", callId: id, toolName });
    else this.#changeContext(run, call);
    this.dispatch({ type: "call-finished", id, ending, endTurn });
  };

  #changeContext(run: Run, { index }: Call): void {
    const changes = run.takeChanges();
    if (changes !== undefined) this.#applyChanges(index, changes);
  }

  #applyChanges(index: number, changes: readonly ContextChange[]): void {
    const before = this.#context.before(index + 1);
    this.#context.settled(index, changes as never);
    if (!sameContext(before, this.#context.before(index + 1)))
      this.dispatch({ type: "context-changed", index });
  }
}

function isRunning({ phase }: Call): boolean {
  return phase.state === "running";
}
