/**
 * A simulated session: real executors on the same locks, agents that start agents and send each other messages, an
 * adversarial order of events, and a program that ends at any record and is followed by another one.
 */

import { setImmediate as macrotask } from "node:timers/promises";
import type { JournalEvent } from "../../src/core/event.ts";
import type { AnyTool } from "../../src/runtime/tool.ts";
import { FakeClock } from "../support/fake-clock.ts";
import type { Engine } from "../support/engine-under-test.ts";
import { Random } from "../simulation/random.ts";
import { TreeAgent } from "./agent.ts";
import { checkAfterAction } from "./checks.ts";
import { CounterFiles } from "./files.ts";
import type { AgentPlan, CallPlan, Interference, TreePlan } from "./plan.ts";
import {
  type AgentRecord,
  type CallRecord,
  type Input,
  type Message,
  type TurnRecord,
  isHolding,
  newAgent,
  stateOf,
} from "./record.ts";
import { recover } from "./recovery.ts";
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
  clock = new FakeClock();
  readonly files = new CounterFiles();
  locks: ReturnType<Engine["createLocks"]>;
  readonly tools: readonly AnyTool[];
  readonly calls = new Map<string, CallRecord>();
  /** Those that are not settled. */
  readonly open = new Set<CallRecord>();
  readonly turns: TurnRecord[] = [];
  /** Those that have worked in this process. */
  readonly agents: TreeAgent[] = [];
  /** Those that there ever were. */
  readonly team: AgentRecord[] = [];
  readonly messages: Message[] = [];
  /** The results of crashed turns that the session was continued with. */
  readonly recovered: string[] = [];
  /** Ticks when the program ends and another one takes over. */
  life = 0;
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
  #hasCrashed = false;
  #failure: Error | undefined;

  constructor(engine: Engine, plan: TreePlan) {
    this.engine = engine;
    this.plan = plan;
    this.random = new Random(plan.seed ^ 0x2c1b_3c6d);
    this.locks = this.#newLocks();
    this.tools = makeTools(this);
  }

  #newLocks(): ReturnType<Engine["createLocks"]> {
    const { maxConcurrency, limits, rates } = this.plan;
    const places = [...new Set([...Object.keys(limits), ...Object.keys(rates)])];
    const capacities = places.map((place) => {
      const [concurrent, perMinute] = [limits[place], rates[place]];
      const capacity = {
        ...(concurrent === undefined ? {} : { concurrent }),
        ...(perMinute === undefined ? {} : { perMinute }),
      };
      return [place, perMinute === undefined ? (concurrent as number) : capacity] as const;
    });
    return this.engine.createLocks({
      maxConcurrency,
      limits: Object.fromEntries(capacities),
      clock: this.clock,
    });
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

  start(plan: AgentPlan, parent?: AgentRecord, isBackground = false): TreeAgent {
    const record = newAgent(plan, parent);
    this.team.push(record);
    return this.#work(record, isBackground);
  }

  #work(record: AgentRecord, isBackground: boolean): TreeAgent {
    if (isBackground) record.owedReports++;
    const agent = new TreeAgent(this, record);
    this.agents.push(agent);
    return agent;
  }

  /** What an agent does in the background ends with a message to the one that started it, which is woken by it. */
  ended(record: AgentRecord): void {
    record.hasEnded = true;
    if (record.owedReports === record.reports) return;
    record.reports++;
    this.count("background work ended");
    if (record.parent !== undefined) this.#post(record.parent);
  }

  #post(to: AgentRecord, isUrgent = false): void {
    if (this.send(to, { isUrgent }) !== undefined) this.count("woken");
  }

  /** Returns the agent if it had ended and goes on. */
  send(to: AgentRecord, { isUrgent }: { readonly isUrgent: boolean }): TreeAgent | undefined {
    const message: Message = { number: this.messages.length + 1, readBy: [] };
    this.messages.push(message);
    to.inbox.push(message);
    this.count(to.hasEnded ? "message to an agent that had ended" : "message to an agent at work");
    if (to.hasEnded) return this.#work(to, false);
    if (isUrgent) this.agents.findLast(({ record }) => record === to)?.interrupt("message");
    return undefined;
  }

  /** Runs until every agent has ended, checking after every action. */
  async run(): Promise<void> {
    for (const plan of this.plan.agents) this.start(plan);
    await macrotask();
    while (this.#act()) {
      await macrotask();
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#hasCrashed) await this.#continue();
      checkAfterAction(this);
      if (++this.#actions > MAX_ACTIONS) this.fail("nothing hangs", "the session does not come to an end");
    }
    const left = this.agents.filter(({ hasEnded }) => !hasEnded);
    if (left.length > 0) this.fail("nothing hangs", `${this.#waiting()} wait for ever`);
  }

  /** Another program continues the session: nothing of the old one is left but its records and the files. */
  async #continue(): Promise<void> {
    this.#hasCrashed = false;
    this.count("crash");
    this.#pending.clear();
    this.open.clear();
    this.clock = new FakeClock();
    this.locks = this.#newLocks();
    // Limits per minute are kept in memory.
    this.starts.clear();
    this.agents.length = 0;
    recover(this);
    for (const record of this.team.filter(({ hasEnded }) => !hasEnded)) {
      // Nobody waits for a sub-agent any longer. It goes on, or its parent is informed.
      if (record.parent === undefined) this.#work(record, false);
      else if (this.random.chance(0.6)) this.#work(record, record.owedReports === record.reports);
      else this.#report(record);
    }
    await macrotask();
  }

  #report(record: AgentRecord): void {
    this.count("agent left as it was after a crash");
    record.isStopped = true;
    if (record.owedReports === record.reports) record.owedReports++;
    this.ended(record);
  }

  #waiting(): string {
    return [...this.open].map((call) => `${call.plan.id} (${stateOf(call)})`).join(", ");
  }

  #act(): boolean {
    const isDue = ({ after }: { readonly after: number }): boolean => after === this.#actions;
    const [due, messages] = [this.plan.interferences.filter(isDue), this.plan.messages.filter(isDue)];
    for (const { kind } of due) this.#interfere(kind);
    for (const { isUrgent } of messages) this.#post(this.random.pick(this.team), isUrgent);
    const pending = [...this.#pending];
    const isStuck = pending.every(({ kind }) => kind === "late");
    if (isStuck && this.clock.pending > 0 && this.agents.some(({ hasEnded }) => !hasEnded)) {
      this.clock.advance();
      return true;
    }
    // What an interference set off can need a moment.
    if (pending.length === 0) return due.length + messages.length > 0;
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
    if (kind === "rules") return this.#changeRules(atWork);
    if (kind === "discard") return agent.discard();
    agent.interrupt(kind);
  }

  /** The rules are those of the session, and each executor hears of the change after the one before it. */
  #changeRules(atWork: readonly TreeAgent[]): void {
    this.rulesVersion++;
    for (const agent of atWork) agent.permissionsChanged();
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
    const { crash } = this.plan;
    if (tick === crash?.at) {
      this.life++;
      this.#hasCrashed = true;
      if (!crash.keepsRecord) return;
    }
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
