/** A verdict, and who gave it. */

import type { Confinement } from "./clearance.ts";
import type { Action, Rule } from "../rules/rule.ts";
import type { Mode } from "../rules/modes.ts";

/** What decided on a call. */
export type By =
  /** A rule of the settings. */
  | { readonly type: "rule"; readonly rule: string; readonly source: string }
  /** The permission mode, because no rule decided. */
  | { readonly type: "mode"; readonly mode: Mode }
  /** A protected place, such as `.git`, that the call would write to. */
  | { readonly type: "protected"; readonly place: string }
  /** A removal of what nobody wants to lose. */
  | { readonly type: "critical" }
  /** Inside the workspace, or known to only look. */
  | { readonly type: "reading" }
  /** It cannot be determined what the call would do. */
  | { readonly type: "unclear" }
  /** The input is not what the tool takes. */
  | { readonly type: "input" };

/** Whether a call can run, and why. */
export interface Verdict {
  /** `allow`: it can run. `ask`: it can run once a person agrees. `deny`: it must not run. */
  readonly behavior: Action;
  /** A sentence for a person or a model. */
  readonly reason: string;
  /** What decided. */
  readonly by: By;
  /** Set on an allow that holds only inside the read-only sandbox. */
  readonly confinement?: Confinement;
  /** Set on verdicts about a file tool: each name and resolved path that was judged. The tool opens no other. */
  readonly files?: readonly string[];
}

export function byRule(rule: Rule, what: string): Verdict {
  const verb = { allow: "allowed", ask: "to be asked about", deny: "denied" }[rule.action];
  return {
    behavior: rule.action,
    reason: `${what} is ${verb} by the rule ${rule.text} (${rule.source}).`,
    by: { type: "rule", rule: rule.text, source: rule.source },
  };
}

/** A question that no rule and no mode answers; where nobody is asked, it is a no. */
export function mustAsk(reason: string, by: By, mode: Mode): Verdict {
  const isRefused = mode === "dontAsk" || mode === "plan";
  return {
    behavior: isRefused ? "deny" : "ask",
    reason: isRefused ? `${reason} The mode is ${mode}.` : reason,
    by,
  };
}

/** What the mode says of a call that no rule allows. */
export function byMode(reason: string, mode: Mode, changes: boolean): Verdict {
  const by: By = { type: "mode", mode };
  if (mode === "bypassPermissions")
    return { behavior: "allow", reason: "The mode is bypassPermissions.", by };
  if (mode === "plan" && changes)
    return { behavior: "deny", reason: `${reason} The mode is plan: nothing is changed.`, by };
  if (mode === "dontAsk") return { behavior: "deny", reason: `${reason} The mode is dontAsk.`, by };
  return { behavior: "ask", reason, by };
}
