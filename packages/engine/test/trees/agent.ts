/** One simulated agent: turn after turn, each with an executor of its own. */

import type { JournalEvent } from "../../src/core/event.ts";
import type { EngineEvent } from "../../src/runtime/notice.ts";
import type { Verdict } from "../../src/runtime/ports.ts";
import type { Engine } from "../support/engine-under-test.ts";
import { type CallPlan, EMPTY_TURN, type TurnPlan } from "./plan.ts";
import {
  type AgentRecord,
  type CallRecord,
  type Input,
  type TurnRecord,
  isHolding,
  newCall,
} from "./record.ts";
import type { TreeWorld } from "./world.ts";

type Executor = InstanceType<Engine["StreamingToolExecutor"]>;

export class TreeAgent {
  readonly #world: TreeWorld;
  readonly record: AgentRecord;
  readonly ended: Promise<void>;
  readonly #life: number;
  #executor: Executor | undefined;
  #turn: TurnRecord | undefined;

  constructor(world: TreeWorld, record: AgentRecord) {
    this.#world = world;
    this.record = record;
    this.#life = world.life;
    record.hasEnded = false;
    record.isStopped = false;
    this.ended = this.#run();
  }

  get hasEnded(): boolean {
    return this.record.hasEnded;
  }

  /** The program that it works in has ended. */
  get #isDead(): boolean {
    return this.#life !== this.#world.life;
  }

  get isAtWork(): boolean {
    return this.#turn?.isRead === false;
  }

  interrupt(kind: "stop" | "message"): void {
    if (this.#turn?.isRead !== false) return;
    const turn = this.#turn;
    if (kind === "stop") {
      this.record.isStopped = true;
      turn.isStopped = true;
    } else if (turn.messageAt === undefined) {
      turn.messageAt = turn.calls.length;
      turn.ranAtMessage = new Set(turn.calls.filter(isUnderWay).map(({ plan }) => plan.id));
    }
    this.#executor?.interrupt(kind);
  }

  stop(): void {
    this.record.isStopped = true;
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
    for (let plan = this.#next(); plan !== undefined; plan = this.#next()) {
      await this.#runTurn(plan);
      if (this.#isDead) return;
    }
    this.#world.ended(this.record);
  }

  /** The next turn that it planned, or one for the messages that it has not read, or for a response that was discarded. */
  #next(): TurnPlan | undefined {
    const { plan, begun, answered, inbox, isStopped } = this.record;
    if (isStopped) return undefined;
    const answer = plan.answers[answered];
    // Another model answers in place of the one whose response was discarded, while calls of that one still stop.
    const isFallback = this.#turn?.isDiscarded === true && answer !== undefined;
    const planned = isFallback ? undefined : plan.turns[begun];
    if (planned !== undefined) this.record.begun++;
    if (planned !== undefined || (!isFallback && inbox.length === 0)) return planned;
    this.record.answered++;
    return answer ?? EMPTY_TURN;
  }

  #readMessages(turn: TurnRecord): void {
    const { record } = this;
    for (const message of record.inbox.splice(0)) {
      if (message.number < record.lastRead)
        this.#world.fail("messages", `${turn.name} reads an earlier message after a later one`);
      record.lastRead = message.number;
      message.readBy.push(turn.name);
    }
  }

  async #runTurn(plan: TurnPlan): Promise<void> {
    const world = this.#world;
    const turn = this.#newTurn(plan);
    this.#readMessages(turn);
    if ([...world.open].some((call) => call.turn.agent === this.record && isHolding(call)))
      world.count("turn beside one that still stops");
    const executor = (this.#executor = this.#newExecutor(turn));
    this.#turn = turn;
    world.turns.push(turn);
    for (const call of plan.calls) {
      await world.defer("add", () => {});
      if (this.#isDead) return;
      if (turn.isDiscarded) break;
      this.#add(executor, turn, call);
    }
    await world.defer("end", () => {});
    if (this.#isDead) return;
    executor.end(plan.ending === "well" ? { ok: true } : { ok: false, reason: plan.ending });
    for await (const update of executor.remaining()) {
      if (this.#isDead) return;
      if (update.type === "result") turn.results.push(update.callId);
    }
    if (!this.#isDead) turn.isRead = true;
  }

  #add(executor: Executor, turn: TurnRecord, plan: CallPlan): void {
    const { id, tool: name, claims } = plan;
    const call = newCall(plan, turn, turn.calls.length);
    turn.calls.push(call);
    this.#world.calls.set(id, call);
    this.#world.open.add(call);
    executor.add({ id, name, input: { id, claims } satisfies Input });
  }

  #newTurn(plan: TurnPlan): TurnRecord {
    const { record } = this;
    const limit = plan.limit ?? this.#world.plan.maxConcurrency;
    const shadow = this.#world.engine.newTurn(limit, plan.start);
    const [calls, journal, results] = [[], [], []];
    return {
      name: `${record.plan.name}.${record.begun + record.answered - 1}`,
      agent: record,
      life: this.#life,
      plan,
      limit,
      shadow,
      calls,
      journal,
      saved: 0,
      results,
      messageAt: undefined,
      ranAtMessage: new Set(),
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
      owner: this.record.plan.name,
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
    if (this.#isDead) return;
    this.#world.follow(turn, event);
    const recorded = turn.journal.length;
    const save = (): void => {
      turn.saved = Math.max(turn.saved, recorded);
    };
    if (turn.plan.asyncJournal) return this.#world.defer("save", save);
    save();
  }

  #hear(event: EngineEvent): void {
    if (this.#isDead || (event.type !== "call-changed" && event.type !== "call-settled")) return;
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
    call.judgedBy = this.#world.rulesVersion;
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

function isUnderWay(call: CallRecord): boolean {
  return isHolding(call) || (call.delegates && call.started && call.outcome === undefined);
}
