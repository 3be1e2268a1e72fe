/** What the runtime keeps of a call beside the core's own state: the things that cannot be recorded. */

import type { Call, CallRequest } from "../core/call.ts";
import type { Cancellation } from "./cancellation.ts";
import { CallTimers, type Timers } from "./clock.ts";
import type { Judgement } from "../core/event.ts";
import type { Run } from "./run.ts";
import type { AnyTool } from "./tool.ts";
import type { Validated } from "./toolbox.ts";

export type Input = Record<string, unknown>;

/** What a PreToolUse hook said of a call: asked once, and it holds. */
export interface HookAnswer {
  readonly decision: "allow" | "ask" | "deny" | undefined;
  readonly reason: string;
  readonly endTurn: boolean;
  /** The number of the input as the hook changed it, or what is wrong with that. */
  readonly input: number | Judgement | undefined;
}

export class LiveCall {
  readonly id: string;
  readonly tool: AnyTool;
  readonly message: unknown;
  /** Of a schema that answers later: until then the input is as it came. */
  readonly validation: Promise<Validated> | undefined;
  /** The core's own record of it, once it has arrived there. */
  call: Call | undefined;
  /** What the schema, and then the hooks, said: asked once. */
  validated: Promise<number | Judgement> | undefined;
  hookAnswer: Promise<HookAnswer> | undefined;
  /** Why the latest verdict asks, and whether the tool's `check` can run before the question. */
  askReason = "";
  isCheckable = true;
  /** Of the judgement, of the question and of the run that are under way. */
  judging: Cancellation | undefined;
  question: Cancellation | undefined;
  run: Run | undefined;
  /** By number: as the model sent it, and as it was changed. The core says which one the call runs with. */
  readonly #input: Input;
  #changed: Input[] | undefined;
  /** The number of the input that the rules were asked about, where they changed it. */
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

  /** Gives a changed input its number: the same one if the same input was proposed before. */
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

  /** The number of the input that the rules are to be asked about: as the model, a hook or a person gave it. */
  get askedAbout(): number {
    const current = this.call?.input ?? 0;
    return this.#changedFrom?.get(current) ?? current;
  }

  /** For the time limits of its hooks. */
  timers(clock: Timers): Timers {
    return (this.#timers ??= new CallTimers(clock));
  }

  /** It is settled: no timer of it is left, and nothing it still does is heard. */
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

/** What a call came with. */
export interface Taken {
  readonly input: Input;
  readonly validation?: Promise<Validated> | undefined;
}
