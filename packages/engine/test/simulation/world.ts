/** One simulated turn: the real executor under an adversarial order of everything that can happen to it. */

import { setImmediate as macrotask } from "node:timers/promises";
import type { JournalEvent } from "../../src/core/event.ts";
import type { EngineEvent } from "../../src/runtime/notice.ts";
import type { Update } from "../../src/runtime/outbox.ts";
import type { HookCall } from "../../src/runtime/ports.ts";
import { checkAfterAction, isBetweenAttempts } from "./checks.ts";
import type { Engine } from "../support/engine-under-test.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { FOLDERS } from "./extras.ts";
import { ModelFiles } from "./model-files.ts";
import { type CallPlan, type Interference, type Plan } from "./plan.ts";
import { Random } from "./random.ts";
import { type CallRecord, type Input, type Pending, newRecord } from "./record.ts";
import { WorldJudges } from "./world-judges.ts";
import { type ToolPorts, WorldTools } from "./world-tools.ts";

const MAX_ACTIONS = 2_000;
/** Rules that change again and again would be asked again and again. */
const MOST_RULES = 4;

export class World {
  readonly plan: Plan;
  readonly random: Random;
  readonly clock = new FakeClock();
  readonly files = new ModelFiles();
  readonly records = new Map<string, CallRecord>();
  readonly journal: JournalEvent[] = [];
  readonly updates: Update[] = [];
  readonly counts = new Map<string, number>();
  readonly executor: InstanceType<Engine["StreamingToolExecutor"]>;
  readonly #engine: Engine;
  /** The core again, in step: it says what the executor's own knows. */
  readonly #shadow: ReturnType<Engine["newTurn"]>;
  readonly #pending = new Set<Pending>();
  readonly #saves: (() => void)[] = [];
  /** Calls that have called back into the executor. */
  readonly #interfered = new Set<string>();
  readonly #abort = new AbortController();
  saved = 0;
  /** Events that were recorded, and those that the journal lost. */
  recorded = 0;
  lost = 0;
  /** Whether the latest record was lost. */
  isLossOpen = false;
  openQuestions = 0;
  rulesVersion = 0;
  ended: "open" | Plan["ending"] = "open";
  stopped = false;
  /** The calls that had arrived when a new message came. */
  arrivedBeforeMessage: number | undefined;
  discarded = false;
  lateEffect = false;
  overlapped = 0;
  startedMidStream = 0;
  #nextCall = 0;
  #actions = 0;
  #reader: Promise<void> | undefined;
  #readerDone = false;
  #failure: Error | undefined;

  constructor(engine: Engine, plan: Plan) {
    this.#engine = engine;
    this.plan = plan;
    this.#shadow = engine.newTurn(plan.limit, plan.start);
    this.random = new Random(plan.seed ^ 0x5bd1e995);
    this.executor = this.#newExecutor();
  }

  #newExecutor(): InstanceType<Engine["StreamingToolExecutor"]> {
    const { limit, start, hooks, postHooks } = this.plan;
    const defer: ToolPorts["defer"] = (kind, make) => this.#defer(kind, make);
    const judges = new WorldJudges(this, defer);
    const postHook = (call: HookCall): never => judges.postHook(call.input as Input) as never;
    return new this.#engine.StreamingToolExecutor({
      tools: new WorldTools(this, { pending: this.#pending, defer }).all(),
      limit,
      start,
      clock: this.clock,
      // Waits between attempts depend on the keys of calls, so they must be the same each time.
      scope: `seed/${this.plan.seed}`,
      signal: this.#abort.signal,
      context: { cwd: FOLDERS[0] as string },
      resolvePlace: (place) => place,
      canUseTool: (_tool, input, context) => judges.rule(input as Input, context),
      ask: (question) => judges.ask(question),
      hooks: {
        ...(hooks
          ? {
              matches: (call) =>
                this.planOf(call.input).hook === "none" ? false : (this.plan.matches as boolean),
              preToolUse: (call) => judges.hook(call.input as Input),
            }
          : {}),
        ...(postHooks ? { postToolUse: postHook, postToolUseFailure: postHook } : {}),
      },
      journal: { record: (event) => this.#record(event) },
      onEvent: (event) => this.#hear(event),
    });
  }

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  /** Kept as well as thrown: what is thrown inside a tool or a listener is the executor's to handle. */
  fail(promise: string, message: string): never {
    this.#failure ??= new Error(`seed ${this.plan.seed}: ${promise}: ${message}`);
    throw this.#failure;
  }

  /** Runs the world to its end, checking after every action. */
  async run(): Promise<void> {
    while (this.#act()) {
      // A question is closed in the next turn of the event loop. A listener can then stop calls, which closes the next
      // question a turn later, and the timers of the stopped calls are swept a turn after that.
      for (let turn = 0; turn < 5; turn++) await macrotask();
      if (this.#failure !== undefined) throw this.#failure;
      checkAfterAction(this);
      if (++this.#actions > MAX_ACTIONS) this.fail("nothing hangs", "the turn does not come to an end");
    }
    for (let turn = 0; turn < 3 && !this.#readerDone; turn++) await macrotask();
    if (!this.#readerDone) this.fail("nothing hangs", "reading does not end");
  }

  get timersLeft(): number {
    return this.clock.pending;
  }

  /** Whether records are not safe yet: writers wait for that before they start. */
  get isSaving(): boolean {
    return this.#saves.length > 0;
  }

  get pendingKinds(): string[] {
    return [...this.#pending].map(({ kind }) => kind);
  }

  #act(): boolean {
    const due = this.plan.interferences.filter(({ after }) => after === this.#actions);
    for (const { kind } of due) this.interfere(kind);
    if (due.length > 0) return true;
    const actions = this.#possibleActions();
    if (actions.length === 0) return false;
    this.random.weighted(actions)();
    return true;
  }

  #possibleActions(): (readonly [() => void, number])[] {
    const actions: [() => void, number][] = [];
    if (this.#nextCall < this.plan.calls.length && this.ended === "open" && !this.discarded)
      actions.push([() => this.#addNext(), 4]);
    else if (this.ended === "open") actions.push([() => this.#endResponse(), 2]);
    if (this.#nextCall > 2 && this.ended === "open" && this.plan.ending !== "well")
      actions.push([() => this.#endResponse(), 0.15]);
    for (const pending of this.#pending)
      actions.push([() => this.#let(pending), pending.kind === "late" ? 0.1 : 1.2]);
    if (this.#saves.length > 0) actions.push([() => this.#save(), 4]);
    if (this.plan.readsEarly && !this.discarded)
      actions.push([() => this.#readNow(), actions.length > 0 ? 1 : 0]);
    if (this.clock.pending > 0)
      actions.push([() => this.clock.advance(), this.#onlyTimersLeft(actions.length) ? 1 : 0.06]);
    if (this.#reader === undefined && (this.ended !== "open" || this.discarded))
      actions.push([() => this.#startReading(), 0.5]);
    return actions.filter(([, weight]) => weight > 0);
  }

  #onlyTimersLeft(others: number): boolean {
    return others <= 1;
  }

  #let(pending: Pending): void {
    this.#pending.delete(pending);
    pending.happen();
    const isVerdict = pending.kind === "rule" || pending.kind === "answer";
    if (this.plan.isWild && isVerdict && this.rulesVersion < MOST_RULES && this.random.chance(0.1))
      void this.#changeRulesSoon();
  }

  /** Between an answer and the moment when the engine hears it, the rules change: the same key can change a mode. */
  async #changeRulesSoon(): Promise<void> {
    for (let left = this.random.below(5); left > 0; left--) await Promise.resolve();
    this.count("rules changed in between");
    this.interfere("rules");
  }

  #defer<Value>(kind: string, compute: () => Value): Promise<Value> {
    return new Promise((resolve, reject) => {
      const happen = (): void => {
        try {
          resolve(compute());
        } catch (error) {
          reject(error);
        }
      };
      this.#pending.add({ kind, happen });
    });
  }

  // What the caller does.

  #addNext(): void {
    const plan = this.plan.calls[this.#nextCall] as CallPlan;
    this.records.set(plan.id, newRecord(plan, this.#nextCall++));
    const { id, tool: name, claims, readOnly, invalid } = plan;
    if (name === "Missing") this.count("unknown tool");
    if (invalid) this.count("invalid input");
    this.executor.add({ id, name, input: { id, claims, readOnly, invalid } satisfies Input });
  }

  #endResponse(): void {
    const { ending } = this.plan;
    this.ended = ending;
    if (ending !== "well") this.count(ending);
    this.executor.end(ending === "well" ? { ok: true } : { ok: false, reason: ending });
  }

  #readNow(): void {
    for (const update of this.executor.completed()) this.updates.push(update);
  }

  #startReading(): void {
    this.#reader = (async () => {
      for await (const update of this.executor.remaining()) this.updates.push(update);
      this.#readerDone = true;
    })();
  }

  /** From inside a tool, a hook or the listener, once. */
  interfereBy({ id, does, doesIn }: CallPlan, where: CallPlan["doesIn"]): void {
    if (does === "nothing" || doesIn !== where || this.#interfered.has(id)) return;
    this.#interfered.add(id);
    this.count(`${does} from a ${where}`);
    this.interfere(does);
  }

  interfere(kind: Interference): void {
    if (kind === "duplicate") return this.#addAgain();
    if (kind === "rules") {
      this.count("rules changed");
      this.rulesVersion++;
      for (const { judged } of this.records.values()) judged.clear();
      return this.executor.permissionsChanged();
    }
    if (kind === "discard") return this.#discard();
    const asMessage = kind === "message" || (kind === "signal" && this.random.chance(0.5));
    this.count(asMessage ? "interrupt: message" : "interrupt: stop");
    if (asMessage) this.arrivedBeforeMessage ??= this.#nextCall;
    else this.stopped = true;
    if (kind === "signal") this.#abort.abort(asMessage ? "interrupt" : new Error("enough"));
    else this.executor.interrupt(asMessage ? "message" : "stop");
  }

  #addAgain(): void {
    if (this.#nextCall === 0 || this.ended !== "open") return;
    this.count("duplicate id");
    const { id, tool: name } = this.plan.calls[this.random.below(this.#nextCall)] as CallPlan;
    if (this.executor.add({ id, name, input: { id } })) this.fail("1", `${id} was taken twice`);
  }

  #discard(): void {
    const writerStarted = [...this.records.values()].some(
      ({ started, ranReadOnly }) => started && !ranReadOnly,
    );
    const said = this.executor.discard();
    if (said.discarded && writerStarted)
      this.fail("4", "a writer had started, yet the response was discarded");
    this.count(said.discarded ? "discarded" : "discard refused");
    if (said.discarded) this.discarded = true;
    else if (said.kept.length !== this.records.size) this.fail("4", "not everything was kept");
  }

  // What the executor asks of the outside.

  planOf(input: unknown): CallPlan {
    return (this.records.get((input as Input).id) as CallRecord).plan;
  }

  #record(event: JournalEvent): void | Promise<void> {
    this.#follow(event);
    if (event.type === "call-finished") (this.records.get(event.id) as CallRecord).finishes++;
    // The note of a loss is written, because the core that follows here must see every event.
    if (this.plan.losesRecords && event.type !== "records-lost" && this.random.chance(0.1)) {
      this.lost++;
      this.isLossOpen = true;
      throw new Error("the disk is full");
    }
    this.isLossOpen = false;
    this.journal.push(event);
    if (!this.plan.asyncJournal) return;
    return new Promise((resolve) => this.#saves.push(resolve));
  }

  /** What the core knows of the call that an event is about. */
  #follow(event: JournalEvent): void {
    this.recorded++;
    for (const effect of this.#engine.step(this.#shadow, event)) {
      if (effect.type === "end-turn") continue;
      const about = this.records.get(effect.call.id) as CallRecord;
      if (effect.type === "start") about.decidedAt = this.recorded;
      // After that the core forgets the call.
      if (effect.type === "settle" && about.access !== undefined) about.access = effect.call.access;
    }
    if (!("id" in event)) return;
    const access = this.#shadow.live.get(event.id)?.access;
    const record = this.records.get(event.id) as CallRecord;
    record.wasJudged ||= event.type === "call-judged";
    if (access === undefined || access === record.access) return;
    record.access = access;
    // A later call must not come first because an earlier call changed the folder.
    if (event.type !== "call-located") record.changedAt = this.recorded;
  }

  #save(): void {
    this.saved++;
    this.#saves.shift()?.();
  }

  #hear(event: EngineEvent): void {
    if (event.type === "call-changed") {
      const record = this.records.get(event.callId) as CallRecord;
      record.state = event.state;
      if (event.state === "running") this.interfereBy(record.plan, "listener");
    }
    if (event.type === "call-retried") {
      const { state } = this.records.get(event.callId) as CallRecord;
      if (state !== "running")
        this.fail("5", `another attempt of ${event.callId} follows though it is ${state}`);
    }
    if (event.type === "hook-failed") {
      this.count("hook failed");
      (this.records.get(event.callId) as CallRecord).hookFailed = true;
    }
    if (event.type === "turn-ended") {
      this.count("turn ended by a refusal");
      this.stopped = true;
    }
    if (event.type === "call-ended-late") {
      this.count("late result dropped");
      (this.records.get(event.callId) as CallRecord).endedLateAt = this.recorded;
    }
    if (event.type !== "call-settled") return;
    const record = this.records.get(event.callId) as CallRecord;
    if (record.outcome !== undefined) this.fail("1", `${event.callId} was settled twice`);
    record.state = "settled";
    record.endedBetween = isBetweenAttempts(record);
    record.settledAt = this.recorded;
    record.outcome = event.outcome;
    const { outcome } = event;
    if (outcome.type === "aborted")
      this.count(outcome.abandoned ? "abandoned" : `aborted: ${outcome.cause.kind}`);
    if (outcome.type === "failed" && outcome.fault === "exception") this.count("tool threw");
  }

  /** The calls that the executor counts as running. */
  executing(): CallRecord[] {
    return [...this.records.values()].filter(({ state }) => state === "running" || state === "stopping");
  }
}
