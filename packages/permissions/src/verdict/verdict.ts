/** A verdict, and what decided it. */

import type { Confinement } from "./clearance.ts";
import type { Action, Rule } from "../rules/rule.ts";
import type { Mode } from "../rules/modes.ts";

/** What decided about a call. */
export type By =
  /** A rule of the settings. */
  | {
      readonly type: "rule";
      /** The rule as written. */
      readonly rule: string;
      /** The name of the settings file that has it. */
      readonly source: string;
    }
  /** The permission mode, because no rule decided. */
  | {
      readonly type: "mode";
      /** The permission mode. */
      readonly mode: Mode;
    }
  /** A protected place, such as `.git`, that the call would write to. */
  | {
      readonly type: "protected";
      /** The protected place, such as `.git`. */
      readonly place: string;
    }
  /** A removal that is almost certainly a mistake, such as `rm -rf /`. */
  | { readonly type: "critical" }
  /** The call only reads, and only inside the workspace. */
  | { readonly type: "reading" }
  /** What the call would do cannot be determined. */
  | { readonly type: "unclear" }
  /** The input is not valid for the tool. */
  | { readonly type: "input" };

/** Whether a call can run, and why. */
export interface Verdict {
  /** `allow`: it can run. `ask`: it can run once the user agrees. `deny`: it must not run. */
  readonly behavior: Action;
  /** A sentence for the user or the model. */
  readonly reason: string;
  /** What decided. */
  readonly by: By;
  /** Set on an allow that holds only inside the read-only sandbox. */
  readonly confinement?: Confinement;
  /** Set on verdicts about a file tool: each name and resolved path that was checked. The tool opens no other. */
  readonly files?: readonly string[];
}

export function byRule(rule: Rule, what: string): Verdict {
  const verb = { allow: "is allowed by", ask: "needs approval because of", deny: "is denied by" }[
    rule.action
  ];
  return {
    behavior: rule.action,
    reason: `${what} ${verb} the rule ${rule.text} (${rule.source}).`,
    by: { type: "rule", rule: rule.text, source: rule.source },
  };
}

/** Asks the user, whatever the rules and the mode; denies in modes that never ask. */
export function mustAsk(reason: string, by: By, mode: Mode): Verdict {
  const isRefused = mode === "dontAsk" || mode === "plan";
  return {
    behavior: isRefused ? "deny" : "ask",
    reason: isRefused ? `${reason} Mode ${mode} denies calls that need approval.` : reason,
    by,
  };
}

/** The verdict of the mode on a call that no rule allows. */
export function byMode(reason: string, mode: Mode, changes: boolean): Verdict {
  const by: By = { type: "mode", mode };
  if (mode === "bypassPermissions")
    return { behavior: "allow", reason: "Mode bypassPermissions allows this call.", by };
  if (mode === "plan" && changes)
    return {
      behavior: "deny",
      reason: `${reason} Plan mode denies changes until the user approves a plan.`,
      by,
    };
  if (mode === "dontAsk")
    return { behavior: "deny", reason: `${reason} Mode dontAsk denies calls that need approval.`, by };
  return { behavior: "ask", reason, by };
}
