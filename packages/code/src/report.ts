/** What the model reads about a script. */

import type { Outcome } from "@runahead/engine";
import type { CodeOutput } from "./code-tool.ts";
import type { ScriptEnd } from "./sandbox.ts";
import { type ScriptCall, deferredText } from "./script-calls.ts";

const SHOWN_CALLS = 30;
const SHOWN_CHARS = 300;

export function resultText({ value, printed, calls, failed = 0, deferred }: CodeOutput): string {
  const returned =
    typeof value === "string" ? value : (JSON.stringify(value) ?? "(The script returned nothing.)");
  const output = printed === "" ? "" : `\n\n[Printed:]\n${printed.trimEnd()}`;
  // A script can ignore the errors of its calls.
  const bad = failed === 0 ? "" : `, ${failed} without success`;
  return `${returned}${output}\n\n[${calls} ${calls === 1 ? "call" : "calls"} made${bad}.${notRun(deferred)}]`;
}

/** A script can catch the error of such a call, so the model reads about it all the same. */
function notRun(deferred: CodeOutput["deferred"] = []): string {
  const lines = deferred.map(({ call, tool }) => `\nNot run: ${oneLine(call)}: ${deferredText(tool)}`);
  return lines.slice(0, SHOWN_CALLS).join("");
}

type Failure = Extract<ScriptEnd, { type: "failed" }>;

export interface Failed {
  readonly end: Failure;
  readonly printed: string;
  readonly log: readonly ScriptCall[];
  readonly options: { readonly cpuMs: number };
}

export function failureText({ end, printed, log, options }: Failed): string {
  const output = printed === "" ? "" : `\n\nIt had printed:\n${printed.trimEnd()}`;
  return `${reason(end, options)}\n\n${callsText(log)}${output}`;
}

function reason({ kind, message = "" }: Failure, { cpuMs }: Failed["options"]): string {
  switch (kind) {
    case "threw":
      return `The script failed: ${message}`;
    case "cpu":
      return `The script was stopped: its own code ran for more than ${cpuMs / 1000} s.`;
    case "large":
      return `The script failed: it returned ${message} characters, which is too much. Return only what you need.`;
    case "stuck":
      return "The script failed: it awaits a promise that nothing resolves.";
    case "crashed":
      return `The script failed: the sandbox ended (${message}).`;
    case "stopped":
      return "The script was stopped.";
  }
}

/** What had happened before: effects of calls stay. */
function callsText(log: readonly ScriptCall[]): string {
  if (log.length === 0) return "It had made no calls.";
  const lines = log
    .slice(-SHOWN_CALLS)
    .map(
      ({ description, outcome }, at) =>
        `${Math.max(0, log.length - SHOWN_CALLS) + at + 1}. ${description}: ${how(outcome)}`,
    );
  const left = log.length - lines.length;
  const more = left === 0 ? "" : ` (the first ${left} are not listed)`;
  const calls = log.length === 1 ? "1 call" : `${log.length} calls`;
  return `It had made ${calls}${more}. ${effectsText(log)}:\n${lines.join("\n")}`;
}

function effectsText(log: readonly ScriptCall[]): string {
  const [whose, none] = log.length === 1 ? ["Its", "It was not run"] : ["Their", "None of them was run"];
  return log.every(({ outcome }) => isNotRun(outcome)) ? none : `${whose} effects remain`;
}

function isNotRun(outcome: Outcome | undefined): boolean {
  return outcome?.type === "denied" || (outcome?.type === "aborted" && outcome.effect === "none");
}

function how(outcome: Outcome | undefined): string {
  switch (outcome?.type) {
    case "succeeded":
      return "succeeded";
    case "failed":
      return `failed: ${oneLine(outcome.message)}`;
    case "denied":
      return `not run, denied: ${oneLine(outcome.reason)}`;
    case "aborted":
      return outcome.effect === "none" ? "not run" : "stopped while it ran; its effect is unknown";
    case undefined:
      return "its outcome is unknown";
  }
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > SHOWN_CHARS ? `${line.slice(0, SHOWN_CHARS)}…` : line;
}
