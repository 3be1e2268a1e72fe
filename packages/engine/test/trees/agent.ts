/** One simulated agent: turn after turn, each with an executor of its own. */

import type { JournalEvent } from "../../src/core/event.ts";
import type { EngineEvent } from "../../src/runtime/notice.ts";
import type { Verdict } from "../../src/runtime/ports.ts";
import type { AnyTool, CallContext } from "../../src/runtime/tool.ts";
import type { Engine } from "../simulation/engine-under-test.ts";
import { checkStart } from "./checks.ts";
import type { AgentPlan, CallPlan, TurnPlan } from "./plan.ts";
import { type CallRecord, type TurnRecord, newCall } from "./record.ts";
import type { TreeWorld } from "./world.ts";

interface Input {
  readonly id: string;
  readonly claims: CallPlan["claims"];
}

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
      tools: this.#tools(),
      locks: world.locks,
      owner: this.#plan.name,
      start,
      ...(limit === undefined ? {} : { limit }),
      clock: world.clock,
      context: { cwd: "/" },
      resolvePlace: (place) => place,
      canUseTool: (_tool, input) => this.#rule(input as unknown as Input),
      hooks: {
        matches: ({ input }) => this.#planOf(input).hooked,
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
    if (event.type !== "call-changed" || event.waitsFor === undefined) return;
    const other = this.#world.calls.get(event.waitsFor.callId) as CallRecord;
    const own = this.#world.calls.get(event.callId) as CallRecord;
    this.#world.count("waits for a call of another agent");
    if (other.turn === own.turn) this.#world.fail("who waits for whom", `${event.callId} for its own turn`);
  }

  #planOf(input: unknown): CallPlan {
    return (this.#world.calls.get((input as Input).id) as CallRecord).plan;
  }

  #rule(input: Input): Verdict | Promise<Verdict> {
    const plan = this.#planOf(input);
    const decide = (): Verdict => {
      if (plan.rule === "deny" || (plan.deniedLater && this.#world.rulesVersion > 0))
        return { behavior: "deny", reason: "a rule" };
      if (plan.rule === "change")
        return { behavior: "allow", input: { ...input, claims: plan.changedClaims } };
      return { behavior: "allow" };
    };
    return plan.isJudgedLater ? this.#world.defer("rule", decide) : decide();
  }

  #tools(): AnyTool[] {
    const members: Partial<AnyTool> = {
      isReadOnly: (input) => this.#planOf(input).readOnly,
      access: (input) => claimsOf(this.#planOf(input), input as unknown as Input),
    };
    const delegates = { delegates: true, isReadOnly: () => true };
    return [
      this.#tool("Touch", members),
      this.#tool("Fetch", members),
      this.#tool("Agent", delegates),
      this.#tool("Background", delegates),
    ];
  }

  #tool(name: CallPlan["tool"], members: Partial<AnyTool>): AnyTool {
    return {
      name,
      description: name,
      inputSchema: {
        "~standard": { version: 1, vendor: "simulation", validate: (value: unknown) => ({ value }) },
      },
      interruptBehavior: (input) => this.#planOf(input).interrupt,
      onError: (input) => this.#planOf(input).onError,
      call: (input, context) => this.#call(input as unknown as Input, context),
      ...members,
    };
  }

  #call(input: Input, context: CallContext): unknown {
    const world = this.#world;
    const call = world.calls.get(input.id) as CallRecord;
    call.ranWith = call.delegates ? [] : claimsOf(call.plan, input);
    checkStart(world, call);
    call.started = true;
    call.startedAt = world.ticks;
    call.recordedAtStart = call.turn.journal.length;
    if (call.plan.moves) context.change((before) => ({ ...before, cwd: `/${input.id}` }));
    return call.plan.agent === undefined
      ? this.#touch(call, context)
      : this.#delegate(call.plan.agent, call, context);
  }

  async #delegate(plan: AgentPlan, { plan: { tool } }: CallRecord, { signal }: CallContext): Promise<string> {
    const agent = this.#world.start(plan);
    this.#world.count(tool);
    if (tool === "Background") return "started";
    signal.addEventListener("abort", () => agent.stop());
    await agent.ended;
    return "done";
  }

  #touch(call: CallRecord, context: CallContext): unknown {
    const world = this.#world;
    const { behaviour, onStop } = call.plan;
    const seen = world.files.read(call.ranWith);
    const finish = (): string => {
      const isLate = call.outcome !== undefined;
      if (behaviour === "throw") throw new Error("it went wrong");
      if (!isLate && !world.files.write(call.ranWith, seen))
        world.fail("no lost update", `what ${call.plan.id} read was changed while it ran`);
      return "done";
    };
    if (behaviour === "at-once") return finish();
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        try {
          resolve(finish());
        } catch (error) {
          reject(error as Error);
        }
      };
      const drop = world.pend("tool", settle);
      context.signal.addEventListener("abort", () => {
        drop();
        if (onStop === "reject") return reject(new Error("stopped"));
        world.pend(onStop === "ignore" ? "late" : "tool", settle);
      });
    });
  }
}

function claimsOf({ moves }: CallPlan, { claims }: Input): CallPlan["claims"] {
  return moves ? [...claims, { mode: "write", place: "context:/cwd" }] : claims;
}
