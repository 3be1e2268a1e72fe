/** The interfaces that a program can implement for the engine. Only tools are required. */

import type { JournalEvent } from "../core/event.ts";
import type { CallRequest } from "../core/call.ts";
import type { AnyTool, ResultContent, SharedContext } from "./tool.ts";

/** Decides whether a call runs. Only `allow` lets it run. */
export type Verdict =
  | {
      readonly behavior: "allow";
      /** Replaces the whole input; it is validated again. */
      readonly input?: unknown;
      /** Why, as text for the user or the model. */
      readonly reason?: string;
    }
  | {
      readonly behavior: "ask";
      readonly reason?: string;
      /** False: do not run the tool's `check`, because its error could reveal what is being asked for. Default: true. */
      readonly check?: boolean;
    }
  | {
      readonly behavior: "deny";
      readonly reason?: string;
      /** Ends the turn: no other call starts. Default: false. */
      readonly endTurn?: boolean;
    };

/** Holds the user's answer. A refusal without a message ends the turn unless `endTurn` is false. */
export type Answer =
  | {
      readonly behavior: "allow";
      /** Replaces the whole input; it is validated and judged again. */
      readonly input?: unknown;
    }
  | {
      readonly behavior: "deny";
      /** The user's message to the model. */
      readonly message?: string;
      /** Ends the turn. Default: true without a message, false with one. */
      readonly endTurn?: boolean;
      /** Who denies it, such as `a hook`; then the message is not the user's. Default: the user. */
      readonly by?: string;
      /** True: nobody could answer, so the message is not the user's. Default: false. */
      readonly isUnanswered?: boolean;
    }
  | {
      /**
       * The answer comes later, perhaps in another program. Calls that do not depend on it finish; then the turn is
       * parked, and its executor has no more updates.
       */
      readonly behavior: "defer";
    };

/** Holds what `canUseTool` gets in addition to the tool and its input. */
export interface JudgeContext<Context extends SharedContext = SharedContext> {
  /** The id of the call. */
  readonly callId: string;
  /** Aborted when the answer is no longer needed. */
  readonly signal: AbortSignal;
  /** The shared context that the call would see. */
  readonly context: Context;
  /** What PreToolUse hooks decided: an `allow` can skip a mode's question, never a deny or an ask rule. */
  readonly hookDecision: "allow" | "ask" | undefined;
}

/**
 * Returns the verdict on one call. Called again if rules, input or context change before the call has started.
 *
 * If it throws, rejects or returns something that is not a verdict, the call does not run.
 */
export type CanUseTool<Context extends SharedContext = SharedContext> = (
  tool: AnyTool,
  input: unknown,
  context: JudgeContext<Context>,
) => Verdict | Promise<Verdict>;

/** Describes a question to the user about one call. The engine never has two questions open at a time. */
export interface Question {
  /** The id of the call. */
  readonly callId: string;
  /** The tool that the call names. */
  readonly tool: AnyTool;
  /** The validated input. */
  readonly input: unknown;
  /** The shared context that the call would see. */
  readonly context: SharedContext;
  /** Why it is asked. */
  readonly reason: string;
  /** Who asks, if it is not the turn itself. Set by tools that make nested calls. */
  readonly from?: string;
  /** How many questions wait after this one, now. */
  readonly waiting: number;
  /** Aborted when the question is withdrawn: close the dialog. */
  readonly signal: AbortSignal;
}

/** Shows a question to the user and returns the answer. If it throws or rejects, the call does not run. */
export type Ask = (question: Question) => Answer | Promise<Answer>;

/** Lets a tool apply the same permissions to the calls that it makes itself. */
export interface NestedPermissions {
  /** Returns the verdict on a nested call. */
  readonly canUseTool: CanUseTool;
  /** Asks the user. Waits in the same queue as the questions of the tool's own turn. */
  readonly ask: Ask;
}

/** Describes a call to a hook. */
export interface HookCall<Context extends SharedContext = SharedContext> {
  /** The id of the call. */
  readonly callId: string;
  /** The tool that the call names. */
  readonly tool: AnyTool;
  /** The validated input. */
  readonly input: unknown;
  /** The shared context that the call sees. */
  readonly context: Context;
  /** Aborted when the hook's answer is no longer needed. */
  readonly signal: AbortSignal;
}

/** Describes a call whose own code has ended. */
export interface FinishedCall<Context extends SharedContext = SharedContext> extends HookCall<Context> {
  /** How long it ran, in milliseconds. */
  readonly ranMs: number;
}

/** Holds what a hook decided before a call. An empty object decides nothing. */
export interface PreToolUse {
  /**
   * `allow` skips a mode's question, `ask` asks the user, `deny` prevents the call from running. `defer` leaves the
   * question to be answered later, without asking now.
   */
  readonly decision?: "allow" | "ask" | "defer" | "deny";
  /** Why, as text for the user or the model. */
  readonly reason?: string;
  /** Replaces the whole input; it is validated and judged again. */
  readonly input?: unknown;
  /** Ends the turn; goes with `deny`. Default: false. */
  readonly endTurn?: boolean;
}

/** Holds what a hook changes after a call. An empty object changes nothing. */
export interface PostToolUse {
  /** Replaces what the model reads. */
  readonly content?: ResultContent;
  /** Text appended to what the model reads. */
  readonly addition?: string;
  /** Ends the turn, for this reason. */
  readonly endTurn?: string;
}

/** Runs functions of the program before and after calls. A hook that throws decides nothing, and is reported. */
export interface Hooks<Context extends SharedContext = SharedContext> {
  /** Returns whether `preToolUse` runs for this call. Default: it runs for every call. */
  matches?(call: HookCall<Context>): boolean;
  /** Runs when a call is free to start, before the rules decide. */
  preToolUse?(
    call: HookCall<Context>,
  ): PreToolUse | undefined | void | Promise<PreToolUse | undefined | void>;
  /** Runs after a tool has returned. */
  postToolUse?(
    call: FinishedCall<Context> & { readonly output: unknown; readonly content: ResultContent },
  ): PostToolUse | undefined | void | Promise<PostToolUse | undefined | void>;
  /** Runs after a tool has thrown. */
  postToolUseFailure?(
    call: FinishedCall<Context> & { readonly error: string },
  ): PostToolUse | undefined | void | Promise<PostToolUse | undefined | void>;
}

/** Records the events of a turn, for example in a file, so that `recoverTurn` can read them after a crash. */
export interface Journal {
  /**
   * Records one event, before its effects. If it returns a promise, calls that write do not start and results are not
   * delivered before it has resolved. If it throws or rejects, the turn continues, and `journal-failed` is reported.
   */
  record(event: JournalEvent): void | Promise<void>;
}

/** Keeps what is too large for the model. If a store fails, the model gets both ends of the text, without the rest. */
export interface Results {
  /** Stores a text and returns a name that the model can read it by, such as a path. */
  store(item: {
    readonly callId: string;
    readonly toolName: string;
    readonly text: string;
  }): string | Promise<string>;
  /** How many characters the results of one turn can have together. Default: 200,000. */
  readonly turnChars?: number;
}

/** Measures time; replaced in tests. */
export interface Clock {
  /** Returns monotonic milliseconds. */
  now(): number;
  /** Runs an action after a delay and returns a handle for `cancel`. */
  after(delayMs: number, action: () => void): unknown;
  /** Cancels a timer that `after` returned. */
  cancel(timer: unknown): void;
}

/**
 * Checks input against a plain JSON Schema and returns what is wrong with it. The engine has no validator of its own;
 * `@runahead/mcp` exports one.
 */
export type ValidateJsonSchema = (
  schema: Readonly<Record<string, unknown>>,
  input: unknown,
) => readonly { readonly path: readonly PropertyKey[]; readonly message: string }[] | undefined;

/** Takes the calls that a wire adapter finds in a stream. A {@link StreamingToolExecutor} is one. */
export interface CallSink {
  /** Adds a call that is complete on the wire. Returns false if its id was added before. */
  add(call: CallRequest): boolean;
  /** Ends the response, normally or with an error. Called once. */
  end(ending?: ResponseEnding): void;
  /** Receives a call whose input is still arriving, for live previews. */
  arriving?(call: ArrivingCall): void;
}

/** Says how a response ended. */
export interface ResponseEnding {
  /** Whether it ended normally. */
  readonly ok: boolean;
  /** After `refusal`, no further call starts; after any other reason, only held calls do not start. */
  readonly reason?: string;
  /** The stream violated its protocol, so the same request can fail in the same way. */
  readonly isMalformed?: boolean;
}

/** Describes a call whose input is still arriving. */
export interface ArrivingCall {
  /** The id of the call. */
  readonly id: string;
  /** The name of its tool. */
  readonly name: string;
  /** The input text that just arrived. Empty when the call has just begun. */
  readonly delta: string;
  /** How many characters of input text have arrived. */
  readonly length: number;
  /** Parses the input that has arrived so far. Call it only as often as you draw. */
  readonly preview: () => unknown;
}
