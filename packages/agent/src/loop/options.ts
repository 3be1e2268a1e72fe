/** What a query, or an agent, is made with. */

import type { AnyTool, Ask, CanUseTool, ExecutorOptions, Hooks, Verdict } from "@runahead/engine";
import type { Model } from "../model/event.ts";
import type { Block, Message } from "../model/message.ts";
import type { Price } from "../model/price.ts";
import type { HookRunner } from "../hooks/hooks.ts";
import type { Session } from "../session/sessions.ts";
import { type Confinement, noteClearance } from "@runahead/permissions";
import type { AutoJudge } from "../gate/auto.ts";
import type { AutoTurn } from "../gate/auto-turn.ts";
import type { Reminders } from "./reminders.ts";
import type { RetryPolicy } from "./retry.ts";

type FromExecutor = Pick<
  ExecutorOptions,
  "tools" | "canUseTool" | "ask" | "limit" | "start" | "journal" | "results" | "validateJsonSchema"
>;

/** What a verdict may depend on beside the tool and its input. */
export interface CallFacts {
  /** Where the call would run. */
  readonly cwd: string;
  /** A hook's `allow` may answer what a mode asks, never a rule. */
  readonly hookDecision: "allow" | "ask" | undefined;
}

/** What rules say of a call. */
export type RuleVerdict = Verdict & {
  readonly confinement?: Confinement;
  /** The names and resolved paths that the verdict looked at; undefined if it was not about a file. */
  readonly files?: readonly string[];
  /** On an `ask` of auto mode: `judge` can allow the call. */
  readonly isJudged?: boolean;
};

/** Rules that decide on calls; perhaps with somebody to ask, and perhaps changing while calls wait. */
export interface PermissionRules {
  decide(toolName: string, input: unknown, facts: CallFacts): RuleVerdict;
  /** Decides on calls whose verdict says `isJudged`. */
  readonly judge?: AutoJudge | undefined;
  /** Told of each call that will be asked about, as soon as that is known. */
  asks?(callId: string, toolName: string, input: unknown): void;
  readonly ask?: Ask;
  /** Denied as a whole: the model does not see such a tool. */
  isHidden?(toolName: string): boolean;
  /** Calls that have not started are then judged again. Gives what ends the listening. */
  onChange?(listener: () => void): () => void;
}

/** Ends the loop before the turn that would begin above one of these. */
export interface Budget {
  readonly tokens?: number;
  readonly costUsd?: number;
  readonly calls?: number;
  readonly ms?: number;
}

export interface LoopOptions extends FromExecutor {
  /** Tools that come and go, as those of servers: looked at before each turn. */
  readonly moreTools?: () => readonly AnyTool[];
  readonly model: Model;
  /** Takes over after repeated overload. */
  readonly fallbackModel?: Model;
  readonly system?: string;
  /** Adds facts to the conversation before requests. Default: none. */
  readonly reminders?: Reminders;
  /** Functions for calls, or hooks of all kinds. */
  readonly hooks?: Hooks | HookRunner;
  /** Beside `canUseTool` the stricter of the two verdicts holds. */
  readonly permissions?: PermissionRules;
  /** Goes on with what it holds, and records everything; takes the place of `journal` and `results`. */
  readonly session?: Session;
  /** The conversation so far, before what the session holds; repaired where the model's API would refuse it. */
  readonly messages?: readonly Message[];
  readonly cwd?: string;
  /** Of one prompt: 50 where absent. */
  readonly maxTurns?: number;
  /** The output limit of one response: 32,000 where absent. */
  readonly maxTokens?: number;
  /** Of one prompt. */
  readonly budget?: Budget;
  /** What the model's context holds: 200,000 where absent. The conversation is compacted before it is full. */
  readonly contextTokens?: number;
  /** False: only when asked to, or when the model says that its context is full. */
  readonly autoCompact?: boolean;
  /** Where the model is not in the table of prices, or its price is another one. */
  readonly price?: Price;
  readonly retry?: RetryPolicy;
}

export interface QueryOptions extends LoopOptions {
  readonly prompt: string | readonly Block[];
  /** Stops the calls and ends the loop; with the reason "interrupt" calls that must not be cut may finish. */
  readonly signal?: AbortSignal;
}

/** Those that there are now. */
export function toolsNow({ tools, moreTools, permissions }: LoopOptions): readonly AnyTool[] {
  const all = moreTools === undefined ? tools : [...tools, ...moreTools()];
  if (permissions?.isHidden === undefined) return all;
  return all.filter(({ name }) => permissions.isHidden?.(name) !== true);
}

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;

/** One judge out of rules and a function; undefined where there is neither, and everything is allowed. */
export function judgeOf({ permissions, canUseTool }: LoopOptions, auto?: AutoTurn): CanUseTool | undefined {
  if (permissions === undefined) return canUseTool;
  return (tool, input, context) => {
    const { callId, hookDecision, signal } = context;
    const { cwd } = context.context;
    const decide = (): RuleVerdict => permissions.decide(tool.name, input, { cwd, hookDecision });
    const byRule = decide();
    noteClearance(input, byRule, decide);
    const noted = (verdict: Verdict): Verdict => {
      if (verdict?.behavior === "ask" || hookDecision === "ask") permissions.asks?.(callId, tool.name, input);
      return verdict;
    };
    const settle = (verdict: Verdict): Verdict | Promise<Verdict> => {
      if (verdict !== byRule || byRule.behavior !== "ask" || byRule.isJudged !== true || auto === undefined)
        return noted(verdict);
      const { reason = "" } = byRule;
      return auto
        .decide({ callId, toolName: tool.name, input, cwd, reason, signal })
        .then((judged) => noted(judged.behavior === "ask" ? { ...byRule, ...judged } : judged));
    };
    if (byRule.behavior === "deny") return byRule;
    if (canUseTool === undefined) return settle(byRule);
    const verdict = canUseTool(tool, input, context);
    return verdict instanceof Promise
      ? verdict.then((later) => settle(stricter(byRule, later)))
      : settle(stricter(byRule, verdict));
  };
}

function stricter(byRule: Verdict, other: Verdict): Verdict {
  // An answer of an unknown form is the engine's to refuse.
  return STRICTNESS[byRule.behavior] > (STRICTNESS[other?.behavior] ?? Infinity) ? byRule : other;
}
