/** Interprets how a hook ended: exit codes, JSON, plain text, failures. */

import { NOTHING_SAID, type Said, readAnswer } from "./answer.ts";
import { type HookEvent, takesText } from "./event.ts";
import { type Handler, nameOf } from "./handler.ts";
import { type Shape, isShape } from "@runahead/base";
import { beginning, kindOf } from "./words.ts";

/** The output of a process, up to the limit. */
export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
  /** It printed more than the limit. */
  readonly isCut: boolean;
}

/** `killed`: by another process. `cancelled`: its answer is no longer needed. */
export type HookEnding =
  | (Printed & { readonly type: "exited"; readonly code: number })
  | (Printed & { readonly type: "killed"; readonly signal: string })
  | (Printed & { readonly type: "timed-out"; readonly limitMs: number })
  | { readonly type: "cancelled" }
  | { readonly type: "not-started"; readonly message: string }
  /** Functions only. */
  | { readonly type: "returned"; readonly value: unknown }
  | { readonly type: "threw"; readonly message: string };

const BLOCKS = 2;
const EXCERPT_CHARS = 500;

/** Returns the answer. A failure blocks if `onFailure` is `block`. */
export function interpret(handler: Handler, ending: HookEnding): Said {
  const said = read(handler.event, ending);
  if (said.failure === "" || handler.onFailure !== "block") return said;
  const why = `${nameOf(handler)} failed: ${said.failure}. It blocks because of onFailure "block".`;
  return { ...said, verdict: "block", reason: [said.reason, why].filter((text) => text !== "").join("\n") };
}

function read(event: HookEvent, ending: HookEnding): Said {
  switch (ending.type) {
    case "exited":
      return readExit(event, ending, ending.code);
    case "killed":
      return failed(`it was killed by ${ending.signal}${excerpt(ending)}`);
    case "timed-out":
      return failed(`it took longer than ${ending.limitMs / 1000} s${excerpt(ending)}`);
    case "cancelled":
      return failed("it was stopped before it answered");
    case "not-started":
      return failed(`it could not be started: ${ending.message}`);
    case "threw":
      return failed(`it threw: ${ending.message}`);
    case "returned":
      return readReturned(event, ending.value);
  }
}

function failed(failure: string): Said {
  return { ...NOTHING_SAID, failure };
}

function readReturned(event: HookEvent, value: unknown): Said {
  if (value === undefined || value === null) return NOTHING_SAID;
  return isShape(value)
    ? readAnswer(event, value)
    : failed(`its answer must be an object, got ${kindOf(value)}`);
}

function readExit(event: HookEvent, printed: Printed, code: number): Said {
  if (code === 0) return readOutput(event, printed);
  if (code !== BLOCKS) return failed(`it exited with code ${code}${excerpt(printed)}`);
  const reason = printed.stderr.trim() || reasonIn(printed.stdout);
  return { ...NOTHING_SAID, verdict: "block", reason };
}

/** Reads output that starts like JSON as JSON, and everything else as text. */
function readOutput(event: HookEvent, printed: Printed): Said {
  const text = printed.stdout.trim();
  const answer = parse(text);
  if (answer !== undefined) return readAnswer(event, answer);
  const context = takesText(event) && text !== "" ? [text] : [];
  return { ...NOTHING_SAID, context, failure: whyNotAnswer(text, printed.isCut) };
}

/** Reports output that was meant as an answer but is not one, because a guard may have wanted to deny. */
function whyNotAnswer(text: string, isCut: boolean): string {
  if (text.startsWith("{"))
    return `its output is not valid JSON${isCut ? " because it is too long and was cut off" : ""}, so it is read as text`;
  const isHidden = /"(?:hookSpecificOutput|permissionDecision|decision|continue)"\s*:/.test(text);
  return isHidden ? "it printed text before its JSON, so all of it is read as text" : "";
}

function parse(text: string): Shape | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isShape(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function reasonIn(stdout: string): string {
  const text = stdout.trim();
  const answer = parse(text);
  return answer === undefined ? text : readAnswer("PreToolUse", answer).reason;
}

function excerpt({ stdout, stderr }: Printed): string {
  const text = stderr.trim() || stdout.trim();
  return text === "" ? "" : `: ${beginning(text, EXCERPT_CHARS)}`;
}
