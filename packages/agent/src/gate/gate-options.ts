/** What a permission gate is made with, and the questions and answers that pass through it. */

import type { PermissionOptions, PermissionSource, RuleChoice } from "@runahead/permissions";
import type { AutoJudge } from "./auto.ts";

/** A question to the user about one call. */
export interface PersonQuestion {
  /** The id of the call. */
  readonly callId: string;
  /** The name of its tool. */
  readonly toolName: string;
  /** The input of the call, validated. */
  readonly input: unknown;
  /** What the call does, in one line. */
  readonly description: string;
  /** Why the call needs an answer. */
  readonly reason: string;
  /** What the user can allow beyond this call, the narrowest first; empty if no rule can allow it. */
  readonly choices: readonly RuleChoice[];
  /** Who asks: the type and id of a sub-agent, such as `reviewer (agent-1)`; undefined if the agent itself asks. */
  readonly from: string | undefined;
  /** How many questions wait after this one. */
  readonly waiting: number;
  /** Aborted when the question is withdrawn. */
  readonly signal: AbortSignal;
}

/**
 * The answer to a {@link PersonQuestion}.
 *
 * - `once`: allows this call.
 * - `session`, `always`: allows it and adds rules, for this session or permanently.
 * - `no`: denies it. Without a message it also ends the turn.
 * - `unanswered`: nobody can be asked, so it is denied for the reason of the question.
 * - `withdrawn`: the question's signal was aborted before there was an answer. This is not a `no`.
 */
export type PersonAnswer =
  | {
      /** Which answer it is. */
      readonly type: "once";
      /** Replaces the input of the call. A deny rule still denies it. Default: unchanged. */
      readonly input?: Readonly<Record<string, unknown>>;
    }
  | {
      readonly type: "session" | "always";
      /** The rules of one of the choices, or others. Default: those of the first choice. */
      readonly rules?: readonly string[];
      /** Replaces the input of the call. A deny rule still denies it. Default: unchanged. */
      readonly input?: Readonly<Record<string, unknown>>;
    }
  | {
      readonly type: "no";
      /** For the model. Without it the turn ends. */
      readonly message?: string;
      /** Ends the turn although there is a message. Default: false. */
      readonly endTurn?: boolean;
      /** Who says no, such as `a hook`; the model does not read its message as the user's words. Default: the user. */
      readonly by?: string;
    }
  /** The answer comes later, perhaps in another process: see `session.questions`. */
  | { readonly type: "defer" }
  /** Nobody answered: the call is denied for the reason of the question. */
  | { readonly type: "unanswered" }
  | { readonly type: "withdrawn" };

/** Options of {@link PermissionGate}. */
export interface GateOptions extends Omit<PermissionOptions, "settings" | "copies"> {
  /** The mode and the rules, as `loadSettings` returns them. */
  readonly settings: GateSettings;
  /** Asks the user. Without it, calls that need an answer are denied. */
  readonly askPerson?: (question: PersonQuestion) => PersonAnswer | Promise<PersonAnswer>;
  /** Knows which tools need approval whatever the rules say: those that changed since they were approved (H05), or always. */
  readonly approvals?: Approvals;
  /**
   * Whether commands run in a sandbox, or a function that decides for one command. If so, commands that only the mode
   * asks about are allowed. Default: false.
   */
  readonly isSandboxed?: boolean | ((input: unknown, cwd: string) => boolean);
  /** Decides in auto mode on calls that only the mode asks about. Without it, the user is asked. */
  readonly judge?: AutoJudge;
  /** Saves a rule permanently. If it fails, the rule applies to this session only, and a notice reports it. */
  readonly save?: (rule: string) => Promise<void>;
  /** Receives problems that do not stop the work. */
  readonly onNotice?: (message: string) => void;
}

/** Knows which tools of servers need approval, whatever the rules say. */
export interface Approvals {
  /** Returns whether the definition of the tool changed since it was approved. */
  changedSinceApproval(toolName: string): boolean;
  /** Approves the current definition of the tool. */
  approve(toolName: string): void;
  /**
   * Returns the name of the file that requires approval for every call of the tool; undefined if rules decide. Default: rules
   * decide.
   */
  alwaysAsks?(toolName: string): string | undefined;
}

/** The mode and the rules of a {@link PermissionGate}. */
export interface GateSettings {
  /**
   * What happens to calls that no rule decides: `default`, `acceptEdits`, `plan`, `auto`, `dontAsk` or
   * `bypassPermissions`.
   */
  readonly mode: string;
  /** Rules by where they come from, the strongest source first. A deny of any source comes before all allows. */
  readonly sources: readonly PermissionSource[];
  /** Whether the folder is trusted. Default: the `trusted` option. */
  readonly isTrusted?: boolean;
  /** Modes that `setMode` refuses, each with the reason in words. Default: none. */
  readonly forbiddenModes?: Readonly<Record<string, string>>;
}

/** Rules that apply for a time. */
export interface GrantedRules {
  /** Where they come from, for reasons: `the skill deploy`. */
  readonly name: string;
  /** Calls that run without a question. Default: none. */
  readonly allow?: readonly string[];
  /** Calls that never run. Default: none. */
  readonly deny?: readonly string[];
  /** Absolute paths of folders that count as part of the workspace. Default: none. */
  readonly additionalDirectories?: readonly string[];
}

/** Rules that were added during the session. */
export interface SessionRules {
  /** Rules that allow calls. */
  readonly allow: readonly string[];
  /** Rules that ask the user. */
  readonly ask: readonly string[];
  /** Rules that deny calls. */
  readonly deny: readonly string[];
}
