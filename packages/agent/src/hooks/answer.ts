/** Reads the answer of a hook: the JSON that a command prints, or the value that a function returns. */

import type { HookEvent } from "./event.ts";
import { type Shape, isShape } from "@runahead/base";
import { harmlessSequences } from "./terminal-sequence.ts";
import { kindOf } from "./words.ts";

/** The answer of a hook: printed as JSON by commands, returned by functions. */
export interface HookAnswer {
  /** False ends the turn. */
  readonly continue?: boolean;
  readonly stopReason?: string;
  /** Shown to the user. */
  readonly systemMessage?: string;
  /** A notification, a title or a bell for the terminal; other control sequences are left out. */
  readonly terminalSequence?: string;
  /** The decision on events other than PreToolUse, where it is the older form of `permissionDecision`. */
  readonly decision?: "block" | "approve";
  readonly reason?: string;
  readonly hookSpecificOutput?: {
    readonly hookEventName?: string;
    readonly permissionDecision?: "allow" | "deny" | "ask" | "defer";
    readonly permissionDecisionReason?: string;
    /** Replaces the whole input of the call. */
    readonly updatedInput?: Readonly<Record<string, unknown>>;
    /** Added for the model. */
    readonly additionalContext?: string;
    /** Replaces the result that the model reads. */
    readonly updatedToolOutput?: unknown;
    /** Replaces the result of a tool of an MCP server; the older form of `updatedToolOutput`. */
    readonly updatedMCPToolOutput?: unknown;
    /** The decision on a PermissionRequest. */
    readonly decision?: Readonly<Record<string, unknown>>;
    /** The answer to an Elicitation, or what replaces it. */
    readonly action?: "accept" | "decline" | "cancel";
    readonly content?: Readonly<Record<string, unknown>>;
    /** Of SessionStart, CwdChanged and FileChanged: files whose changes are FileChanged events from now on. */
    readonly watchPaths?: readonly string[];
    /** Of SessionStart: a message that is sent before the first prompt. */
    readonly initialUserMessage?: string;
    /** Of SessionStart: whether skills and commands are read again. */
    readonly reloadSkills?: boolean;
    /** Of PermissionDenied: whether the model can make the call again. */
    readonly retry?: boolean;
    /** Of MessageDisplay: what is shown instead of the text. */
    readonly displayContent?: string;
    /** Of WorktreeCreate: the path of the worktree, instead of plain text. */
    readonly worktreePath?: string;
  };
}

/** From weakest to strictest. */
const VERDICTS = ["none", "allow", "ask", "defer", "block"] as const;

export type HookVerdict = (typeof VERDICTS)[number];

/** The parsed answer of one hook. Missing texts are empty. */
export interface Said {
  readonly verdict: HookVerdict;
  readonly reason: string;
  readonly context: readonly string[];
  readonly message: string;
  /** Why it ends the turn, if it does. */
  readonly stop: string | undefined;
  readonly input: Shape | undefined;
  readonly output: { readonly value: unknown } | undefined;
  /** `hookSpecificOutput` of events whose answer is neither a verdict nor context. */
  readonly specific?: Shape;
  /** For the terminal; only sequences that cannot do harm. */
  readonly sequence?: string;
  /** What went wrong. */
  readonly failure: string;
}

export const NOTHING_SAID: Said = {
  verdict: "none",
  reason: "",
  context: [],
  message: "",
  stop: undefined,
  input: undefined,
  output: undefined,
  failure: "",
};

/** An invalid answer is a failure: its objections still count, but its allow does not. */
export function readAnswer(event: HookEvent, answer: Shape): Said {
  const reader = new Reader();
  const specific = reader.shape(answer, "hookSpecificOutput") ?? {};
  const verdict = stricter(
    reader.choice(answer, "decision", event === "PreToolUse" ? OLD_DECISIONS : DECISIONS),
    isJudging(event) ? reader.choice(specific, "permissionDecision", PERMISSION_DECISIONS) : "none",
  );
  const context = reader.text(specific, "additionalContext");
  const stopReason = reader.text(answer, "stopReason");
  const stops = reader.flag(answer, "continue") === false;
  const sequence = harmlessSequences(reader.text(answer, "terminalSequence"));
  const said: Said = {
    verdict,
    reason: reader.text(specific, "permissionDecisionReason") || reader.text(answer, "reason"),
    context: context === "" ? [] : [context],
    message: reader.text(answer, "systemMessage"),
    stop: stops ? stopReason : undefined,
    input: event === "PreToolUse" ? reader.shape(specific, "updatedInput") : undefined,
    output: event === "PostToolUse" ? outputOf(specific) : undefined,
    ...(HAS_SPECIFIC.has(event) ? { specific } : {}),
    ...(sequence === "" ? {} : { sequence }),
    failure: "",
  };
  if (reader.problems.length === 0) return said;
  const failure = `its answer is invalid: ${reader.problems.join(", ")}`;
  return { ...said, failure, verdict: verdict === "allow" ? "none" : verdict, input: undefined };
}

/** PreModelSwitch has the decisions of PreToolUse. */
function isJudging(event: HookEvent): boolean {
  return event === "PreToolUse" || event === "PreModelSwitch";
}

const HAS_SPECIFIC: ReadonlySet<HookEvent> = new Set<HookEvent>([
  "PermissionRequest",
  "PermissionDenied",
  "Elicitation",
  "ElicitationResult",
  "SessionStart",
  "CwdChanged",
  "FileChanged",
  "MessageDisplay",
  "WorktreeCreate",
]);

export function stricter(one: HookVerdict, other: HookVerdict): HookVerdict {
  return VERDICTS.indexOf(one) < VERDICTS.indexOf(other) ? other : one;
}

type Choices = Readonly<Record<string, HookVerdict>>;

const DECISIONS: Choices = { block: "block", approve: "none" };
const OLD_DECISIONS: Choices = { block: "block", approve: "allow" };
const PERMISSION_DECISIONS: Choices = { deny: "block", defer: "defer", ask: "ask", allow: "allow" };

function outputOf({ updatedToolOutput, updatedMCPToolOutput }: Shape): Said["output"] {
  const value = updatedToolOutput ?? updatedMCPToolOutput;
  return value === undefined || value === null ? undefined : { value };
}

/** Reads members of an answer and collects those that are invalid. Null counts as missing. */
class Reader {
  readonly problems: string[] = [];

  shape(from: Shape, name: string): Shape | undefined {
    return this.#read(from, name, { is: isShape, wanted: "an object" });
  }

  text(from: Shape, name: string): string {
    return this.#read(from, name, { is: isText, wanted: "a string" }) ?? "";
  }

  flag(from: Shape, name: string): boolean | undefined {
    return this.#read(from, name, { is: isFlag, wanted: "true or false" });
  }

  choice(from: Shape, name: string, choices: Choices): HookVerdict {
    const value = this.text(from, name);
    if (value === "") return "none";
    const verdict = Object.hasOwn(choices, value) ? choices[value] : undefined;
    if (verdict === undefined)
      this.problems.push(
        `${name} must be one of ${Object.keys(choices).join(", ")}, got ${JSON.stringify(value)}`,
      );
    return verdict ?? "none";
  }

  #read<Value>(from: Shape, name: string, { is, wanted }: Wanted<Value>): Value | undefined {
    const value = from[name];
    if (value === undefined || value === null) return undefined;
    if (is(value)) return value;
    this.problems.push(`${name} must be ${wanted}, got ${kindOf(value)}`);
    return undefined;
  }
}

interface Wanted<Value> {
  readonly is: (value: unknown) => value is Value;
  readonly wanted: string;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isFlag(value: unknown): value is boolean {
  return typeof value === "boolean";
}
