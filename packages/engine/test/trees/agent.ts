/** One simulated agent: turn after turn, each with an executor of its own. */

import type { JournalEvent } from "../../src/core/event.ts";
import type { EngineEvent } from "../../src/runtime/notice.ts";
import type { Verdict } from "../../src/runtime/ports.ts";
import type { Engine } from "../simulation/engine-under-test.ts";
import type { AgentPlan, CallPlan, TurnPlan } from "./plan.ts";
import { type CallRecord, type Input, type TurnRecord, newCall } from "./record.ts";
import type { TreeWorld } from "./world.ts";

type Executor = InstanceType<Engine["StreamingToolExecutor"]>;

export class TreeAgent {
  readonly #world: TreeWorld;
  readonly #plan: AgentPlan;
  readonly ended: Promise<void>;
  hasEnded = false;
  #isStopped = false;
  #executor: Executor | undefined;
  #turn: TurnRecord | undefined;

  constructor(world: TreeWorld, plan: AgentPlan) {
    this.#world = world;
    this.#plan = plan;
    this.ended = this.#run();
  }

  get isAtWork(): boolean {
    return this.#turn?.isRead === false;
  }

  interrupt(kind: "stop" | "message"): void {
    if (this.#turn?.isRead !== false) return;
    if (kind === "stop") this.#isStopped = true;
    if (kind === "stop") this.#turn.isStopped = true;
    this.#executor?.interrupt(kind);
  }

  stop(): void {
    this.#isStopped = true;
    this.interrupt("stop");
  }

  discard(): void {
    const { discarded } = this.#executor?.discard() ?? { discarded: false };
    this.#world.count(discarded ? "discarded" : "discard refused");
    if (discarded && this.#turn !== undefined) this.#turn.isDiscarded = true;
  }

  permissionsChanged(): void {
    this.#executor?.permissionsChanged();
  }

  async #run(): Promise<void> {
    for (const [at, plan] of this.#plan.turns.entries())
      if (!this.#isStopped) await this.#runTurn(plan, `${this.#plan.name}.${at}`);
    this.hasEnded = true;
  }

  async #runTurn(plan: TurnPlan, name: string): Promise<void> {
    const world = this.#world;
    const turn = this.#newTurn(plan, name);
    const executor = (this.#executor = this.#newExecutor(turn));
    this.#turn = turn;
    world.turns.push(turn);
    for (const call of plan.calls) {
      await world.defer("add", () => {});
      if (turn.isDiscarded) break;
      this.#add(executor, turn, call);
    }
    await world.defer("end", () => {});
    executor.end(plan.ending === "well" ? { ok: true } : { ok: false, reason: plan.ending });
    for await (const update of executor.remaining())
      if (update.type === "result") turn.results.push(update.callId);
    turn.isRead = true;
  }

  #add(executor: Executor, turn: TurnRecord, plan: CallPlan): void {
    const { id, tool: name, claims } = plan;
    const call = newCall(plan, turn, turn.calls.length);
    turn.calls.push(call);
    this.#world.calls.set(id, call);
    this.#world.open.add(call);
    executor.add({ id, name, input: { id, claims } satisfies Input });
  }

  #newTurn(plan: TurnPlan, name: string): TurnRecord {
    const limit = plan.limit ?? this.#world.plan.maxConcurrency;
    const shadow = this.#world.engine.newTurn(limit, plan.start);
    const [calls, journal, results] = [[], [], []];
    return {
      name,
      plan,
      limit,
      shadow,
      calls,
      journal,
      results,
      isStopped: false,
      isDiscarded: false,
      isRead: false,
    };
  }

  #newExecutor(turn: TurnRecord): Executor {
    const world = this.#world;
    const { start, limit } = turn.plan;
    return new world.engine.StreamingToolExecutor({
      tools: world.tools,
      locks: world.locks,
      owner: this.#plan.name,
      start,
      ...(limit === undefined ? {} : { limit }),
      clock: world.clock,
      context: { cwd: "/" },
      resolvePlace: (place) => place,
      canUseTool: (_tool, input, { context }) => this.#rule(input as Input, context.cwd),
      hooks: {
        matches: ({ input }) => world.planOf(input).hooked,
        preToolUse: () => world.defer("hook", () => undefined),
      },
      journal: { record: (event) => this.#record(turn, event) },
      onEvent: (event) => this.#hear(event),
    });
  }

  #record(turn: TurnRecord, event: JournalEvent): void | Promise<void> {
    this.#world.follow(turn, event);
    return turn.plan.asyncJournal ? this.#world.defer("save", () => {}) : undefined;
  }

  #hear(event: EngineEvent): void {
    if (event.type !== "call-changed" && event.type !== "call-settled") return;
    const own = this.#world.calls.get(event.callId) as CallRecord;
    this.#world.interfereBy(own, "listener");
    if (event.type !== "call-changed" || event.waitsFor === undefined) return;
    const other = this.#world.calls.get(event.waitsFor.callId) as CallRecord;
    this.#world.count("waits for a call of another agent");
    if (other.turn === own.turn) this.#world.fail("who waits for whom", `${event.callId} for its own turn`);
  }

  #rule(input: Input, cwd: string): Verdict | Promise<Verdict> {
    const call = this.#world.calls.get(input.id) as CallRecord;
    const { plan } = call;
    const decide = (): Verdict => {
      call.judgedIn = cwd;
      if (plan.rule === "deny" || (plan.deniedLater && this.#world.rulesVersion > 0))
        return { behavior: "deny", reason: "a rule" };
      if (plan.rule === "change")
        return { behavior: "allow", input: { ...input, claims: plan.changedClaims } };
      return { behavior: "allow" };
    };
    return plan.isJudgedLater ? this.#world.defer("rule", decide) : decide();
  }
}
