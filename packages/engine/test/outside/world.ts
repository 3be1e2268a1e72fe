/**
 * One turn in a random world, driven through the public API only: tools, hooks, rules, a person, a journal and a
 * caller that do what they like, at any moment, also inside each other. It knows the docs and nothing of the engine.
 */

import type * as Engine from "../../src/index.ts";
import { Dice } from "./dice.ts";
import { type Call, type Input, type Plan, makePlan } from "./plan.ts";
import { type Touch, realPlace } from "./places.ts";
import { checkEnd, checkEntry, checkQuestion } from "./promises.ts";
import { type Seen, newSeen } from "./record.ts";
import { WorldTime } from "./time.ts";

type Result = Extract<Engine.Update, { type: "result" }>;

export class OutsideWorld {
  readonly engine: typeof Engine;
  readonly plan: Plan;
  readonly time = new WorldTime();
  readonly seen = new Map<string, Seen>();
  readonly results: Result[] = [];
  readonly journal: Engine.JournalEvent[] = [];
  readonly executor: Engine.StreamingToolExecutor;
  ended: "no" | Plan["ending"] = "no";
  stopped = false;
  hasEndedTurn = false;
  discarded = false;
  /** How many calls there were when a new message came. */
  message: number | undefined;
  openQuestions = 0;
  /** Whether the latest record was lost. */
  isLossOpen = false;
  failure: string | undefined;
  readonly #dice: Dice;
  /** For calls that a tool or a listener adds. Drawn apart, so that the other worlds stay as they are. */
  readonly #additions: Dice;
  /** What is under way and ends when the world lets it. */
  readonly #pending = new Set<() => void>();
  #rulesChanged = 0;
  #reads = 0;
  #isRead = false;
  #iterator: AsyncIterator<Engine.Update> | undefined;

  constructor(engine: typeof Engine, seed: number) {
    this.engine = engine;
    this.#dice = new Dice(seed);
    this.#additions = new Dice(seed ^ 0x3779_b97f);
    this.plan = makePlan(this.#dice, this.#additions);
    this.executor = this.#newExecutor();
  }

  fail(what: string): void {
    this.failure ??= what;
  }

  running(): Seen[] {
    return [...this.seen.values()].filter(
      ({ entered, ended, settled }) => entered !== undefined && ended === undefined && settled === undefined,
    );
  }

  /** An input in the folder in which it is judged or run. */
  keyOf({ place, writes, to }: Input, cwd = this.#cwd): string {
    return [place, writes, to, cwd].join();
  }

  #cwd = "/";

  async run(): Promise<string | undefined> {
    for (let step = 0; step < 600 && this.failure === undefined && !this.#isRead; step++) {
      this.#act();
      await this.#wait();
    }
    await this.#settle();
    if (!this.#isRead && this.failure === undefined) this.fail("1: the turn does not come to an end");
    if (this.failure === undefined) checkEnd(this);
    return this.failure;
  }

  /** Reading a discarded response ends at once: what still runs of it comes to its end. */
  async #settle(): Promise<void> {
    for (let step = 0; step < 100; step++) {
      for (const happen of this.#pending) this.#let(happen);
      for (let turn = 0; turn < 3; turn++) await macrotask();
      const isQuiet = this.#pending.size === 0 && (!this.discarded || this.time.timers === 0);
      if (isQuiet) return;
      if (this.discarded) this.time.pass();
    }
  }

  /** Between two actions anything from nothing to a whole turn of the loop can happen. */
  async #wait(): Promise<void> {
    const kind = this.#dice.roll();
    if (kind < 0.3) return;
    if (kind < 0.7) for (let left = this.#dice.below(6); left >= 0; left--) await Promise.resolve();
    else await macrotask();
  }

  #act(): void {
    const dice = this.#dice;
    const left = this.plan.calls.length - this.seen.size;
    if (dice.chance(0.03)) return this.#interfere(dice.pick(["stop", "rules", "discard", "message"]));
    if (this.ended === "no" && left > 0 && !this.discarded && dice.chance(0.4)) return this.#add();
    if (this.ended === "no" && dice.chance(left === 0 || this.discarded ? 0.3 : 0.02)) return this.#end();
    if (this.ended !== "no" && dice.chance(0.3)) return this.#read();
    if (this.#pending.size > 0 && dice.chance(0.8)) return this.#let(dice.pick([...this.#pending]));
    if (this.#pending.size === 0 || dice.chance(0.03)) this.time.pass();
  }

  #add(): void {
    const call = this.plan.calls[this.seen.size] as Call;
    this.seen.set(call.input.id, newSeen(call, this.seen.size));
    this.executor.add({ id: call.input.id, name: "Tool", input: call.input });
    if (this.#dice.chance(0.05) && this.executor.add({ id: call.input.id, name: "Tool", input: call.input }))
      this.fail(`1: ${call.input.id} was taken twice`);
  }

  /** From inside a tool or a listener. */
  #addInPassing(): void {
    const isOpen = this.ended === "no" && !this.discarded && this.seen.size < this.plan.calls.length;
    if (isOpen && this.plan.addsInPassing && this.#additions.chance(0.1)) this.#add();
  }

  /** From inside a declaration. */
  #stopInPassing(): void {
    if (this.plan.addsInPassing && this.#additions.chance(0.03))
      this.#interfere(this.#additions.pick(["stop", "message", "rules"]));
  }

  #end(): void {
    const { ending } = this.plan;
    this.ended = ending;
    this.executor.end(ending === "well" ? { ok: true } : { ok: false, reason: ending });
  }

  /** Several reads can wait at the same time. */
  #read(): void {
    this.#iterator ??= this.executor.remaining();
    if (this.#reads > 3) return;
    this.#reads++;
    void this.#iterator.next().then(({ done, value }) => {
      this.#reads--;
      if (done === true) this.#isRead = true;
      else if (value.type === "result") this.results.push(value);
    });
  }

  #interfere(kind: "stop" | "rules" | "discard" | "message"): void {
    if (kind === "rules") {
      this.#rulesChanged++;
      for (const { judged } of this.seen.values()) judged.clear();
      return this.executor.permissionsChanged();
    }
    if (kind === "discard") return this.#discard();
    this.executor.interrupt(kind);
    if (kind === "stop") this.stopped = true;
    else this.message ??= this.seen.size;
  }

  #discard(): void {
    const hasWritten = [...this.seen.values()].some(({ entered }) => entered?.writes === true);
    const { discarded } = this.executor.discard();
    if (discarded === hasWritten)
      this.fail(`4: discard() says ${discarded}, a writer has run: ${hasWritten}`);
    this.discarded ||= discarded;
  }

  #let(happen: () => void): void {
    this.#pending.delete(happen);
    happen();
  }

  #later<Value>(compute: () => Value): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.#pending.add(() => {
        try {
          resolve(compute());
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  #newExecutor(): Engine.StreamingToolExecutor {
    const { plan } = this;
    const hooks = {
      ...(plan.hooks ? { matches: this.#matches, preToolUse: this.#hook } : {}),
      ...(plan.postHooks ? { postToolUse: this.#postHook, postToolUseFailure: this.#postHook } : {}),
    } as Engine.Hooks;
    return new this.engine.StreamingToolExecutor({
      tools: [this.#tool()],
      limit: plan.limit,
      start: plan.start,
      context: { cwd: "/" },
      clock: this.time.clock,
      hooks,
      journal: { record: (event) => this.#record(event) },
      onEvent: (event) => this.#hear(event),
      ask: (question) => this.#ask(question),
      ...(plan.rules
        ? { canUseTool: (_tool, input, { context }) => this.#judge(input as Input, context) }
        : {}),
    });
  }

  #tool(): Engine.AnyTool {
    const callOf = (input: unknown): Call => this.#seenOf(input).call;
    return {
      name: "Tool",
      description: "",
      inputSchema: {
        "~standard": { version: 1, vendor: "outside", validate: (value: unknown) => ({ value }) },
      },
      isReadOnly: (input) => !(input as unknown as Input).writes,
      interruptBehavior: (input) => (callOf(input).cancellable ? "cancel" : "block"),
      onError: (input) => (callOf(input).cancelsLater ? "cancel-later" : "isolate"),
      timeoutMs: () => {
        this.#stopInPassing();
        return this.plan.isUntimed ? Infinity : 600_000;
      },
      access: (input, { cwd }) =>
        touchesOf(input as unknown as Input, cwd).map(({ place, writes }) => ({
          mode: writes ? "write" : "read",
          place,
        })),
      call: (input, context) => this.#enter(input as unknown as Input, context),
    };
  }

  #seenOf(input: unknown): Seen {
    return this.seen.get((input as Input).id) as Seen;
  }

  #enter(input: Input, context: Engine.CallContext): unknown {
    const seen = this.#seenOf(input);
    this.#cwd = context.cwd;
    seen.touches = touchesOf(input, context.cwd).map(({ place, writes }) => ({
      place: realPlace(place),
      writes,
    }));
    checkEntry(this, seen, input);
    seen.entered = input;
    const { to } = input;
    if (to !== undefined) context.change((before) => ({ ...before, cwd: to }));
    this.#addInPassing();
    this.#misbehave(seen.call, context);
    return this.#work(seen, context);
  }

  #misbehave({ does }: Call, context: Engine.CallContext): void {
    if (does === "progress") context.progress({ type: "output", content: "…" });
    else if (does === "bad-progress") context.progress(UNREADABLE);
    else if (does === "bad-change") context.change("/elsewhere" as never);
    else if (does !== "nothing") this.#interfere(does);
  }

  #work(seen: Seen, context: Engine.CallContext): unknown {
    const { ends } = seen.call;
    const returned = (): string => {
      seen.ended ??= "returned";
      return "ok";
    };
    const threw = (): never => {
      seen.ended ??= "threw";
      throw new Error("it failed");
    };
    if (ends === "now") return returned();
    if (ends === "throws-now") return threw();
    if (ends === "twice") return this.#twice(seen);
    if (ends === "ignores-signal") return this.#later(returned);
    const work = this.#later(ends === "later" ? returned : threw);
    const stopped = new Promise((_, reject) =>
      context.signal.addEventListener("abort", () => {
        seen.ended ??= "threw";
        reject(new Error("stopped"));
      }),
    );
    return Promise.race([work, stopped]);
  }

  /** Not a promise: it fails, and then says that all is well. */
  #twice(seen: Seen): PromiseLike<unknown> {
    return {
      // oxlint-disable-next-line unicorn/no-thenable
      then: (resolve: (value: unknown) => void, reject: (error: unknown) => void) => {
        this.#pending.add(() => {
          seen.ended ??= "threw";
          reject(new Error("it failed"));
          resolve("all is well");
        });
      },
    } as PromiseLike<unknown>;
  }

  readonly #matches = ({ input }: Engine.HookCall): unknown => {
    this.#addInPassing();
    return this.#seenOf(input).call.hook === "none" ? false : this.plan.matches;
  };

  readonly #hook = ({ input, signal }: Engine.HookCall): unknown => {
    const seen = this.#seenOf(input);
    seen.hookAsked = true;
    const { hook, changed, waits } = seen.call;
    const answer = (): unknown => {
      if (hook === "throws") throw new Error("the hook failed");
      if (hook === "nonsense") return this.#dice.pick<unknown>([5, "deny", { decision: "maybe" }]);
      if (hook === "change") return { input: changed };
      return hook === "deny" || hook === "ask" ? { decision: hook, reason: "because" } : undefined;
    };
    if (hook === "never") return neverAnswers(seen, signal);
    return waits ? this.#later(answer) : answer();
  };

  readonly #postHook = ({ input, signal }: Engine.HookCall): unknown => {
    const seen = this.#seenOf(input);
    const { postHook, waits } = seen.call;
    if (this.plan.endTurn.has(seen.call.input.id)) {
      const answer = { endTurn: "enough" };
      return waits ? this.#later(() => answer) : answer;
    }
    const answers = {
      none: undefined,
      silent: undefined,
      "bad-addition": { addition: 5 },
      "bad-content": { content: {} },
      "bad-block": { content: [{ type: "text" }] },
      never: undefined,
    };
    if (postHook === "never") return neverAnswers(seen, signal);
    return waits ? this.#later(() => answers[postHook]) : answers[postHook];
  };

  /** The verdict is made at once, and reaches the engine when it does. */
  #judge(input: Input, { cwd }: Engine.SharedContext): Engine.Verdict | Promise<Engine.Verdict> {
    const seen = this.#seenOf(input);
    const { call, judged } = seen;
    const rule = call.rules[Math.min(this.#rulesChanged, 2)] ?? "allow";
    const changes = rule === "change" && input !== call.changed;
    const verdict: Engine.Verdict = changes
      ? { behavior: "allow", input: call.changed }
      : { behavior: rule === "change" ? "allow" : rule };
    judged.set(this.keyOf(changes ? call.changed : input, cwd), verdict.behavior);
    return call.waits ? this.#later(() => verdict) : verdict;
  }

  #ask({ input, context, signal }: Engine.Question): Promise<Engine.Answer> {
    const seen = this.#seenOf(input);
    if (++this.openQuestions > 1) this.fail("7: two questions are open");
    checkQuestion(this, seen, context.cwd);
    let isOpen = true;
    const close = (): void => {
      if (isOpen) this.openQuestions--;
      isOpen = false;
    };
    signal.addEventListener("abort", close);
    return this.#later(() => {
      const isHeard = isOpen;
      close();
      const { answer, changed } = seen.call;
      // The same key press can change a mode.
      if (isHeard && this.#dice.chance(0.2)) this.#interfere("rules");
      if (answer === "no") {
        if (isHeard) seen.refused = true;
        return { behavior: "deny", message: "no!" };
      }
      if (isHeard)
        seen.approved.add(this.keyOf(answer === "change" ? changed : (input as Input), context.cwd));
      return answer === "yes" ? { behavior: "allow" } : { behavior: "allow", input: changed };
    });
  }

  #record(event: Engine.JournalEvent): void | Promise<void> {
    this.isLossOpen = this.plan.journal === "failing" && this.#dice.chance(0.15);
    if (this.isLossOpen) throw new Error("the disk is full");
    this.journal.push(event);
    if (event.type === "call-finished") (this.seen.get(event.id) as Seen).finishes++;
    return this.plan.journal === "slow" ? this.#later(() => {}) : undefined;
  }

  #hear(event: Engine.EngineEvent): void {
    this.#addInPassing();
    if (event.type === "call-settled") {
      const seen = this.seen.get(event.callId) as Seen;
      if (seen.settled !== undefined) this.fail(`1: ${event.callId} was settled twice`);
      seen.settled = event.outcome.type;
    }
    if (event.type === "turn-ended") {
      if (this.hasEndedTurn) this.fail("5: the turn has ended twice");
      this.hasEndedTurn = true;
      this.stopped = true;
    }
    if (event.type === "hook-failed") (this.seen.get(event.callId) as Seen).hookFailed = true;
    if (event.type === "call-progress" && this.seen.get(event.callId)?.settled !== undefined)
      this.fail(`8: progress of ${event.callId} after its end`);
    if (event.type === "call-changed" && this.#dice.chance(0.01))
      this.#interfere(this.#dice.pick(["stop", "rules", "message"]));
  }
}

function neverAnswers(seen: Seen, signal: AbortSignal): Promise<never> {
  seen.unanswered.push(signal);
  return new Promise(() => {});
}

/** What a call touches in this folder. */
function touchesOf({ place, writes, to }: Input, cwd: string): Touch[] {
  const isRelative = !place.includes(":");
  return [
    { place: isRelative ? `kv:${cwd}/${place}` : place, writes },
    ...(to !== undefined || isRelative ? [{ place: "context:/cwd", writes: to !== undefined }] : []),
  ];
}

const UNREADABLE = new Proxy(
  {},
  {
    get() {
      throw new Error("unreadable");
    },
  },
);

function macrotask(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
