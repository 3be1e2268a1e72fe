/** Hooks, permissions and prompts become one verdict. No verdict means not run (promise 3). */

import type { Call } from "../core/call.ts";
import { type Cancellation, LinkedCancellation } from "./cancellation.ts";
import { Blocked, type CheckPorts, Refused, checkCall } from "./check.ts";
import { withLimit } from "./clock.ts";
import type { AskJudgement, Change, Judgement } from "../core/event.ts";
import {
  type HookAnswer,
  NO_DECISION,
  checkedAnswer,
  deferredBy,
  reasonOf,
  wantsQuestion,
} from "./hook-answer.ts";
import { JudgedCall, isSameInput } from "./judged-call.ts";
import { denied, invalid, noVerdict, unanswered, words } from "./judgements.ts";
import { USER } from "../core/outcome.ts";
import type { Notifier } from "./notifier.ts";
import type { Places } from "./places.ts";
import type { Answer, CanUseTool, HookCall, Hooks, JudgeContext, Verdict } from "./ports.ts";
import { type PromptLine, Withdrawn } from "./prompts.ts";
import { messageOf, toText } from "./serialise.ts";
import type { Input, TakenCall } from "./taken-call.ts";
import { isThenable } from "./thenable.ts";
import type { Toolbox, Validated } from "./toolbox.ts";

/** A hook that takes longer than this makes no decision. */
export const HOOK_LIMIT_MS = 600_000;

const NOT_KEPT = "The question cannot be answered later, because nothing keeps it.";
const ALLOW: Judgement = { behavior: "allow" };

export interface JudgePorts extends CheckPorts {
  readonly toolbox: Toolbox;
  readonly canUseTool: CanUseTool | undefined;
  readonly prompts: PromptLine | undefined;
  /** The answers to questions that were deferred, by call. */
  readonly answers: ReadonlyMap<string, Answer> | undefined;
  /** Whether somebody can continue the turn when an answer comes later. */
  readonly canDefer: boolean;
  readonly hooks: Hooks;
  readonly places: Places;
  readonly notifier: Notifier;
}

/** The question stays open, and the answer comes later, perhaps in another executor. */
export interface Deferral {
  readonly behavior: "defer";
  readonly reason: string;
  /** What the question is about, if it can be recorded. */
  readonly input?: Input;
}

export class Judge {
  readonly #ports: JudgePorts;
  /** The calls that were judged and are not settled. */
  readonly #judged = new Map<string, JudgedCall>();

  constructor(ports: JudgePorts) {
    this.#ports = ports;
  }

  /** Whether a PreToolUse hook matches this call. It is then judged when it is free to start. */
  isHooked(taken: TakenCall): boolean {
    const { hooks } = this.#ports;
    if (hooks.preToolUse === undefined) return false;
    try {
      // Any truthy value counts, such as a regular expression match or the promise of an async function.
      const answer: unknown =
        hooks.matches === undefined || hooks.matches(this.#hookCall(taken, taken.input, undefined));
      return Boolean(answer);
    } catch (error) {
      this.#ports.notifier.hookFailed(taken, "matches", error);
      return true;
    }
  }

  /** Whether a call needs no verdict: there are no rules and no hooks, and its input is known. */
  isFree({ validation }: TakenCall): boolean {
    const { canUseTool, hooks } = this.#ports;
    return canUseTool === undefined && hooks.preToolUse === undefined && validation === undefined;
  }

  /** Returns the input that a call would run with now. */
  inputOf({ id, input }: TakenCall): Input {
    return this.#judged.get(id)?.input ?? input;
  }

  /** The input of a call, if it is not the model's. */
  changeOf(taken: TakenCall): { readonly input?: unknown } {
    const input = this.inputOf(taken);
    return input === taken.input ? {} : { input };
  }

  /** Neither the pending verdict on this call nor its open question is needed. */
  withdraw(id: string): void {
    this.#judged.get(id)?.withdraw();
  }

  /** The call is settled. */
  end(id: string): void {
    this.#judged.get(id)?.end();
    this.#judged.delete(id);
  }

  #judgedCall(taken: TakenCall, call: Call): JudgedCall {
    const known = this.#judged.get(taken.id);
    if (known !== undefined) return known;
    const judged = new JudgedCall(taken, call);
    this.#judged.set(taken.id, judged);
    return judged;
  }

  /**
   * Returns the verdict under the current rules. Hooks and the schema run only the first time. Undefined if the verdict
   * is no longer needed.
   */
  judge(taken: TakenCall, call: Call): Judgement | undefined | Promise<Judgement | undefined> {
    const judged = this.#judgedCall(taken, call);
    const judging = judged.startJudging();
    const { epoch } = call;
    const isLater = taken.validation !== undefined || call.hooked;
    const judgement = isLater
      ? this.#judgeLater(judged, judging)
      : this.#applyRules(judged, { about: judged.askedAbout, said: undefined, judging });
    if (!(judgement instanceof Promise)) return judged.endJudging(judging, epoch, judgement);
    return judgement.then((known) => judged.endJudging(judging, epoch, known));
  }

  async #judgeLater(judged: JudgedCall, judging: Cancellation): Promise<Judgement | undefined> {
    const { validation } = judged.taken;
    let about = judged.askedAbout;
    if (validation !== undefined) {
      const validated = await judged.validated(() => validation.then((later) => number(judged, later)));
      if (typeof validated === "object") return validated;
      about = Math.max(about, validated);
    }
    if (judging.isCancelled) return undefined;
    if (!judged.call.hooked) return this.#applyRules(judged, { about, said: undefined, judging });
    const said = await judged.hookAnswer(() => this.#askHooks(judged, about, judging));
    if (judging.isCancelled) return undefined;
    if (said.decision === "deny") return denied("a hook", said.reason, said.endTurn);
    if (typeof said.input === "object") return said.input;
    return this.#applyRules(judged, { about: Math.max(about, said.input ?? 0), said, judging });
  }

  async #askHooks(judged: JudgedCall, about: number, judging: Cancellation): Promise<HookAnswer> {
    const { hooks, clock, toolbox } = this.#ports;
    const { taken, call } = judged;
    const asking = new LinkedCancellation(() => judging.signal);
    try {
      const answering = hooks.preToolUse?.(this.#hookCall(taken, judged.inputAt(about), { call, asking }));
      const said = checkedAnswer(await withLimit(judged.timers(clock), HOOK_LIMIT_MS, answering));
      if (said.input === undefined || said.decision === "deny") return { ...said, input: undefined };
      return { ...said, input: number(judged, await toolbox.validate(taken.tool, said.input)) };
    } catch (error) {
      asking.cancel(error);
      this.#ports.notifier.hookFailed(taken, "preToolUse", error);
      return NO_DECISION;
    }
  }

  #applyRules(judged: JudgedCall, asked: Asked): Judgement | Promise<Judgement> {
    const { canUseTool } = this.#ports;
    if (canUseTool === undefined) return this.#permit(judged, asked);
    const settle = (verdict: Verdict): Judgement | Promise<Judgement> =>
      this.#toJudgement(judged, verdict, asked);
    try {
      const input = judged.inputAt(asked.about);
      const verdict = canUseTool(judged.taken.tool, input, this.#judgeContext(judged.call, asked));
      if (isThenable(verdict)) return Promise.resolve(verdict).then(settle).catch(noVerdict);
      const judgement = settle(verdict);
      return judgement instanceof Promise ? judgement.catch(noVerdict) : judgement;
    } catch (error) {
      return noVerdict(error);
    }
  }

  #toJudgement(judged: JudgedCall, verdict: Verdict, asked: Asked): Judgement | Promise<Judgement> {
    const { about, said } = asked;
    switch (verdict?.behavior) {
      case "deny":
        return denied("permissions", words(verdict.reason), verdict.endTurn === true);
      case "ask":
        // If the rules give no reason, the hook's reason is used.
        return this.#ask(judged, about, {
          reason: verdict.reason === undefined ? reasonOf(said) : words(verdict.reason),
          ...(verdict.check === false ? { isCheckable: false } : {}),
          ...deferredBy(said),
        });
      case "allow":
        if (verdict.input === undefined) rejectUpdatedInput(verdict);
        if (verdict.input === undefined || isSameInput(verdict.input, judged.inputAt(about)))
          return this.#permit(judged, asked);
        return this.#permitChanged(judged, verdict.input, asked);
      default:
        return noVerdict(new Error(`it returned ${given(verdict)}. Return { behavior: "allow" } or "deny"`));
    }
  }

  /** The rules allow the call, but a hook can still request a question. */
  #permit(judged: JudgedCall, { about, said }: Pick<Asked, "about" | "said">): Judgement {
    if (wantsQuestion(said))
      return this.#ask(judged, about, { reason: said?.reason ?? "", ...deferredBy(said) });
    const change = this.#changeTo(judged, about);
    return change === undefined ? ALLOW : { behavior: "allow", change };
  }

  #ask(judged: JudgedCall, about: number, why: Omit<AskJudgement, "behavior" | "change">): Judgement {
    const change = this.#changeTo(judged, about);
    return { behavior: "ask", ...why, ...(change === undefined ? {} : { change }) };
  }

  /** The rules changed the input, so it is validated again. */
  #permitChanged(judged: JudgedCall, input: unknown, asked: Asked): Judgement | Promise<Judgement> {
    const { about: changedFrom, said } = asked;
    const permit = (validated: Validated): Judgement => {
      const about = number(judged, validated, changedFrom);
      return typeof about === "object" ? about : this.#permit(judged, { about, said });
    };
    const validated = this.#ports.toolbox.validate(judged.taken.tool, input);
    return validated instanceof Promise ? validated.then(permit) : permit(validated);
  }

  /** If the input changes, the new claims are part of the verdict. */
  #changeTo(judged: JudgedCall, input: number): Change | undefined {
    const { taken, call } = judged;
    if (input === call.input) return undefined;
    const context = this.#ports.contextOf(call);
    const value = judged.inputAt(input);
    const access = this.#ports.places.accessOf(taken.tool, value, context);
    // Only `reconcile` needs the input itself, and the model's own is known to the caller.
    return taken.tool.reconcile !== undefined && isPlain(value)
      ? { input, access, value }
      : { input, access };
  }

  /** Asks the user. Returns undefined if the question was withdrawn before there was an answer. */
  async ask(taken: TakenCall, call: Call): Promise<Judgement | Deferral | undefined> {
    const { prompts, answers, canDefer } = this.#ports;
    const judged = this.#judgedCall(taken, call);
    const known = answers?.get(taken.id);
    if (known === undefined && judged.asked.isDeferred === true && canDefer) return deferral(judged);
    if (known === undefined && prompts === undefined) return unanswered(taken.tool.name, judged.asked.reason);
    const signal = judged.startAsking();
    try {
      const answer = known ?? (await this.#answerOf(judged, signal, prompts as PromptLine));
      if (answer?.behavior !== "defer") return await this.#toAnswer(judged, answer);
      return canDefer ? deferral(judged) : unanswered(taken.tool.name, NOT_KEPT);
    } catch (error) {
      if (error instanceof Refused) return { behavior: "deny", outcome: error.outcome, endTurn: undefined };
      // A dialog that was closed can return anything.
      if (error instanceof Withdrawn || signal.aborted) return undefined;
      return denied("the permission prompt", `It failed, so there is no verdict: ${messageOf(error)}`, false);
    } finally {
      judged.endAsking(signal);
    }
  }

  /** A tool's `check` runs before the user is asked, and after earlier conflicting calls have ended. */
  async #answerOf(judged: JudgedCall, signal: AbortSignal, prompts: PromptLine): Promise<Answer> {
    const { checks } = this.#ports;
    const { taken, call } = judged;
    const { id: callId, tool } = taken;
    for (;;) {
      const waiting = tool.check === undefined ? undefined : checks.wait(judged, signal);
      // If no call has to be waited for, the question is queued at once, so that questions stay in order.
      if (waiting !== undefined) await waiting;
      if (waiting !== undefined && checks.isOutdated(call)) throw new Withdrawn();
      const { input, asked } = judged;
      const question = {
        callId,
        tool,
        input,
        context: this.#ports.contextOf(call),
        reason: asked.reason,
        waiting: 0,
        signal,
      };
      try {
        return await prompts.ask(question, {
          about: judged,
          isOutdated: () => checks.isOutdated(call),
          before: tool.check === undefined ? undefined : () => checkCall(judged, signal, this.#ports),
        });
      } catch (error) {
        if (!(error instanceof Blocked)) throw error;
      }
    }
  }

  async #toAnswer(judged: JudgedCall, answer: Exclude<Answer, { behavior: "defer" }>): Promise<Judgement> {
    const { tool } = judged.taken;
    if (answer?.behavior === "deny") {
      const message = words(answer.message);
      if (answer.isUnanswered === true) return unanswered(tool.name, message);
      return denied(answer.by ?? USER, message, answer.endTurn ?? message === "");
    }
    if (answer?.behavior !== "allow")
      throw new Error(`it returned ${given(answer)}. Return { behavior: "allow" } or "deny"`);
    if (answer.input === undefined) rejectUpdatedInput(answer);
    if (answer.input === undefined || isSameInput(answer.input, judged.input)) return ALLOW;
    const changed = number(judged, await this.#ports.toolbox.validate(tool, answer.input));
    if (typeof changed === "object") return changed;
    const change = this.#changeTo(judged, changed);
    return change === undefined ? ALLOW : { behavior: "allow", change };
  }

  /** Before a call has arrived in the core, nothing can cancel the request. */
  #hookCall({ id: callId, tool }: TakenCall, input: Input, pending: Pending | undefined): HookCall {
    return {
      callId,
      tool,
      input,
      context: this.#ports.contextOf(pending?.call),
      get signal() {
        return pending?.asking.signal ?? NEVER_ABORTED;
      },
    };
  }

  #judgeContext(call: Call, { said, judging }: Asked): JudgeContext {
    const { decision } = said ?? NO_DECISION;
    return {
      callId: call.id,
      hookDecision: decision === "deny" ? undefined : decision === "defer" ? "ask" : decision,
      context: this.#ports.contextOf(call),
      get signal() {
        return judging.signal;
      },
    };
  }
}

function deferral({ asked: { reason }, input }: JudgedCall): Deferral {
  return { behavior: "defer", reason, ...(isPlain(input) ? { input } : {}) };
}

/** Whether the journal can record it. */
function isPlain(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}

/** A request for a verdict of the rules: the number of the input, and what the hooks decided before. */
interface Asked {
  readonly about: number;
  readonly said: HookAnswer | undefined;
  readonly judging: Cancellation;
}

interface Pending {
  readonly call: Call;
  readonly asking: Cancellation;
}

const NEVER_ABORTED = new AbortController().signal;

/** Returns the number of a changed input, or what is wrong with it. */
function number(judged: JudgedCall, validated: Validated, changedFrom?: number): number | Judgement {
  return validated.ok ? judged.propose(validated.input, changedFrom) : invalid(validated.message);
}

/** What the Claude Agent SDK calls `input`. Ignored, the call would run with the input that was replaced. */
function rejectUpdatedInput(verdict: object): void {
  if ("updatedInput" in verdict && verdict.updatedInput !== undefined)
    throw new TypeError('rename "updatedInput" to "input"');
}

function given(value: unknown): string {
  return typeof value === "string"
    ? JSON.stringify(value)
    : value === undefined
      ? "undefined"
      : toText(value);
}
