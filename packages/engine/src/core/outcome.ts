/** How a call ended, and what the model is told. Every text that the engine gives to a model is made here. */

import type { ResultBlock, ResultContent } from "../runtime/tool.ts";

/** Why a call was stopped or kept from starting. */
export type Cause =
  | { readonly kind: "streaming-fallback" }
  | { readonly kind: "sibling-error"; readonly callId: string; readonly toolName: string }
  | { readonly kind: "user-interrupted"; readonly reason: string }
  | { readonly kind: "timeout"; readonly limitMs: number }
  | { readonly kind: "response-ended"; readonly reason: string }
  | { readonly kind: "crashed" };

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

export type Fault = "unknown-tool" | "invalid-input" | "exception";

export type Outcome =
  | { readonly type: "succeeded"; readonly content: ResultContent }
  | { readonly type: "failed"; readonly fault: Fault; readonly message: string }
  | { readonly type: "denied"; readonly by: string; readonly reason: string }
  | {
      readonly type: "aborted";
      readonly cause: Cause;
      /** `none`: it never started. `unknown`: it ran and may have had effects. */
      readonly effect: "none" | "unknown";
      readonly ranMs: number;
      readonly output: string;
      /** It ignored its signal and may still be running. */
      readonly abandoned: boolean;
    };

/** How the tool's own code ended: what the shell reports to the core. */
export interface Ending {
  readonly type: "succeeded" | "failed";
  /** What it gave back, or what went wrong. */
  readonly content: ResultContent;
  readonly ranMs: number;
  /** What it had printed. */
  readonly output: string;
}

/** The model API's block. */
export interface ToolResult {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content: ResultContent;
  readonly is_error: boolean;
}

export function notRun(cause: Cause): Outcome {
  return { type: "aborted", cause, effect: "none", ranMs: 0, output: "", abandoned: false };
}

/** What became of a call that was told to stop: it ran, whatever it says (promise 4). */
export function stopped(cause: Cause, ending: Ending): Outcome {
  const { ranMs } = ending;
  return { type: "aborted", cause, effect: "unknown", ranMs, output: printed(ending), abandoned: false };
}

function printed({ type, content, output }: Ending): string {
  return type === "failed" || output !== "" ? output : contentText(content);
}

export function contentText(content: ResultContent): string {
  return typeof content === "string" ? content : content.map(blockText).join("\n");
}

function blockText(block: ResultBlock): string {
  return block.type === "text" ? block.text : `[${block.type}]`;
}

export function toToolResult(callId: string, outcome: Outcome, stillRunning: readonly string[]): ToolResult {
  // Reasons come from rules, hooks and people: half a character in one would make the history unacceptable.
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

/** Who denied a call, where that changes what the model is told. */
export const USER = "the user";
export const NOBODY = "nobody";

/** What the user said is marked as theirs: everything else in a result is data. */
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
      return `it reached its time limit of ${cause.limitMs / 1000} s. Use a larger limit, or the background, if the tool offers one.`;
    case "response-ended":
      return `the response broke off (${cause.reason}).`;
    case "crashed":
      return "the program ended.";
  }
}

function withNote(content: ResultContent, stillRunning: readonly string[]): ResultContent {
  if (stillRunning.length === 0) return content;
  const note = `(Note: ${stillRunning.join(", ")} was stopped but may still be modifying the same files.)`;
  return typeof content === "string" ? `${content}\n${note}` : [...content, { type: "text", text: note }];
}

/** Engine texts in the form that models know. */
export function toolUseError(text: string): string {
  return `<tool_use_error>${text}</tool_use_error>`;
}
