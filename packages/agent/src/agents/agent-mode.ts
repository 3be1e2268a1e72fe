/** The permission mode of a sub-agent's definition. */

import type { CanUseTool, Verdict } from "@runahead/engine";
import { noteClearance } from "@runahead/permissions/internal";
import type { LoopOptions, RuleVerdict } from "../loop/options.ts";

type AgentMode = "default" | "plan" | "dontAsk" | "acceptEdits";

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;

/**
 * Judges calls in a mode of their own. The stricter verdict counts, so no mode allows what the caller's judge denies.
 * Only `acceptEdits` can allow what the caller's judge asks about, and only if the mode is the reason for the question.
 */
export function inMode(mode: AgentMode | undefined, options: LoopOptions, judge: CanUseTool): CanUseTool {
  const { permissions, canUseTool } = options;
  if (mode === undefined || permissions?.decideIn === undefined) return judge;
  return (tool, input, context) => {
    const { cwd } = context.context;
    const { hookDecision } = context;
    const decide = (): RuleVerdict =>
      permissions.decideIn?.(tool.name, input, { cwd, hookDecision, mode }) ?? { behavior: "ask" };
    const settle = (verdict: Verdict): Verdict => {
      const own = decide();
      const isLoosened = mode === "acceptEdits" && permissions.mode === "default" && own.behavior === "allow";
      const isOpen = verdict?.behavior === "ask" && canUseTool === undefined && hookDecision !== "ask";
      if (isLoosened && isOpen) {
        noteClearance(input, own, decide);
        return own;
      }
      return STRICTNESS[own.behavior] > (STRICTNESS[verdict?.behavior] ?? Infinity) ? own : verdict;
    };
    const verdict = judge(tool, input, context);
    return verdict instanceof Promise ? verdict.then(settle) : settle(verdict);
  };
}
