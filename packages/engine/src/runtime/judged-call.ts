/** What the judge keeps for a call: its inputs, the answers that are given once, and what is pending. */

import type { Call } from "../core/call.ts";
import { Cancellation } from "./cancellation.ts";
import { CallTimers, type Timers } from "./clock.ts";
import type { AskJudgement, Judgement } from "../core/event.ts";
import type { HookAnswer } from "./hook-answer.ts";
import { Withdrawn } from "./prompts.ts";
import type { Input, TakenCall } from "./taken-call.ts";

export class JudgedCall {
  readonly taken: TakenCall;
  /** The core's record of the call. The core decides which of the inputs the call runs with. */
  readonly call: Call;
  /** Of its questions in the queue. */
  place: number | undefined;
  /** The inputs that were changed, and the number of the one that the rules judged if they changed it. */
  #changed: Input[] | undefined;
  #changedFrom: Map<number, number> | undefined;
  #validated: Promise<number | Judgement> | undefined;
  #hookAnswer: Promise<HookAnswer> | undefined;
  /** The latest verdict that asks the user. */
  #asked: AskJudgement | undefined;
  /** The signals of the pending verdict and of the open question. */
  #judging: Cancellation | undefined;
  #question: Cancellation | undefined;
  #timers: CallTimers | undefined;

  constructor(taken: TakenCall, call: Call) {
    this.taken = taken;
    this.call = call;
  }

  /** The input that the call would run with now. */
  get input(): Input {
    return this.inputAt(this.call.input);
  }

  /** The model's own input is number 0. */
  inputAt(number: number): Input {
    return number === 0 ? this.taken.input : (this.#changed?.[number - 1] as Input);
  }

  /** The number of the input that the rules judge: from the model, a hook or the user. */
  get askedAbout(): number {
    const { input } = this.call;
    return this.#changedFrom?.get(input) ?? input;
  }

  /** Returns the number of a changed input: the same one if the same input was proposed before. */
  propose(input: Input, changedFrom?: number): number {
    const changed = (this.#changed ??= []);
    const before = changed.findIndex(
      (other, at) => this.#changedFrom?.get(at + 1) === changedFrom && isSameInput(other, input),
    );
    if (before >= 0) return before + 1;
    const number = changed.push(input);
    if (changedFrom !== undefined) (this.#changedFrom ??= new Map()).set(number, changedFrom);
    return number;
  }

  /** The result of the schema, which runs once. */
  validated(validate: () => Promise<number | Judgement>): Promise<number | Judgement> {
    return (this.#validated ??= validate());
  }

  /** The answer of the hooks, which run once. */
  hookAnswer(ask: () => Promise<HookAnswer>): Promise<HookAnswer> {
    return (this.#hookAnswer ??= ask());
  }

  /** A verdict is requested. The one that was pending is no longer needed. */
  startJudging(): Cancellation {
    this.#stopJudging();
    return (this.#judging = new Cancellation());
  }

  /** The verdict is known, or not needed. Returns it. */
  endJudging(judging: Cancellation, epoch: number, judgement: Judgement | undefined): Judgement | undefined {
    if (this.#judging === judging) this.#judging = undefined;
    if (judgement?.behavior === "ask" && this.call.epoch === epoch) this.#asked = judgement;
    return judgement;
  }

  get asked(): Omit<AskJudgement, "behavior"> {
    return this.#asked ?? NO_REASON;
  }

  startAsking(): AbortSignal {
    return (this.#question = new Cancellation()).signal;
  }

  endAsking(signal: AbortSignal): void {
    if (this.#question?.signal === signal) this.#question = undefined;
  }

  /** Neither the pending verdict nor the open question is needed. */
  withdraw(): void {
    this.#stopJudging();
    this.#question?.cancel(new Withdrawn());
    this.#question = undefined;
  }

  #stopJudging(): void {
    this.#judging?.cancel(new Error("The judgement is no longer wanted."));
    this.#judging = undefined;
  }

  /** For the time limits of its hooks and its check. */
  timers(clock: Timers): Timers {
    return (this.#timers ??= new CallTimers(clock));
  }

  /** The call is settled. */
  end(): void {
    this.withdraw();
    this.#timers?.end();
  }
}

const NO_REASON: Omit<AskJudgement, "behavior"> = { reason: "" };

/** Two inputs that read the same are the same. */
export function isSameInput(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  try {
    return JSON.stringify(one) === JSON.stringify(other);
  } catch {
    return false;
  }
}
