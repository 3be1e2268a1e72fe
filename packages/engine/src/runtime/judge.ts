/** Hooks, permissions and prompts become one verdict. No verdict means not run (promise 3). */

import type { Cancellation } from "./cancellation.ts";
import { Blocked, type CheckPorts, Refused, checkCall } from "./check.ts";
import { withLimit } from "./clock.ts";
import type { Change, Judgement } from "../core/event.ts";
import { type AskJudgement, type HookAnswer, type LiveCall, isSameInput } from "./live-call.ts";
import { NOBODY, type Outcome, USER } from "../core/outcome.ts";
import type { Places } from "./places.ts";
import type { Answer, CanUseTool, HookCall, Hooks, JudgeContext, Verdict } from "./ports.ts";
import { type PromptLine, Withdrawn } from "./prompts.ts";
import { messageOf, notAnObject, toText } from "./serialise.ts";
import { rejectUnknown } from "./shapes.ts";
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
  hookFailed(live: LiveCall, hook: string, error: unknown): void;
}

export class Judge {
  readonly #ports: JudgePorts;

  constructor(ports: JudgePorts) {
    this.#ports = ports;
  }

  /** Whether a PreToolUse hook matches this call. It is then judged when it is free to start. */
  isHooked(live: LiveCall): boolean {
    const { hooks } = this.#ports;
    if (hooks.preToolUse === undefined) return false;
    try {
      // Any truthy value counts, such as a regular expression match or the promise of an async function.
      const answer: unknown = hooks.matches === undefined || hooks.matches(this.#hookCall(live, 0));
      return Boolean(answer);
    } catch (error) {
      this.#ports.hookFailed(live, "matches", error);
      return true;
    }
  }

  /** Whether a call needs no verdict: there are no rules and no hooks, and its input is known. */
  isFree(live: LiveCall): boolean {
    const { canUseTool, hooks } = this.#ports;
    return canUseTool === undefined && hooks.preToolUse === undefined && live.validation === undefined;
  }

  /**
   * Returns the verdict under the current rules. Hooks and the schema run only the first time. Undefined if the verdict
   * is no longer needed.
   */
  judge(live: LiveCall): Judgement | Promise<Judgement | undefined> {
    if (live.validation !== undefined || live.call?.hooked === true) return this.#judgeLater(live);
    return this.#applyRules(live, live.askedAbout, undefined);
  }

  async #judgeLater(live: LiveCall): Promise<Judgement | undefined> {
    const { judging } = live;
    let about = live.askedAbout;
    if (live.validation !== undefined) {
      const validated = await (live.validated ??= live.validation.then((later) => number(live, later)));
      if (typeof validated === "object") return validated;
      about = Math.max(about, validated);
    }
    if (isVoid(judging)) return undefined;
    if (live.call?.hooked !== true) return this.#applyRules(live, about, undefined);
    const said = await (live.hookAnswer ??= this.#askHooks(live, about));
    if (isVoid(judging)) return undefined;
    if (said.decision === "deny") return denied("a hook", said.reason, said.endTurn);
    if (typeof said.input === "object") return said.input;
    return this.#applyRules(live, Math.max(about, said.input ?? 0), said);
  }

  async #askHooks(live: LiveCall, about: number): Promise<HookAnswer> {
    const { hooks, clock, toolbox } = this.#ports;
    try {
      const answering = hooks.preToolUse?.(this.#hookCall(live, about));
      const said = checkedAnswer(await withLimit(live.timers(clock), HOOK_LIMIT_MS, answering));
      if (said.input === undefined || said.decision === "deny") return { ...said, input: undefined };
      return { ...said, input: number(live, await toolbox.validate(live.tool, said.input)) };
    } catch (error) {
      this.#ports.hookFailed(live, "preToolUse", error);
      return NO_DECISION;
    }
  }

  #applyRules(live: LiveCall, about: number, said: HookAnswer | undefined): Judgement | Promise<Judgement> {
    const { canUseTool } = this.#ports;
    if (canUseTool === undefined) return this.#permit(live, about, said);
    const settle = (verdict: Verdict): Judgement | Promise<Judgement> =>
      this.#toJudgement(live, verdict, { about, said });
    try {
      const verdict = canUseTool(live.tool, live.inputAt(about), this.#judgeContext(live, said));
      if (isThenable(verdict)) return Promise.resolve(verdict).then(settle).catch(noVerdict);
      const judgement = settle(verdict);
      return judgement instanceof Promise ? judgement.catch(noVerdict) : judgement;
    } catch (error) {
      return noVerdict(error);
    }
  }

  #toJudgement(live: LiveCall, verdict: Verdict, { about, said }: Asked): Judgement | Promise<Judgement> {
    switch (verdict?.behavior) {
      case "deny":
        return denied("permissions", words(verdict.reason), verdict.endTurn === true);
      case "ask":
        // If the rules give no reason, the hook's reason is used.
        return this.#ask(live, about, {
          reason: verdict.reason === undefined ? reasonOf(said) : words(verdict.reason),
          ...(verdict.check === false ? { isCheckable: false } : {}),
          ...deferredBy(said),
        });
      case "allow":
        if (verdict.input === undefined) rejectUpdatedInput(verdict);
        if (verdict.input === undefined || isSameInput(verdict.input, live.inputAt(about)))
          return this.#permit(live, about, said);
        return this.#permitChanged(live, verdict.input, { about, said });
      default:
        return noVerdict(new Error(`it returned ${given(verdict)}. Return { behavior: "allow" } or "deny"`));
    }
  }

  /** The rules allow the call, but a hook can still request a question. */
  #permit(live: LiveCall, about: number, said: HookAnswer | undefined): Judgement {
    if (wantsQuestion(said))
      return this.#ask(live, about, { reason: said?.reason ?? "", ...deferredBy(said) });
    const change = this.#changeTo(live, about);
    return change === undefined ? ALLOW : { behavior: "allow", change };
  }

  #ask(live: LiveCall, about: number, why: Omit<AskJudgement, "behavior" | "change">): Judgement {
    const change = this.#changeTo(live, about);
    return { behavior: "ask", ...why, ...(change === undefined ? {} : { change }) };
  }

  /** The rules changed the input, so it is validated again. */
  #permitChanged(live: LiveCall, input: unknown, { about, said }: Asked): Judgement | Promise<Judgement> {
    const permit = (validated: Validated): Judgement => {
      const changed = number(live, validated, about);
      return typeof changed === "object" ? changed : this.#permit(live, changed, said);
    };
    const validated = this.#ports.toolbox.validate(live.tool, input);
    return validated instanceof Promise ? validated.then(permit) : permit(validated);
  }

  /** If the input changes, the new claims are part of the verdict. */
  #changeTo(live: LiveCall, input: number): Change | undefined {
    if (input === (live.call?.input ?? 0)) return undefined;
    const context = this.#ports.contextOf(live);
    const value = live.inputAt(input);
    const access = this.#ports.places.accessOf(live.tool, value, context);
    // Only `reconcile` needs the input itself, and the model's own is known to the caller.
    return live.tool.reconcile !== undefined && isPlain(value) ? { input, access, value } : { input, access };
  }

  /** Asks the user. Returns undefined if the question was withdrawn before there was an answer. */
  async ask(live: LiveCall): Promise<Judgement | "deferred" | undefined> {
    const { prompts, answers, canDefer } = this.#ports;
    const known = answers?.get(live.id);
    if (known === undefined && live.asked?.isDeferred === true && canDefer) return "deferred";
    if (known === undefined && prompts === undefined)
      return unanswered(live.tool.name, live.asked?.reason ?? "");
    const signal = live.question?.signal as AbortSignal;
    try {
      const answer = known ?? (await this.#answerOf(live, signal, prompts as PromptLine));
      if (answer?.behavior !== "defer") return await this.#toAnswer(live, answer);
      return canDefer ? "deferred" : unanswered(live.tool.name, NOT_KEPT);
    } catch (error) {
      if (error instanceof Refused) return { behavior: "deny", outcome: error.outcome, endTurn: undefined };
      // A dialog that was closed can return anything.
      if (error instanceof Withdrawn || signal.aborted) return undefined;
      return denied("the permission prompt", `It failed, so there is no verdict: ${messageOf(error)}`, false);
    }
  }

  /** A tool's `check` runs before the user is asked, and after earlier conflicting calls have ended. */
  async #answerOf(live: LiveCall, signal: AbortSignal, prompts: PromptLine): Promise<Answer> {
    const { checks } = this.#ports;
    const { id: callId, tool } = live;
    for (;;) {
      const waiting = tool.check === undefined ? undefined : checks.wait(live, signal);
      // If no call has to be waited for, the question is queued at once, so that questions stay in order.
      if (waiting !== undefined) await waiting;
      if (waiting !== undefined && checks.isOutdated(live)) throw new Withdrawn();
      const { input, asked } = live;
      const question = {
        callId,
        tool,
        input,
        context: this.#ports.contextOf(live),
        reason: asked?.reason ?? "",
        waiting: 0,
        signal,
      };
      try {
        const before = tool.check === undefined ? undefined : () => checkCall(live, signal, this.#ports);
        return await prompts.ask(question, before);
      } catch (error) {
        if (!(error instanceof Blocked)) throw error;
      }
    }
  }

  async #toAnswer(live: LiveCall, answer: Exclude<Answer, { behavior: "defer" }>): Promise<Judgement> {
    if (answer?.behavior === "deny") {
      const message = words(answer.message);
      if (answer.isUnanswered === true) return unanswered(live.tool.name, message);
      return denied(USER, message, answer.endTurn ?? message === "");
    }
    if (answer?.behavior !== "allow")
      throw new Error(`it returned ${given(answer)}. Return { behavior: "allow" } or "deny"`);
    if (answer.input === undefined) rejectUpdatedInput(answer);
    if (answer.input === undefined || isSameInput(answer.input, live.input)) return ALLOW;
    const changed = number(live, await this.#ports.toolbox.validate(live.tool, answer.input));
    if (typeof changed === "object") return changed;
    const change = this.#changeTo(live, changed);
    return change === undefined ? ALLOW : { behavior: "allow", change };
  }

  #hookCall(live: LiveCall, about: number): HookCall {
    const { id: callId, tool, judging } = live;
    const input = live.inputAt(about);
    return {
      callId,
      tool,
      input,
      context: this.#ports.contextOf(live),
      get signal() {
        return judging?.signal ?? NEVER_ABORTED;
      },
    };
  }

  #judgeContext(live: LiveCall, said: HookAnswer | undefined): JudgeContext {
    const { id: callId, judging } = live;
    const { decision } = said ?? NO_DECISION;
    return {
      callId,
      hookDecision: decision === "deny" ? undefined : decision === "defer" ? "ask" : decision,
      context: this.#ports.contextOf(live),
      get signal() {
        return judging?.signal ?? NEVER_ABORTED;
      },
    };
  }
}

/** Whether the journal can record it. */
export function isPlain(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}

function isVoid(judging: Cancellation | undefined): boolean {
  return judging?.isCancelled === true;
}

interface Asked {
  readonly about: number;
  readonly said: HookAnswer | undefined;
}

const NEVER_ABORTED = new AbortController().signal;
const NO_DECISION: HookAnswer = { decision: undefined, reason: "", endTurn: false, input: undefined };

/** Returns the number of a changed input, or what is wrong with it. */
function number(live: LiveCall, validated: Validated, changedFrom?: number): number | Judgement {
  return validated.ok ? live.propose(validated.input, changedFrom) : invalid(validated.message);
}

/** The members of what a hook returns. One that is ignored could be its refusal. */
const ANSWERS = ["decision", "reason", "input", "endTurn"];

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

/** Hooks are foreign code, so their results are validated. */
function checkedAnswer(said: unknown): Omit<HookAnswer, "input"> & { readonly input: unknown } {
  if (said === undefined || said === null) return NO_DECISION;
  if (typeof said !== "object") throw notAnObject(said);
  rejectUnknown(said, ANSWERS, "its answer");
  const { decision, reason, input, endTurn } = said as Record<string, unknown>;
  if (
    decision !== undefined &&
    decision !== "allow" &&
    decision !== "ask" &&
    decision !== "defer" &&
    decision !== "deny"
  )
    throw new TypeError(`its decision must be "allow", "ask", "defer" or "deny", got ${toText(decision)}`);
  return { decision, reason: words(reason), endTurn: endTurn === true, input };
}

function wantsQuestion(said: HookAnswer | undefined): boolean {
  return said?.decision === "ask" || said?.decision === "defer";
}

function deferredBy(said: HookAnswer | undefined): Pick<AskJudgement, "isDeferred"> {
  return said?.decision === "defer" ? { isDeferred: true } : {};
}

function reasonOf(said: HookAnswer | undefined): string {
  return wantsQuestion(said) ? (said?.reason ?? "") : "";
}

/** Cleans a reason or message that came from outside. */
function words(text: unknown): string {
  return typeof text === "string" ? text : toText(text ?? "");
}

function denied(by: string, reason: string, endTurn: boolean): Judgement {
  const outcome: Outcome = { type: "denied", by, reason };
  return { behavior: "deny", outcome, endTurn: endTurn ? `${by} ended the turn` : undefined };
}

function invalid(message: string): Judgement {
  return {
    behavior: "deny",
    outcome: { type: "failed", fault: "invalid-input", message },
    endTurn: undefined,
  };
}

function noVerdict(error: unknown): Judgement {
  return denied("permissions", `canUseTool failed, so there is no verdict: ${messageOf(error)}`, false);
}

function unanswered(toolName: string, reason: string): Judgement {
  return denied(
    NOBODY,
    `${toolName} needs permission and nobody can be asked in this run. Do not work around it; continue without it and say what you needed. ${reason}`.trimEnd(),
    false,
  );
}
