/** A simulated session: real executors on the same locks, agents that start agents, an adversarial order of events. */

import { setImmediate as macrotask } from "node:timers/promises";
import type { JournalEvent } from "../../src/core/event.ts";
import type { AnyTool } from "../../src/runtime/tool.ts";
import { FakeClock } from "../support/fake-clock.ts";
import type { Engine } from "../simulation/engine-under-test.ts";
import { Random } from "../simulation/random.ts";
import { TreeAgent } from "./agent.ts";
import { checkAfterAction } from "./checks.ts";
import { CounterFiles } from "./files.ts";
import type { AgentPlan, CallPlan, Interference, TreePlan } from "./plan.ts";
import { type CallRecord, type Input, type TurnRecord, isHolding, stateOf } from "./record.ts";
import { makeTools } from "./tools.ts";

const MAX_ACTIONS = 4_000;

/** Something that waits for the world to let it happen. */
interface Pending {
  readonly kind: string;
  happen(): void;
}

export class TreeWorld {
  readonly plan: TreePlan;
  readonly engine: Engine;
  readonly random: Random;
  readonly clock = new FakeClock();
  readonly files = new CounterFiles();
  readonly locks: ReturnType<Engine["createLocks"]>;
  readonly tools: readonly AnyTool[];
  readonly calls = new Map<string, CallRecord>();
  /** Those that are not settled. */
  readonly open = new Set<CallRecord>();
  readonly turns: TurnRecord[] = [];
  readonly agents: TreeAgent[] = [];
  readonly counts = new Map<string, number>();
  /** When calls started that a rate is for. */
  readonly starts = new Map<string, number[]>();
  rulesVersion = 0;
  /** Ticks with every event that is recorded anywhere. */
  ticks = 0;
  readonly #pending = new Set<Pending>();
  /** Calls that have interfered. */
  readonly #interfered = new Set<string>();
  #actions = 0;
  #failure: Error | undefined;

  constructor(engine: Engine, plan: TreePlan) {
    this.engine = engine;
    this.plan = plan;
    this.random = new Random(plan.seed ^ 0x2c1b_3c6d);
    const { maxConcurrency, limits, rates } = plan;
    const places = [...new Set([...Object.keys(limits), ...Object.keys(rates)])];
    const capacities = places.map((place) => {
      const [concurrent, perMinute] = [limits[place], rates[place]];
      const capacity = {
        ...(concurrent === undefined ? {} : { concurrent }),
        ...(perMinute === undefined ? {} : { perMinute }),
      };
      return [place, perMinute === undefined ? (concurrent as number) : capacity] as const;
    });
    this.locks = engine.createLocks({
      maxConcurrency,
      limits: Object.fromEntries(capacities),
      clock: this.clock,
    });
    this.tools = makeTools(this);
  }

  planOf(input: unknown): CallPlan {
    return (this.calls.get((input as Input).id) as CallRecord).plan;
  }

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  /** Kept as well as thrown: what is thrown inside a tool or a listener is the executor's to handle. */
  fail(promise: string, message: string): never {
    this.#failure ??= new Error(`seed ${this.plan.seed}: ${promise}: ${message}`);
    throw this.#failure;
  }

  start(plan: AgentPlan): TreeAgent {
    const agent = new TreeAgent(this, plan);
    this.agents.push(agent);
    return agent;
  }

  /** Runs until every agent has ended, checking after every action. */
  async run(): Promise<void> {
    for (const plan of this.plan.agents) this.start(plan);
    await macrotask();
    while (this.#act()) {
      await macrotask();
      if (this.#failure !== undefined) throw this.#failure;
      checkAfterAction(this);
      if (++this.#actions > MAX_ACTIONS) this.fail("nothing hangs", "the session does not come to an end");
    }
    const left = this.agents.filter(({ hasEnded }) => !hasEnded);
    if (left.length > 0) this.fail("nothing hangs", `${this.#waiting()} wait for ever`);
  }

  #waiting(): string {
    return [...this.open].map((call) => `${call.plan.id} (${stateOf(call)})`).join(", ");
  }

  #act(): boolean {
    const due = this.plan.interferences.filter(({ after }) => after === this.#actions);
    for (const { kind } of due) this.#interfere(kind);
    const pending = [...this.#pending];
    const isStuck = pending.every(({ kind }) => kind === "late");
    if (isStuck && this.clock.pending > 0 && this.agents.some(({ hasEnded }) => !hasEnded)) {
      this.clock.advance();
      return true;
    }
    // What an interference set off can need a moment.
    if (pending.length === 0) return due.length > 0;
    const weights = pending.map((one) => [one, one.kind === "late" ? 0.1 : 1] as const);
    const next = this.random.weighted(weights);
    this.#pending.delete(next);
    next.happen();
    return true;
  }

  #interfere(kind: Interference): void {
    if (kind === "time") return this.clock.advance();
    const atWork = this.agents.filter(({ isAtWork }) => isAtWork);
    if (atWork.length === 0) return;
    const agent = this.random.pick(atWork);
    this.count(`interference: ${kind}`);
    if (kind === "rules") this.rulesVersion++;
    if (kind === "rules") return agent.permissionsChanged();
    if (kind === "discard") return agent.discard();
    agent.interrupt(kind);
  }

  /** From inside a tool or the listener, once. */
  interfereBy({ plan: { id, does, doesIn } }: CallRecord, where: CallPlan["doesIn"]): void {
    if (does === undefined || doesIn !== where || this.#interfered.has(id)) return;
    if (where === "listener" && this.random.chance(0.5)) return;
    this.#interfered.add(id);
    this.count(`from a ${where}`);
    this.#interfere(does);
  }

  /** Happens when the world lets it. */
  defer<Value>(kind: string, compute: () => Value): Promise<Value> {
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

  pend(kind: string, happen: () => void): () => void {
    const pending = { kind, happen };
    this.#pending.add(pending);
    return () => this.#pending.delete(pending);
  }

  /** What the core knows of the call that an event is about. */
  follow(turn: TurnRecord, event: JournalEvent): void {
    const tick = ++this.ticks;
    turn.journal.push(event);
    for (const effect of this.engine.step(turn.shadow, event)) {
      if (effect.type === "end-turn") continue;
      const call = this.calls.get(effect.call.id) as CallRecord;
      if (effect.type === "start") call.decidedAt = turn.journal.length;
      if (effect.type === "start" && event.type !== "call-granted") call.askedAt = tick;
      if (effect.type === "settle") {
        this.open.delete(call);
        call.settlements++;
        call.outcome = effect.outcome;
      }
    }
    if (!("id" in event)) return;
    const call = this.calls.get(event.id) as CallRecord;
    if (event.type === "call-queued") call.askedAt = tick;
    if (event.type === "call-queued") this.count("queued");
    if (event.type === "call-granted") this.count(isHolding(call) ? "granted" : "granted in vain");
    const access = turn.shadow.live.get(event.id)?.access;
    if (access === undefined || access === call.access) return;
    call.access = access;
    call.changedAt = turn.journal.length;
  }
}
