/** What the runtime keeps for a call in addition to the core's state: everything that cannot be recorded. */

import type { Call, CallRequest, State } from "../core/call.ts";
import type { Cancellation } from "./cancellation.ts";
import { CallTimers, type Timers } from "./clock.ts";
import type { Judgement } from "../core/event.ts";
import type { Run } from "./run.ts";
import type { AnyTool } from "./tool.ts";
import type { Validated } from "./toolbox.ts";

export type Input = Record<string, unknown>;

/** What a PreToolUse hook decided about a call. It runs once. */
export interface HookAnswer {
  readonly decision: "allow" | "ask" | "defer" | "deny" | undefined;
  readonly reason: string;
  readonly endTurn: boolean;
  /** The number of the input that the hook changed, or what is wrong with it. */
  readonly input: number | Judgement | undefined;
}

export type AskJudgement = Extract<Judgement, { behavior: "ask" }>;

export class LiveCall {
  readonly id: string;
  readonly tool: AnyTool;
  readonly message: unknown;
  /** The validation of an asynchronous schema. Until it has finished, the input is unchanged. */
  readonly validation: Promise<Validated> | undefined;
  /** The core's record of the call, once it has arrived there. */
  call: Call | undefined;
  /** The results of the schema and of the hooks, which run once. */
  validated: Promise<number | Judgement> | undefined;
  hookAnswer: Promise<HookAnswer> | undefined;
  /** The latest verdict that asks the user. */
  asked: AskJudgement | undefined;
  /** The signals of the pending verdict, the open question and the run. */
  judging: Cancellation | undefined;
  question: Cancellation | undefined;
  run: Run | undefined;
  /** The last state that listeners heard of. */
  shown: State | undefined;
  /** The inputs by number: the model's own, and changed ones. The core decides which one the call runs with. */
  readonly #input: Input;
  #changed: Input[] | undefined;
  /** The number of the input that the rules judged, if they changed it. */
  #changedFrom: Map<number, number> | undefined;
  #timers: CallTimers | undefined;

  constructor({ id, message }: Pick<CallRequest, "id" | "message">, tool: AnyTool, intake: Taken) {
    this.id = id;
    this.tool = tool;
    this.message = message;
    this.validation = intake.validation;
    this.#input = intake.input;
  }

  /** The input that the call would run with now. */
  get input(): Input {
    return this.inputAt(this.call?.input ?? 0);
  }

  inputAt(number: number): Input {
    return number === 0 ? this.#input : (this.#changed?.[number - 1] as Input);
  }

  /** Whether nothing is known of its input yet. */
  get isUnvalidated(): boolean {
    return this.validation !== undefined && (this.call?.input ?? 0) === 0;
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

  /** The number of the input that the rules judge: from the model, a hook or the user. */
  get askedAbout(): number {
    const current = this.call?.input ?? 0;
    return this.#changedFrom?.get(current) ?? current;
  }

  /** For the time limits of its hooks. */
  timers(clock: Timers): Timers {
    return (this.#timers ??= new CallTimers(clock));
  }

  /** The call is settled: its timers are removed, and what it does later is ignored. */
  end(): void {
    this.#timers?.end();
    this.run?.end();
  }
}

/** Two inputs that read the same are the same. */
export function isSameInput(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  try {
    return JSON.stringify(one) === JSON.stringify(other);
  } catch {
    return false;
  }
}

/** The original call. */
export interface Taken {
  readonly input: Input;
  readonly validation?: Promise<Validated> | undefined;
}
