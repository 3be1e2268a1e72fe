/** How a call ended, and what the model reads. All texts that the engine writes for a model are created here. */

import type { ResultBlock, ResultContent } from "../runtime/tool.ts";

/** Says why a call was stopped or did not start. */
export type Cause =
  | {
      /** Another model took over, so the response was discarded. */
      readonly kind: "streaming-fallback";
    }
  | {
      /** An earlier call failed, and its tool cancels later calls. */
      readonly kind: "sibling-error";
      /** The id of the call that failed. */
      readonly callId: string;
      /** The name of its tool. */
      readonly toolName: string;
    }
  | {
      /** The user stopped the turn or sent a new message, or a refusal ended the turn. */
      readonly kind: "user-interrupted";
      /** What happened, as text for the model. */
      readonly reason: string;
    }
  | {
      /** The call reached its time limit. */
      readonly kind: "timeout";
      /** The limit in milliseconds. */
      readonly limitMs: number;
    }
  | {
      /** The response failed before the call could start. */
      readonly kind: "response-ended";
      readonly reason: string;
    }
  | {
      /** The program ended; found by `recoverTurn`. */
      readonly kind: "crashed";
    };

/** Of several causes, the one that is reported: the first of these. */
const CAUSE_ORDER: readonly Cause["kind"][] = [
  "streaming-fallback",
  "sibling-error",
  "user-interrupted",
  "timeout",
  "response-ended",
  "crashed",
];

export function strongerCause(one: Cause, other: Cause): Cause {
  return CAUSE_ORDER.indexOf(other.kind) < CAUSE_ORDER.indexOf(one.kind) ? other : one;
}

/** Says why a call failed: its tool does not exist, its input is invalid, or its tool threw. */
export type Fault = "unknown-tool" | "invalid-input" | "exception";

/** Says how a call ended. Every call has exactly one outcome. */
export type Outcome =
  | {
      /** The tool returned. */
      readonly type: "succeeded";
      /** What the model reads. */
      readonly content: ResultContent;
    }
  | {
      /** The tool threw, or the call could never run. */
      readonly type: "failed";
      /** Why it failed. */
      readonly fault: Fault;
      /** The text that the model reads. */
      readonly message: string;
    }
  | {
      /** A rule, a hook or the user denied the call. It did not run. */
      readonly type: "denied";
      /** Who denied it: a rule, a hook or the user. */
      readonly by: string;
      /** Why, as text for the model. Can be empty. */
      readonly reason: string;
    }
  | {
      /** The call was stopped while it ran, or did not start. */
      readonly type: "aborted";
      /** Why. */
      readonly cause: Cause;
      /** `none`: it never started. `unknown`: it ran and may have had effects. */
      readonly effect: "none" | "unknown";
      /** How long it ran, in milliseconds. */
      readonly ranMs: number;
      /** Its output so far. */
      readonly output: string;
      /** It ignored its signal and may still be running. */
      readonly abandoned: boolean;
    };

/** Says how the tool's own code ended. */
export interface Ending {
  /** Whether it returned or threw. */
  readonly type: "succeeded" | "failed";
  /** What it returned, or what went wrong. */
  readonly content: ResultContent;
  /** How long it ran, in milliseconds. */
  readonly ranMs: number;
  /** Its output so far. */
  readonly output: string;
}

/**
 * Holds the result of one call in the format of the Messages API. Assignable to `Anthropic.ToolResultBlockParam`; use
 * `toOpenAi` for OpenAI's APIs.
 */
export interface ToolResult {
  /** Always `tool_result`. */
  readonly type: "tool_result";
  /** The id of the call. */
  readonly tool_use_id: string;
  /** What the model reads. */
  readonly content: string | ResultBlock[];
  /** Whether the call failed, was denied or was stopped. */
  readonly is_error: boolean;
}

export function notRun(cause: Cause): Outcome {
  return { type: "aborted", cause, effect: "none", ranMs: 0, output: "", abandoned: false };
}

/** The outcome of a call whose code has ended and that nobody asked to stop. */
export function endedBy({ type, content }: Ending): Outcome {
  return type === "succeeded"
    ? { type, content }
    : { type, fault: "exception", message: contentText(content) };
}

/** The outcome of a call that was asked to stop. It counts as run, whatever it returns (promise 4). */
export function stopped(cause: Cause, ending: Ending): Outcome {
  const { ranMs } = ending;
  return { type: "aborted", cause, effect: "unknown", ranMs, output: printed(ending), abandoned: false };
}

function printed({ type, content, output }: Ending): string {
  return type === "failed" || output !== "" ? output : contentText(content);
}

function contentText(content: ResultContent): string {
  return typeof content === "string" ? content : content.map(blockText).join("\n");
}

function blockText(block: ResultBlock): string {
  return block.type === "text" ? block.text : `[${block.type}]`;
}

export function toToolResult(callId: string, outcome: Outcome, stillRunning: readonly string[]): ToolResult {
  // Reasons come from outside, and an unpaired surrogate would make the API reject the history.
  const text = outcome.type === "succeeded" ? outcome.content : textOf(outcome).toWellFormed();
  const content = withNote(text, stillRunning);
  return { type: "tool_result", tool_use_id: callId, content, is_error: outcome.type !== "succeeded" };
}

function textOf(outcome: Exclude<Outcome, { type: "succeeded" }>): string {
  if (outcome.type === "failed") return outcome.message;
  if (outcome.type === "denied") return deniedText(outcome.by, outcome.reason);
  if (outcome.effect === "none") return `Not run: ${whyNotRun(outcome.cause)}`;
  return outcome.cause.kind === "crashed" ? CRASHED : stoppedText(outcome.cause, outcome);
}

/** Who denied a call, if that changes what the model reads. */
export const USER = "the user";
export const NOBODY = "nobody";

/** The user's own words are marked, because everything else in a result is data. */
function deniedText(by: string, reason: string): string {
  if (by === NOBODY) return `Not run: ${reason}`;
  if (by !== USER) return `Not run: denied by ${by}. ${reason}`.trimEnd();
  return reason === ""
    ? "Not run: the user denied this call."
    : `Not run: the user denied this call and said: ${reason}`;
}

const CRASHED =
  "Outcome unknown: the program ended while this call was running. It may have had effects, and its output is lost.";

type Stopped = { readonly ranMs: number; readonly output: string; readonly abandoned: boolean };

function stoppedText(cause: Cause, { ranMs, output, abandoned }: Stopped): string {
  const lines = [
    `Stopped after ${(ranMs / 1000).toFixed(1)} s: ${whyStopped(cause)} It may have had effects.`,
  ];
  if (abandoned) lines.push("It did not react to being stopped and may still be running.");
  if (cause.kind === "timeout")
    lines.push(
      "If it needs more time, set a larger time limit or run it in the background, if the tool supports that.",
    );
  lines.push(output === "" ? "It had printed nothing." : `Its output so far:\n${output}`);
  return lines.join("\n");
}

function whyNotRun(cause: Cause): string {
  switch (cause.kind) {
    case "sibling-error":
      return `an earlier call (${cause.toolName}, ${cause.callId}) failed before this one started.`;
    case "crashed":
      return "the program ended before this call started.";
    case "timeout":
      return "its time limit passed before it started.";
    default:
      return whyStopped(cause);
  }
}

function whyStopped(cause: Cause): string {
  switch (cause.kind) {
    case "streaming-fallback":
      return "another model took over, so this response was discarded.";
    case "sibling-error":
      return `an earlier call (${cause.toolName}, ${cause.callId}) failed.`;
    case "user-interrupted":
      return `${cause.reason}.`;
    case "timeout":
      return `it reached its time limit of ${cause.limitMs / 1000} s.`;
    case "response-ended":
      return `the response broke off (${cause.reason}).`;
    case "crashed":
      return "the program ended.";
  }
}

function withNote(content: ResultContent, stillRunning: readonly string[]): ToolResult["content"] {
  if (stillRunning.length === 0) return typeof content === "string" ? content : [...content];
  const were = stillRunning.length === 1 ? "was" : "were";
  const note = `(Note: ${stillRunning.join(", ")} ${were} stopped but may still be modifying the same files.)`;
  return typeof content === "string" ? `${content}\n${note}` : [...content, { type: "text", text: note }];
}

/** Texts of the engine in the format that models know. */
export function toolUseError(text: string): string {
  return `<tool_use_error>${text}</tool_use_error>`;
}
