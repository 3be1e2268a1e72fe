/** Those who judge the calls of a simulated world: its hooks, its rules and a person. */

import type { Answer, JudgeContext, PreToolUse, Question, Verdict } from "../../src/runtime/ports.ts";
import { type CallPlan, needsPerson } from "./plan.ts";
import { type CallRecord, type Input, keyOf } from "./record.ts";
import type { World } from "./world.ts";
import type { ToolPorts } from "./world-tools.ts";

export class WorldJudges {
  readonly #world: World;
  readonly #defer: ToolPorts["defer"];

  constructor(world: World, defer: ToolPorts["defer"]) {
    this.#world = world;
    this.#defer = defer;
  }

  hook(input: Input): Promise<PreToolUse | undefined> {
    const record = this.#world.records.get(input.id) as CallRecord;
    record.hookAsked = true;
    return this.#defer("hook", () => {
      const { hook, hookNonsense } = record.plan;
      this.#world.interfereBy(record.plan, "hook");
      if (hookNonsense) return this.#world.random.pick([5, "deny", { decision: "maybe" }]) as never;
      if (hook !== "silent") this.#world.count(`hook: ${hook}`);
      if (hook === "throw") throw new Error("the hook failed");
      if (hook === "change") return { input: changed(record.plan, input) };
      return hook === "silent" || hook === "none" ? undefined : { decision: hook, reason: "so it is" };
    });
  }

  /** Called once for every end, whatever it answers. */
  postHook(input: Input): unknown {
    const { postHook } = this.#world.planOf(input);
    if (postHook === "never") return new Promise(() => {});
    if (postHook === "silent") return undefined;
    this.#world.count("post hook: nonsense");
    return this.#world.random.pick<unknown>([
      5,
      { addition: 5 },
      { content: {} },
      { content: [{ type: "text" }] },
    ]);
  }

  rule(input: Input, { hookDecision, context }: JudgeContext): Verdict | Promise<Verdict> {
    const { plan, judged } = this.#world.records.get(input.id) as CallRecord;
    const decide = (): Verdict => {
      const changes = plan.rule === "change" && !(plan.allowedLater && this.#world.rulesVersion > 0);
      const asked = changes ? changed(plan, input) : input;
      judged.add(keyOf(asked, context.cwd));
      if (plan.rule === "throw") {
        this.#world.count("rule: throw");
        throw new Error("the rules failed");
      }
      if (plan.rule === "deny" || plan.rule === "deny-end") this.#world.count("rule: deny");
      if (plan.rule === "deny" || (this.#world.rulesVersion > 0 && plan.deniedLater))
        return { behavior: "deny", reason: "a rule" };
      if (plan.rule === "deny-end") return { behavior: "deny", reason: "no more", endTurn: true };
      if (changes) return { behavior: "allow", input: asked };
      return needsPerson(plan, this.#world.rulesVersion) && hookDecision !== "allow"
        ? { behavior: "ask" }
        : { behavior: "allow" };
    };
    return this.#world.random.chance(0.5) ? decide() : this.#defer("rule", decide);
  }

  ask({ callId, signal, input, context }: Question): Promise<Answer> {
    this.#world.count("asked");
    (this.#world.records.get(callId) as CallRecord).isDeferred = false;
    if (++this.#world.openQuestions > 1) this.#world.fail("7", "two questions are open");
    let isOpen = true;
    const close = (): void => {
      if (isOpen) this.#world.openQuestions--;
      isOpen = false;
    };
    signal.addEventListener("abort", close, { once: true });
    return this.#defer("answer", () => {
      const isWanted = isOpen;
      close();
      const record = this.#world.records.get(callId) as CallRecord;
      const { answer, defers } = record.plan;
      if (defers) {
        // The answer to a question that was withdrawn says nothing about the next one.
        if (isWanted) record.isDeferred = true;
        this.#world.count("answer: later");
        return { behavior: "defer" };
      }
      if (isWanted && answer.startsWith("no")) record.refused = true;
      if (isWanted) this.#world.count(`answer: ${answer}`);
      if (answer === "throw") throw new Error("the dialog failed");
      if (answer === "no") return { behavior: "deny" };
      if (answer === "no-with-words") return { behavior: "deny", message: "not like this" };
      const about = answer === "change" ? changed(record.plan, input as Input) : (input as Input);
      if (isWanted) record.approved = keyOf(about, context.cwd);
      return answer === "allow" ? { behavior: "allow" } : { behavior: "allow", input: about };
    });
  }
}

/** The input that a hook, a rule or a person gives the call. */
function changed(plan: CallPlan, input: Input): Input {
  return { ...input, claims: plan.changedClaims, readOnly: plan.changesToReadOnly };
}
