/** Options of queries and agents. */

import type {
  AnyTool,
  Around,
  Ask,
  CanUseTool,
  ExecutorOptions,
  Hooks,
  JsonSchema,
  LocksOptions,
  Verdict,
} from "@runahead/engine";
import type { BackgroundTasks } from "@runahead/base";
import type { Model } from "../model/event.ts";
import type { Block, Message } from "../model/message.ts";
import type { Price } from "../model/price.ts";
import type { HookRunner } from "../hooks/hook-runner.ts";
import type { Session, SessionState } from "../session/sessions.ts";
import type { Confinement, WorkspaceCopy } from "@runahead/permissions";
import { noteClearance } from "@runahead/permissions/internal";
import type { AutoJudge } from "../gate/auto.ts";
import type { AutoTurn } from "../gate/auto-turn.ts";
import type { ToolChoice } from "../model/tool-choice.ts";
import type { PrepareTurn } from "./prepare-turn.ts";
import type { Reminders } from "./reminders.ts";
import type { RetryPolicy } from "./retry.ts";
import type { OutputSchema } from "./structured-output.ts";

type FromExecutor = Pick<
  ExecutorOptions,
  "tools" | "canUseTool" | "ask" | "limit" | "start" | "journal" | "results" | "validateJsonSchema" | "locks"
>;

/** What a verdict can depend on besides the tool and its input. */
export interface CallFacts {
  /** Where the call would run. */
  readonly cwd: string;
  /** What a hook decided. Its `allow` replaces a question of the mode, never one of a rule. */
  readonly hookDecision: "allow" | "ask" | undefined;
}

/** The verdict of rules on a call. */
export type RuleVerdict = Verdict & {
  /** How the call must be confined if it runs. */
  readonly confinement?: Confinement;
  /** The names and resolved paths that were checked; undefined if the call is not about files. */
  readonly files?: readonly string[];
  /** On an `ask` of auto mode: whether `judge` can allow the call. */
  readonly isJudged?: boolean;
};

/**
 * Rules that decide on calls. They can ask the user, and can change while calls wait. See {@link PermissionGate}.
 */
export interface PermissionRules {
  /** Returns the verdict on a call. Must be fast, and must not ask the user. */
  decide(toolName: string, input: unknown, facts: CallFacts): RuleVerdict;
  /** The current permission mode, if there is one. */
  readonly mode?: string;
  /** Returns the verdict on a call as if another mode were set. Sub-agents with their own mode need it. */
  decideIn?(toolName: string, input: unknown, facts: CallFacts & { readonly mode: string }): RuleVerdict;
  /** Decides on calls whose verdict says `isJudged`. */
  readonly judge?: AutoJudge | undefined;
  /** Called for each call that will be asked about, as soon as that is known. */
  asks?(callId: string, toolName: string, input: unknown): void;
  /** Asks the user about one call. Without it, such a call is denied. */
  readonly ask?: Ask;
  /** Returns whether the whole tool is denied: the model does not see it. */
  isHidden?(toolName: string): boolean;
  /**
   * Adds a copy of the workspace, such as the git worktree of a sub-agent: rules about a file then apply to its copy
   * too. Returns the function that removes it.
   */
  addCopy?(copy: WorkspaceCopy): () => void;
  /**
   * Calls the listener when verdicts can change: calls that have not started are then judged again. Returns the
   * function that removes the listener.
   */
  onChange?(listener: () => void): () => void;
}

/** Limits of one prompt. When one is reached, the next turn does not begin. */
export interface Budget {
  /** The maximum number of tokens, input and output together. */
  readonly tokens?: number;
  /** The maximum cost in US dollars. Has no effect if the price of the model is unknown. */
  readonly costUsd?: number;
  /** The maximum number of calls. */
  readonly calls?: number;
  /** The maximum time in milliseconds. */
  readonly ms?: number;
}

/** Options that agents, queries and sub-agents share. */
export interface LoopOptions extends FromExecutor {
  /**
   * The capacity of places and tools, over the agent and all its sub-agents, as in `createLocks` of the engine:
   * `{ "api:/github": { concurrent: 4, perMinute: 60 }, "tool:/WebFetch": 2 }`. Ignored with `locks`. Default: none.
   */
  readonly limits?: LocksOptions["limits"];
  /** Returns tools that come and go, such as those of MCP servers. Called before each turn. */
  readonly moreTools?: () => readonly AnyTool[];
  /** The model that answers. */
  readonly model: Model;
  /**
   * Takes over after repeated overload, for the rest of the conversation. Of a list, each model takes over from the one
   * before it. Default: none.
   */
  readonly fallbackModel?: Model | readonly Model[];
  /**
   * Whether the model calls tools. `required` and a named tool hold for the first turn of each prompt, because the model
   * could never answer otherwise; `none` holds for all turns. Sub-agents do not inherit it. Default: `auto`.
   */
  readonly toolChoice?: ToolChoice;
  /**
   * Called before each turn: can choose another model, fewer tools, a tool choice and another system prompt for this
   * turn. Sub-agents do not inherit it. Default: every turn is the same.
   */
  readonly prepareTurn?: PrepareTurn;
  /**
   * The schema of the answer: a Standard Schema (Zod, Valibot, ArkType), or plain JSON Schema with `validateJsonSchema`.
   * The result then has `output`. The provider enforces the schema if it can; otherwise the model calls a tool with its
   * answer. An answer that does not fit is returned to the model with the reasons, at most twice. Sub-agents do not
   * inherit it. Default: the answer is text.
   */
  readonly outputSchema?: OutputSchema;
  /** The JSON Schema of the answer for the model, if the schema library cannot generate it (Zod 3, Valibot). */
  readonly outputJsonSchema?: JsonSchema;
  /** The system prompt. Default: none. */
  readonly system?: string;
  /** Adds facts to the conversation before requests. Default: none. */
  readonly reminders?: Reminders;
  /**
   * Runs around every permitted call, also those of sub-agents: see {@link aroundTools} of the engine. What it returns
   * becomes the output of the call. Default: none.
   */
  readonly around?: Around;
  /** Functions for calls, or hooks of all kinds made with `createHooks`. */
  readonly hooks?: Hooks | HookRunner;
  /**
   * Rules that decide on calls. If there is `canUseTool` too, the stricter verdict holds. Default: every call is
   * allowed.
   */
  readonly permissions?: PermissionRules;
  /**
   * Continues this session and records everything in it; replaces `journal` and `results`. Only one agent or query
   * can use it at a time.
   */
  readonly session?: Session;
  /**
   * Parts of the program whose state is saved in the session after each turn and restored when it is resumed, by name.
   * Ignored without `session`. Default: none.
   */
  readonly state?: Readonly<Record<string, SessionState>>;
  /** Earlier messages, added after those of the session. Repaired if the model's API would reject them. */
  readonly messages?: readonly Message[];
  /** The working directory of calls. Default: the session's, then that of the process. */
  readonly cwd?: string;
  /** The maximum number of turns of one prompt. Default: 50. */
  readonly maxTurns?: number;
  /** The output limit of one response. Default: 32,000, or the model's own limit if that is lower. */
  readonly maxTokens?: number;
  /** Limits of one prompt. Default: none. */
  readonly budget?: Budget;
  /** The size of the context window. The conversation is compacted before it is full. Default: that of the model, or 200,000 if it is not known. */
  readonly contextTokens?: number;
  /** False: compact only when asked to, or when the model reports that its context is full. Default: true. */
  readonly autoCompact?: boolean;
  /** The price of the model, if it is not in the table or differs from it. */
  readonly price?: Price;
  /** Background work of tools, such as shell commands: the agent is woken when it ends, and its tools can reach it. */
  readonly background?: BackgroundTasks;
  /** How often and how soon a failed request is sent again. Default: 10 attempts, waiting 0.5 s to 32 s. */
  readonly retry?: RetryPolicy;
}

/** Options of {@link query}. */
export interface QueryOptions extends LoopOptions {
  /** The prompt. Default: continues the session, such as after `session.answer`. */
  readonly prompt?: string | readonly Block[];
  /** Ends the work and stops its calls. With the reason "interrupt", calls that must not be interrupted finish first. */
  readonly signal?: AbortSignal;
}

/** Returns the tools for the next request. */
export function toolsNow({ tools, moreTools, permissions }: LoopOptions): readonly AnyTool[] {
  const all = moreTools === undefined ? tools : [...tools, ...moreTools()];
  if (permissions?.isHidden === undefined) return all;
  return all.filter(({ name }) => permissions.isHidden?.(name) !== true);
}

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;

/** Combines rules and function into one judge. Undefined without both: then every call is allowed. */
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
  // The engine rejects a verdict of an unknown form.
  return STRICTNESS[byRule.behavior] > (STRICTNESS[other?.behavior] ?? Infinity) ? byRule : other;
}
