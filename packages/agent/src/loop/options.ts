/** What a query, or an agent, is made with. */

import type { AnyTool, Ask, CanUseTool, ExecutorOptions, Hooks, Verdict } from "@runahead/engine";
import type { Model } from "../model/event.ts";
import type { Block, Message } from "../model/message.ts";
import type { Price } from "../model/price.ts";
import type { HookRunner } from "../hooks/hooks.ts";
import type { Session } from "../session/sessions.ts";
import { type Confinement, confine } from "../system/confinement.ts";
import { noteJudgedFiles } from "../system/judged-files.ts";
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

/** Rules that decide on calls; perhaps with somebody to ask, and perhaps changing while calls wait. */
export interface PermissionRules {
  decide(
    toolName: string,
    input: unknown,
    facts: CallFacts,
  ): Verdict & { readonly confinement?: Confinement; readonly files?: readonly string[] };
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
export function judgeOf({ permissions, canUseTool }: LoopOptions): CanUseTool | undefined {
  if (permissions === undefined) return canUseTool;
  return (tool, input, context) => {
    const { callId, hookDecision } = context;
    const byRule = permissions.decide(tool.name, input, { cwd: context.context.cwd, hookDecision });
    confine(input, byRule.behavior === "allow" ? byRule.confinement : undefined);
    noteJudgedFiles(input, byRule.files);
    const noted = (verdict: Verdict): Verdict => {
      if (verdict?.behavior === "ask" || hookDecision === "ask") permissions.asks?.(callId, tool.name, input);
      return verdict;
    };
    if (byRule.behavior === "deny") return byRule;
    if (canUseTool === undefined) return noted(byRule);
    const verdict = canUseTool(tool, input, context);
    return verdict instanceof Promise
      ? verdict.then((later) => noted(stricter(byRule, later)))
      : noted(stricter(byRule, verdict));
  };
}

function stricter(byRule: Verdict, other: Verdict): Verdict {
  // An answer of an unknown form is the engine's to refuse.
  return STRICTNESS[byRule.behavior] > (STRICTNESS[other?.behavior] ?? Infinity) ? byRule : other;
}
