/** The types of sub-agents that a model can start: the built-in ones, and how a definition limits tools. */

import type { AnyTool, CanUseTool } from "@runahead/engine";
import type { LoopOptions } from "../loop/options.ts";
import type { Model } from "../model/event.ts";
import { inMode } from "./agent-mode.ts";
import { forNotes, withNotes } from "./agent-notes.ts";
import { ToolLimits } from "./tool-limits.ts";

/** Describes a type of sub-agent that a model can start. */
export interface AgentDefinition {
  /** The name that the model uses. Must be unique. A definition named like a built-in one replaces it. */
  readonly name: string;
  /** When to use it, for the model that starts it. */
  readonly description: string;
  /** Its system prompt. */
  readonly prompt: string;
  /**
   * The tools that it can use: names, `mcp__server`, `mcp__server__*`, or rules such as `Bash(git log:*)`, which allow
   * only matching calls, and `Agent(reviewer)`, which names the sub-agents that it can start. A rule only restricts:
   * a call that needs approval still does. Default: all tools of its caller.
   */
  readonly tools?: readonly string[];
  /** Tools that it cannot use, in the same form; wins over `tools`. Default: none. */
  readonly disallowedTools?: readonly string[];
  /**
   * Its permission mode: `default`, `plan` and `dontAsk` restrict it; `acceptEdits` takes effect if the mode of the
   * whole agent is `default`. Default: the mode of its caller.
   */
  readonly permissionMode?: "default" | "plan" | "dontAsk" | "acceptEdits";
  /** How much effort its model makes. Default: its caller's. */
  readonly effort?: string;
  /** Whose notes it keeps: the user's, the project's or private ones. The folder is `memoryFolder`. Default: none. */
  readonly memory?: "user" | "project" | "local";
  /** The absolute path of the folder of its notes, where it can read and write files without approval. Default: none. */
  readonly memoryFolder?: string;
  /** The names of the MCP servers whose tools it has, as in the names of the tools. Default: those of its caller. */
  readonly mcpServers?: readonly string[];
  /** Whether its caller does not wait for it. Default: false. */
  readonly background?: boolean;
  /** Hooks that run only for it, in the form of the settings. Default: none. */
  readonly hooks?: Readonly<Record<string, unknown>>;
  /** Its model. Default: its caller's. */
  readonly model?: Model;
  /** The maximum number of turns. Default: 50. */
  readonly maxTurns?: number;
  /** Summarises its conversation as if its model had a window of this many tokens. Default: the window of its model. */
  readonly contextTokens?: number;
  /** Whether it works without the instruction files that its caller has. Default: false. */
  readonly omitInstructions?: boolean;
  /** What a main agent with this definition is asked first. Sub-agents ignore it. Default: nothing. */
  readonly initialPrompt?: string;
  /** Denies every call that does not only read, and removes the tools whose calls never only read. Default: false. */
  readonly readOnly?: boolean;
  /** `worktree`: works in a git worktree of its own, unless the call says otherwise. Default: the caller's folder. */
  readonly isolation?: "worktree";
}

const REPORT =
  "answer with what you found or did: only your last message is returned. Give paths as `path:line`, and say plainly what failed or was not done.";

export const GENERAL: AgentDefinition = {
  name: "general-purpose",
  description: "for tasks of several steps, such as searching, reading and changing code; has all tools",
  prompt: `You are a sub-agent of Runahead, a coding agent. Complete the task you are given with your tools, then ${REPORT}`,
};

const EXPLORE: AgentDefinition = {
  name: "explore",
  description: "read-only and fast: finds files and code and answers questions about them",
  prompt: `You are a sub-agent of Runahead, a coding agent. You search and read; you cannot change anything. Put independent searches into one response so that they run in parallel. Stop as soon as you can answer, then ${REPORT}`,
  readOnly: true,
};

const PLAN: AgentDefinition = {
  name: "plan",
  description: "read-only: studies the code and returns a plan for a change",
  prompt: `You are a sub-agent of Runahead, a coding agent. You plan a change; you cannot make it. Read the code that the change touches and look for what exists already. Then answer with the plan: the steps in order with the files they change (\`path:line\`), how to test them, and open questions. Only your last message is returned.`,
  readOnly: true,
};

const BUILT_IN: readonly AgentDefinition[] = [GENERAL, EXPLORE, PLAN];

/** Returns the built-in definitions and the given ones; one with the name of a built-in one replaces it. */
export function allDefinitions(
  own: readonly AgentDefinition[],
  fastModel: Model | undefined,
): readonly AgentDefinition[] {
  const names = new Set(own.map(({ name }) => name));
  const builtIn = BUILT_IN.filter(({ name }) => !names.has(name)).map((one) =>
    one === EXPLORE && fastModel !== undefined ? { ...one, model: fastModel } : one,
  );
  return [...builtIn, ...own];
}

/** Read once for each definition: many sub-agents can have the same one. */
const limits = new WeakMap<AgentDefinition, ToolLimits>();

export function limitsOf(definition: AgentDefinition): ToolLimits {
  const known = limits.get(definition) ?? new ToolLimits(withNotes(definition));
  limits.set(definition, known);
  return known;
}

/** Whether a definition lets its sub-agents use this tool. */
export function offers(definition: AgentDefinition, tool: AnyTool): boolean {
  const isReadable = definition.readOnly !== true || tool.isReadOnly !== undefined;
  return isReadable && isOfServers(definition, tool) && limitsOf(definition).offers(tool);
}

function isOfServers({ mcpServers }: AgentDefinition, { name }: AnyTool): boolean {
  if (mcpServers === undefined || !name.startsWith("mcp__")) return true;
  return mcpServers.some((server) => name.startsWith(`mcp__${server}__`));
}

/**
 * Returns the judge of a sub-agent: the caller's, with the limits and the mode of the definition, and for a read-only
 * definition nothing that writes.
 */
export function judgeFor(definition: AgentDefinition, options: LoopOptions, callers: CanUseTool): CanUseTool {
  const { readOnly = false, name, permissionMode } = definition;
  const inOwnMode = inMode(permissionMode, options, callers);
  const judge = limitsOf(definition).judging(forNotes(definition, inOwnMode));
  if (!readOnly) return judge;
  const reason = `The sub-agent ${name} only reads. Report what should be changed instead.`;
  return (tool, input, context) =>
    tool.isReadOnly?.(input as Record<string, unknown>) === true
      ? judge(tool, input, context)
      : { behavior: "deny", reason };
}
