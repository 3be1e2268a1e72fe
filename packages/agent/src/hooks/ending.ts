/** Interprets how a hook ended: exit codes, JSON, plain text, failures. */

import { NOTHING_SAID, type Said, readAnswer } from "./answer.ts";
import { lines } from "./combine.ts";
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
  | {
      readonly type: "not-started";
      /** Why it did not start. */
      readonly message: string;
    }
  /** A server or a model that did not give an answer. */
  | {
      readonly type: "failed";
      /** What went wrong. */
      readonly message: string;
    }
  /** Functions and models only. */
  | {
      readonly type: "returned";
      /** What the function returned, as it is, or the decision of a model; undefined if it has none. */
      readonly value: unknown;
    }
  | {
      readonly type: "threw";
      /** The message of what it threw. */
      readonly message: string;
    };

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
    case "failed":
      return failed(ending.message);
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

/** JSON counts on every exit code, but a hook that failed or blocks cannot allow the call or change its input. */
function readExit(event: HookEvent, printed: Printed, code: number): Said {
  if (code === 0) return readOutput(event, printed);
  const answer = parse(printed.stdout.trim());
  const said = answer === undefined ? NOTHING_SAID : readAnswer(event, answer);
  if (code === BLOCKS) return blocked(said, printed, answer !== undefined);
  const failure = lines([`it exited with code ${code}${excerpt(printed)}`, said.failure]);
  return { ...withoutGrants(said), failure };
}

/** The reasons in the JSON and on stderr are both kept. Plain output is the reason only if there is no other. */
function blocked(said: Said, { stdout, stderr }: Printed, hasJson: boolean): Said {
  const given = [...new Set([said.reason, stderr.trim()])];
  const reason = lines(given) || (hasJson ? "" : stdout.trim());
  return { ...withoutGrants(said), verdict: "block", reason, failure: "" };
}

function withoutGrants(said: Said): Said {
  const { specific: _specific, ...rest } = said;
  return { ...rest, verdict: said.verdict === "allow" ? "none" : said.verdict, input: undefined };
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

function excerpt({ stdout, stderr }: Printed): string {
  const text = stderr.trim() || stdout.trim();
  return text === "" ? "" : `: ${beginning(text, EXCERPT_CHARS)}`;
}
