/** Hooks, permissions and prompts become one verdict. No verdict means not run (promise 3). */

import type { Access } from "./call.ts";
import type { Judgement } from "./event.ts";
import type { LiveCall } from "./live-call.ts";
import type { Outcome } from "./outcome.ts";
import type { Answer, CanUseTool, HookCall, Hooks, JudgeContext, PreToolUse, Verdict } from "./ports.ts";
import type { PromptLine } from "./prompts.ts";
import { errorText, messageOf } from "./serialise.ts";
import { isThenable } from "./thenable.ts";
import type { CheckContext, SharedContext } from "./tool.ts";
import { type Toolbox, accessOf } from "./toolbox.ts";
import { type Clock, withLimit } from "./clock.ts";

/** A hook that says nothing for so long gives no decision. */
export const HOOK_LIMIT_MS = 600_000;
/** A check that takes longer than this does not hold up the question. */
const CHECK_LIMIT_MS = 10_000;

const ALLOW: Judgement = { behavior: "allow" };

export interface JudgePorts {
  readonly toolbox: Toolbox;
  readonly canUseTool: CanUseTool | undefined;
  readonly prompts: PromptLine | undefined;
  readonly hooks: Hooks;
  readonly clock: Clock;
  contextOf(live: LiveCall): SharedContext;
  resolve(access: Access): Access;
  /** Counts the changes of rules and modes. */
  readonly version: () => number;
  hookFailed(live: LiveCall, hook: string, error: unknown): void;
}

export class Judge {
  readonly #ports: JudgePorts;

  constructor(ports: JudgePorts) {
    this.#ports = ports;
  }

  /** Whether a PreToolUse hook wants to see this call: then it is judged when it is free to start. */
  isHooked(live: LiveCall): boolean {
    const { hooks } = this.#ports;
    if (hooks.preToolUse === undefined) return false;
    try {
      return hooks.matches === undefined || hooks.matches(this.#hookCall(live));
    } catch (error) {
      this.#ports.hookFailed(live, "matches", error);
      return true;
    }
  }

  /** Whether nothing can be said against a call: no rules, no hooks, and its input is known. */
  isFree(live: LiveCall): boolean {
    const { canUseTool, hooks } = this.#ports;
    return canUseTool === undefined && hooks.preToolUse === undefined && live.validation === undefined;
  }

  judge(live: LiveCall): Judgement | Promise<Judgement> {
    const { canUseTool, hooks } = this.#ports;
    const simple =
      live.validation === undefined &&
      (live.hooksDone || hooks.preToolUse === undefined || live.call?.hooked === false);
    if (simple && canUseTool === undefined) return permitted(live);
    if (simple) return this.#applyRules(live);
    return this.#judgeLater(live);
  }

  async #judgeLater(live: LiveCall): Promise<Judgement> {
    if (live.validation !== undefined) {
      const validated = await live.validation;
      live.validation = undefined;
      if (!validated.ok) return invalid(validated.message);
      this.#takeInput(live, validated.input);
    }
    if (live.call?.hooked === true && !live.hooksDone) {
      live.hooksDone = true;
      const said = await this.#askHooks(live);
      if (said?.decision === "deny") return denied("a hook", said.reason ?? "", said.endTurn === true);
      live.hookDecision = said?.decision;
      if (said?.decision === "ask") live.askReason = said.reason ?? "";
      const refusal = said?.input === undefined ? undefined : await this.#changeInput(live, said.input);
      if (refusal !== undefined) return refusal;
    }
    return this.#applyRules(live);
  }

  async #askHooks(live: LiveCall): Promise<PreToolUse | undefined> {
    const { hooks, clock } = this.#ports;
    try {
      const said = hooks.preToolUse?.(this.#hookCall(live));
      return (await withLimit(clock, HOOK_LIMIT_MS, said)) ?? undefined;
    } catch (error) {
      this.#ports.hookFailed(live, "preToolUse", error);
      return undefined;
    }
  }

  /** Rules and modes that change while they are being asked are asked again. */
  #applyRules(live: LiveCall): Judgement | Promise<Judgement> {
    const { canUseTool, version } = this.#ports;
    if (canUseTool === undefined) return permitted(live);
    const asked = version();
    const settle = (verdict: Verdict): Judgement | Promise<Judgement> => this.#toJudgement(live, verdict);
    const ifStillSo = (judgement: Judgement): Judgement | Promise<Judgement> =>
      version() === asked ? judgement : this.#applyRules(live);
    try {
      const verdict = canUseTool(live.tool, live.input, this.#judgeContext(live));
      const judgement = isThenable(verdict)
        ? Promise.resolve(verdict).then(settle).catch(noVerdict)
        : settle(verdict);
      return judgement instanceof Promise ? judgement.then(ifStillSo) : judgement;
    } catch (error) {
      return noVerdict(error);
    }
  }

  #toJudgement(live: LiveCall, verdict: Verdict): Judgement | Promise<Judgement> {
    switch (verdict?.behavior) {
      case "deny":
        return denied("permissions", verdict.reason ?? "", verdict.endTurn === true);
      case "ask":
        // Where the rules say nothing, what a hook said.
        live.askReason = verdict.reason ?? live.askReason;
        live.isCheckable = verdict.check !== false;
        return judgementOf("ask", live);
      case "allow":
        live.isCheckable = true;
        if (verdict.input === undefined || verdict.input === live.input) return permitted(live);
        return this.#changeInput(live, verdict.input).then((refusal) => refusal ?? permitted(live));
      default:
        return noVerdict(new Error("it gave no verdict"));
    }
  }

  /** Asks a person. Called for one question at a time by way of the line. */
  async ask(live: LiveCall): Promise<Judgement> {
    const { prompts } = this.#ports;
    if (prompts === undefined) return denied("permissions", nobodyToAsk(live.askReason), false);
    const { id: callId, tool, input, askReason: reason, judgingSignal: signal } = live;
    try {
      const context = this.#ports.contextOf(live);
      const question = { callId, tool, input, context, reason, waiting: 0, signal };
      const before = tool.check === undefined ? undefined : () => this.#check(live);
      return await this.#toAnswer(live, await prompts.ask(question, before));
    } catch (error) {
      if (error instanceof Refused) return error.judgement;
      return denied("the permission prompt", `It failed, so there is no verdict: ${messageOf(error)}`, false);
    }
  }

  /** Throws `Refused` if the call cannot succeed. */
  async #check(live: LiveCall): Promise<void> {
    if (!mayCheck(live)) return;
    const { id: callId, tool, input, judgingSignal: signal } = live;
    const context = this.#ports.contextOf(live);
    const changes: ((context: SharedContext) => SharedContext)[] = [];
    const change: CheckContext["change"] = (modify) => void changes.push(modify);
    const checking = Promise.resolve({ callId, signal, cwd: context.cwd, context, change })
      .then((given) => tool.check?.(input, given))
      .then(
        () => undefined,
        (error: unknown) => ({ message: errorText(error) }),
      );
    const failure = await withLimit(this.#ports.clock, CHECK_LIMIT_MS, checking).catch(() => undefined);
    if (failure === undefined || signal.aborted || !mayCheck(live)) return;
    if (changes.length > 0) live.changes = changes;
    throw new Refused(deniedWith({ type: "failed", fault: "exception", message: failure.message }));
  }

  async #toAnswer(live: LiveCall, answer: Answer): Promise<Judgement> {
    if (answer?.behavior === "deny") {
      const words = answer.message ?? "";
      return denied("the person", words, answer.endTurn ?? words === "");
    }
    if (answer?.behavior !== "allow") throw new Error("it gave no answer");
    const refusal = answer.input === undefined ? undefined : await this.#changeInput(live, answer.input);
    return refusal ?? judgementOf("allow", live);
  }

  /** Changed input is validated like any other, and changes what the call touches. */
  async #changeInput(live: LiveCall, input: unknown): Promise<Judgement | undefined> {
    const { judgingSignal } = live;
    const validated = await this.#ports.toolbox.validate(live.tool, input);
    if (!validated.ok) return invalid(validated.message);
    // A judgement that is no longer wanted must not change what another one has permitted.
    if (!judgingSignal.aborted) this.#takeInput(live, validated.input);
    return undefined;
  }

  #takeInput(live: LiveCall, input: Record<string, unknown>): void {
    live.input = input;
    live.changedAccess = this.#ports.resolve(accessOf(live.tool, input, this.#ports.contextOf(live)));
  }

  #hookCall(live: LiveCall): HookCall {
    const { id: callId, tool, input, judgingSignal: signal } = live;
    return { callId, tool, input, context: this.#ports.contextOf(live), signal };
  }

  #judgeContext(live: LiveCall): JudgeContext {
    const { id: callId, hookDecision } = live;
    return {
      callId,
      hookDecision,
      context: this.#ports.contextOf(live),
      get signal() {
        return live.judgingSignal;
      },
    };
  }
}

/** A check found that the call cannot succeed, so that its question need not be asked. */
class Refused extends Error {
  readonly judgement: Judgement;

  constructor(judgement: Judgement) {
    super("The check refused the call.");
    this.judgement = judgement;
  }
}

/** Until earlier conflicting calls have settled, a check would see the world as it was before them. */
function mayCheck({ tool, isCheckable, call }: LiveCall): boolean {
  return tool.check !== undefined && isCheckable && call?.blocked === 0;
}

/** Nothing is against it; a hook may still want a person to be asked. */
function permitted(live: LiveCall): Judgement {
  return judgementOf(live.hookDecision === "ask" ? "ask" : "allow", live);
}

/** What the call touches goes with every verdict once its input has changed. */
function judgementOf(behavior: "allow" | "ask", { changedAccess: access }: LiveCall): Judgement {
  if (access !== undefined) return { behavior, access };
  return behavior === "allow" ? ALLOW : { behavior };
}

function denied(by: string, reason: string, endTurn: boolean): Judgement {
  const outcome: Outcome = { type: "denied", by, reason };
  return { behavior: "deny", outcome, endTurn: endTurn ? `${by} ended the turn` : undefined };
}

function invalid(message: string): Judgement {
  return deniedWith({ type: "failed", fault: "invalid-input", message });
}

function deniedWith(outcome: Outcome): Judgement {
  return { behavior: "deny", outcome, endTurn: undefined };
}

function noVerdict(error: unknown): Judgement {
  return denied("permissions", `canUseTool failed, so there is no verdict: ${messageOf(error)}`, false);
}

function nobodyToAsk(reason: string): string {
  return `This needs a person's permission, and there is nobody to ask. ${reason}`.trimEnd();
}
