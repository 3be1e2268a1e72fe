/** What the engine needs from outside. Each port has at most four members; only tools are required. */

import type { JournalEvent } from "../core/event.ts";
import type { CallRequest } from "../core/call.ts";
import type { AnyTool, ResultContent, SharedContext } from "./tool.ts";

/** May this call run? Every answer but `allow` keeps it from running; no answer means not run. */
export type Verdict =
  | { readonly behavior: "allow"; readonly input?: unknown; readonly reason?: string }
  | {
      readonly behavior: "ask";
      readonly reason?: string;
      /** False: do not run the tool's `check`, because its error could reveal what is being asked for. Default: true. */
      readonly check?: boolean;
    }
  | { readonly behavior: "deny"; readonly reason?: string; readonly endTurn?: boolean };

/** What a person answered. A refusal without words ends the turn unless `endTurn` says otherwise. */
export type Answer =
  | { readonly behavior: "allow"; readonly input?: unknown }
  | {
      readonly behavior: "deny";
      readonly message?: string;
      readonly endTurn?: boolean;
      /** Nobody was there to answer, so the message is not the user's. Default: false. */
      readonly isUnanswered?: boolean;
    };

/** What `canUseTool`, `ask` and the hooks are told beside the tool and its input. */
export interface JudgeContext<Context extends SharedContext = SharedContext> {
  readonly callId: string;
  /** Aborted when the answer is no longer wanted. */
  readonly signal: AbortSignal;
  readonly context: Context;
  /** What PreToolUse hooks said: an `allow` may skip a mode's question, never a deny or an ask rule. */
  readonly hookDecision: "allow" | "ask" | undefined;
}

export type CanUseTool<Context extends SharedContext = SharedContext> = (
  tool: AnyTool,
  input: unknown,
  context: JudgeContext<Context>,
) => Verdict | Promise<Verdict>;

/** One question to a person. The engine never has two open at a time. */
export interface Question {
  readonly callId: string;
  readonly tool: AnyTool;
  readonly input: unknown;
  /** What the calls share, as this one would find it. */
  readonly context: SharedContext;
  /** Why it is asked. */
  readonly reason: string;
  /** Who asks, where it is not the turn itself: a tool that makes calls of its own says so. */
  readonly from?: string;
  /** How many questions wait behind this one, now. */
  readonly waiting: number;
  /** Aborted when the question is withdrawn: close the dialog. */
  readonly signal: AbortSignal;
}

export type Ask = (question: Question) => Answer | Promise<Answer>;

/** Given to a tool for the calls that it makes itself, so that they obey the same permissions. */
export interface Permissions {
  readonly canUseTool: CanUseTool;
  /** Waits in the same line as the questions of the tool's own turn. */
  readonly ask: Ask;
}

export interface HookCall<Context extends SharedContext = SharedContext> {
  readonly callId: string;
  readonly tool: AnyTool;
  readonly input: unknown;
  readonly context: Context;
  readonly signal: AbortSignal;
}

/** A call whose own code has ended, after so long. */
export interface FinishedCall<Context extends SharedContext = SharedContext> extends HookCall<Context> {
  readonly ranMs: number;
}

export interface PreToolUse {
  readonly decision?: "allow" | "ask" | "deny";
  readonly reason?: string;
  /** Replaces the whole input; validated again and judged as changed. */
  readonly input?: unknown;
  /** Ends the turn; goes with `deny`. */
  readonly endTurn?: boolean;
}

export interface PostToolUse {
  /** Replaces what the model reads. */
  readonly content?: ResultContent;
  /** Added behind what the model reads. */
  readonly addition?: string;
  /** Ends the turn, for this reason. */
  readonly endTurn?: string;
}

/** In-process hooks. A hook that throws gives no decision, and one event tells. */
export interface Hooks<Context extends SharedContext = SharedContext> {
  /** Whether `preToolUse` wants to see this call; without it, every call. */
  matches?(call: HookCall<Context>): boolean;
  preToolUse?(
    call: HookCall<Context>,
  ): PreToolUse | undefined | void | Promise<PreToolUse | undefined | void>;
  postToolUse?(
    call: FinishedCall<Context> & { readonly output: unknown; readonly content: ResultContent },
  ): PostToolUse | undefined | void | Promise<PostToolUse | undefined | void>;
  postToolUseFailure?(
    call: FinishedCall<Context> & { readonly error: string },
  ): PostToolUse | undefined | void | Promise<PostToolUse | undefined | void>;
}

/**
 * The record of a turn. An event is recorded before its effects; where a promise is returned, calls that write
 * do not start, and results are not delivered, before it has resolved.
 */
export interface Journal {
  record(event: JournalEvent): void | Promise<void>;
}

/** Keeps what is too large for the model. A store that fails costs the middle of the text, never the result. */
export interface Results {
  /** Gives the name under which the model may find the text again (a path). */
  store(item: {
    readonly callId: string;
    readonly toolName: string;
    readonly text: string;
  }): string | Promise<string>;
  /** How many characters the results of one turn may have together: 200,000 where absent. */
  readonly turnChars?: number;
}

/** Time, for tests that bend it. */
export interface Clock {
  /** Monotonic milliseconds. */
  now(): number;
  after(delayMs: number, action: () => void): unknown;
  cancel(timer: unknown): void;
}

/** Checks input against a plain JSON Schema. Injected: the engine carries no validator of its own. */
export type ValidateJsonSchema = (
  schema: Readonly<Record<string, unknown>>,
  input: unknown,
) => readonly { readonly path: readonly PropertyKey[]; readonly message: string }[] | undefined;

/** Where a wire adapter puts what it takes off a stream: the executor is one. */
export interface CallSink {
  /** A call that is complete on the wire; false when its id was added before. */
  add(call: CallRequest): boolean;
  /** The response has ended: well, or badly and why. */
  end(ending?: ResponseEnding): void;
  /** A call whose input is still coming in, for live previews. */
  arriving?(call: ArrivingCall): void;
}

export interface ResponseEnding {
  readonly ok: boolean;
  /** `refusal` keeps every call that has not started from starting; any other reason only those held back. */
  readonly reason?: string;
}

export interface ArrivingCall {
  readonly id: string;
  readonly name: string;
  /** The input text that came in just now; empty when the call has just begun. */
  readonly delta: string;
  /** How many characters of input text there are by now. */
  readonly length: number;
  /** The input as far as it can be understood by now; parses on demand, so call it as often as you draw. */
  readonly preview: () => unknown;
}
