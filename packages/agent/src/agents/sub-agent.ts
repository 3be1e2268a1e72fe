/** The Agent tool: starts sub-agents with their own context and the permissions of their caller. */

import { randomUUID } from "node:crypto";
import { type AnyTool, type CallContext, type Question, defineTool } from "@runahead/engine";
import {
  type Check,
  aBoolean,
  aNumberFromZero,
  aString,
  anArray,
  aFunction,
  anObject,
  checkOptions,
  required,
} from "@runahead/base";
import type { HookAgent } from "../hooks/payload.ts";
import type { Model } from "../model/event.ts";
import type { AgentEvent, EndReason, QueryResult } from "../loop/event.ts";
import { agentInput } from "./agent-input.ts";
import { inMode } from "./agent-mode.ts";
import { AgentProgress } from "./agent-progress.ts";
import { aModel, inheritedOptions } from "../loop/check-options.ts";
import { LoopHooks } from "../loop/hooking.ts";
import { type LoopOptions, toolsNow } from "../loop/options.ts";
import { partsOf } from "../loop/query.ts";
import { Run } from "../loop/run.ts";
import { ToolLimits } from "./tool-limits.ts";

/** Describes a type of sub-agent that a model can start. */
export interface AgentDefinition {
  /** The name that the model uses. Must be unique; `general-purpose` is reserved. */
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
  /** The folder of its own notes: the user's, the project's or a private one. Default: none. */
  readonly memory?: "user" | "project" | "local";
  /** `worktree`: it works in its own git worktree. Default: the folder of its caller. */
  readonly isolation?: "worktree";
  /** Whether its caller does not wait for it. Default: false. */
  readonly background?: boolean;
  /** Hooks that run only for it, in the form of the settings. Default: none. */
  readonly hooks?: Readonly<Record<string, unknown>>;
  /** Its model. Default: its caller's. */
  readonly model?: Model;
  /** The maximum number of turns. Default: 50. */
  readonly maxTurns?: number;
}

/** Options of {@link agentTool}. */
export interface AgentToolOptions {
  /** The options of the agent that starts sub-agents: model, tools, permissions and everything else are inherited. */
  readonly options: LoopOptions;
  /** Additional types of sub-agents. The `general-purpose` type, which has all tools, always exists. */
  readonly definitions?: readonly AgentDefinition[];
  /** Models that a call can choose from, by name. */
  readonly models?: Readonly<Record<string, Model>>;
  /** How deep sub-agents can start sub-agents. Default: 2. */
  readonly maxDepth?: number;
  /** How many sub-agents can run at the same time, all depths together. Default: 10. */
  readonly maxAgents?: number;
  /** Whether there is the `general-purpose` type. Default: true. */
  readonly hasGeneral?: boolean;
  /** Returns a sub-agent's whole system prompt. Default: the definition's own `prompt`. */
  readonly systemOf?: (definition: AgentDefinition) => string;
}

const GENERAL: AgentDefinition = {
  name: "general-purpose",
  description: "for tasks of several steps, such as searching, reading and changing code; has all tools",
  prompt:
    "You are a sub-agent of Runahead, a coding agent. Complete the task you are given with your tools, then answer with what you found or did: only your last message is returned. Give paths as `path:line`, and say plainly what failed or was not done.",
};

/** The caller's rules already decide in `canUseTool`, so the sub-agent has no rules of its own. */
const ALLOW = { behavior: "allow" } as const;
const DEFAULT_DEPTH = 2;
const DEFAULT_AGENTS = 10;

/** The position in the tree of agents: its depth, and how many agents run in the whole tree. */
interface Level {
  readonly depth: number;
  readonly running: { count: number };
}

const DEFINITION: Readonly<Record<keyof AgentDefinition, Check>> = {
  name: required(aString),
  description: required(aString),
  prompt: required(aString),
  tools: anArray,
  disallowedTools: anArray,
  permissionMode: aString,
  effort: aString,
  memory: aString,
  isolation: aString,
  background: aBoolean,
  hooks: anObject,
  model: aModel,
  maxTurns: aNumberFromZero,
};
const OPTIONS: Readonly<Record<keyof AgentToolOptions, Check>> = {
  options: inheritedOptions,
  definitions: anArray,
  models: anObject,
  maxDepth: aNumberFromZero,
  maxAgents: aNumberFromZero,
  hasGeneral: aBoolean,
  systemOf: aFunction,
};

function checkMade(made: AgentToolOptions): void {
  checkOptions(made, OPTIONS, "agentTool");
  const names = new Set([GENERAL.name]);
  for (const [at, definition] of (made.definitions ?? []).entries()) {
    checkOptions(definition, DEFINITION, `agentTool: definitions[${at}]`);
    if (names.has(definition.name))
      throw new TypeError(`agentTool: duplicate definition "${definition.name}". Names must be unique.`);
    names.add(definition.name);
  }
}

/**
 * Creates the tool with which a model starts sub-agents. Each sub-agent has its own conversation and the permissions of
 * its caller.
 *
 * Throws a TypeError for invalid options. A sub-agent that does not finish does not throw: its result says so.
 *
 * @example
 * ```ts
 * import { agentTool, anthropic, createAgent } from "@runahead/agent";
 *
 * const options = { model: anthropic({ model: "claude-sonnet-4-6" }), tools: [] };
 * const reviewer = { name: "reviewer", description: "Reviews a change.", prompt: "Be strict." };
 * const agent = createAgent({ ...options, tools: [agentTool({ options, definitions: [reviewer] })] });
 * ```
 */
export function agentTool(made: AgentToolOptions): AnyTool {
  checkMade(made);
  return toolAt(made, { depth: 1, running: { count: 0 } });
}

function toolAt(made: AgentToolOptions, level: Level): AnyTool {
  const { running } = level;
  const definitions = [...(made.hasGeneral === false ? [] : [GENERAL]), ...(made.definitions ?? [])];
  const find = (name: string | undefined): AgentDefinition =>
    definitions.find((definition) => definition.name === (name ?? GENERAL.name)) ??
    failed(
      `Unknown sub-agent "${name ?? GENERAL.name}". Available: ${definitions.map((one) => one.name).join(", ")}.`,
    );
  const toolsOf = (definition: AgentDefinition): AnyTool[] => subset(made, definition, level);
  return defineTool({
    name: "Agent",
    aliases: ["Task"],
    description: descriptionOf(definitions, Object.keys(made.models ?? {})),
    inputSchema: agentInput,
    // Sub-agents that cannot change anything run in parallel.
    isReadOnly: ({ subagent_type }) => toolsOf(find(subagent_type)).every(onlyLooks),
    timeoutMs: () => Number.POSITIVE_INFINITY,
    describe: ({ description, subagent_type }) => `${subagent_type ?? "Agent"}: ${description}`,
    async call({ prompt, subagent_type, model }, context) {
      const definition = find(subagent_type);
      const { maxAgents = DEFAULT_AGENTS } = made;
      if (running.count >= maxAgents)
        throw new Error(
          `Not started: sub-agent limit reached (${running.count} running). Wait for one of them to finish.`,
        );
      running.count++;
      try {
        const options = optionsFor(made, definition, modelOf(made, model));
        const work = { options: { ...options, tools: toolsOf(definition) }, definition, prompt, context };
        return await answerOf(work);
      } finally {
        running.count--;
      }
    },
  });
}

function failed(message: string): never {
  throw new Error(message);
}

function modelOf({ models = {} }: AgentToolOptions, name: string | undefined): Model | undefined {
  if (name === undefined || name === "inherit") return undefined;
  return (
    models[name] ??
    failed(
      `Unknown model "${name}" for sub-agents. ${Object.keys(models).length === 0 ? "Leave `model` out." : `Available: ${Object.keys(models).join(", ")}.`}`,
    )
  );
}

/** The tools of the caller that the definition names and, above the depth limit, the Agent tool. */
function subset(made: AgentToolOptions, definition: AgentDefinition, level: Level): AnyTool[] {
  const limits = new ToolLimits(definition);
  const own = toolsNow(made.options).filter((tool) => tool.name !== "Agent" && limits.offers(tool));
  const canCall = level.depth < (made.maxDepth ?? DEFAULT_DEPTH) && limits.offers({ name: "Agent" });
  return canCall ? [...own, toolAt(startable(made, limits), { ...level, depth: level.depth + 1 })] : own;
}

/** The options for a sub-agent that can start only some types of sub-agents. */
function startable(made: AgentToolOptions, limits: ToolLimits): AgentToolOptions {
  const definitions = (made.definitions ?? []).filter(({ name }) => limits.canStart(name));
  return { ...made, definitions, hasGeneral: made.hasGeneral !== false && limits.canStart(GENERAL.name) };
}

function onlyLooks(tool: AnyTool): boolean {
  try {
    return tool.name === "Agent" || tool.isReadOnly?.({}) === true;
  } catch {
    return false;
  }
}

function optionsFor(
  made: AgentToolOptions,
  definition: AgentDefinition,
  model: Model | undefined,
): LoopOptions {
  // A sub-agent has its own conversation, so it inherits neither messages nor session.
  const {
    session: _session,
    messages: _messages,
    moreTools: _more,
    journal: _journal,
    maxTurns: _maxTurns,
    reminders,
    ...inherited
  } = made.options;
  const ownReminders = reminders?.forSubAgent?.();
  const results = made.options.session?.results ?? made.options.results;
  return {
    ...inherited,
    ...(results === undefined ? {} : { results }),
    model: model ?? definition.model ?? made.options.model,
    system: made.systemOf?.(definition) ?? definition.prompt,
    ...(ownReminders === undefined ? {} : { reminders: ownReminders }),
    ...(definition.maxTurns === undefined ? {} : { maxTurns: definition.maxTurns }),
  };
}

interface Work {
  readonly options: LoopOptions;
  readonly definition: AgentDefinition;
  readonly prompt: string;
  readonly context: CallContext;
}

async function answerOf({ options, definition, prompt, context }: Work): Promise<string> {
  const { permissions, signal, cwd } = context;
  const agent: HookAgent = { id: randomUUID(), type: definition.name };
  // The sub-agent's calls are judged like its caller's and its questions share the caller's queue; both are evaluated
  // again when the rules change.
  const onChange = options.permissions?.onChange?.bind(options.permissions);
  const own = {
    ...options,
    permissions: { decide: () => ALLOW, ...(onChange === undefined ? {} : { onChange }) },
    canUseTool: new ToolLimits(definition).judging(
      inMode(definition.permissionMode, options, permissions.canUseTool),
    ),
    ask: (question: Question) => permissions.ask({ from: definition.name, ...question }),
    cwd,
  };
  const prompts = [prompt];
  const run = new Run({
    ...partsOf(own),
    hooks: new LoopHooks(options, agent),
    takeMessages: () => prompts.splice(0),
    signal,
  });
  const events = run.events();
  let said = "";
  for (;;) {
    const next = await events.next();
    if (next.done === true) return resultOf(next.value, said, signal);
    if (next.value.type === "text") said += next.value.text;
    else if (next.value.type === "message-started") said = "";
    reportEvent(next.value, { agent, context });
  }
}

/** Leaves out `ended`: the end of a sub-agent is the end of its call. */
function reportEvent(
  event: AgentEvent,
  { agent, context }: { agent: HookAgent; context: CallContext },
): void {
  if (event.type !== "ended") context.progress(new AgentProgress(agent.id, agent.type, event));
}

/** Why a sub-agent did not finish, for the model that started it. */
const REASONS: Readonly<Record<EndReason, string>> = {
  completed: "it ended without a message",
  max_turns: "turn limit reached",
  aborted_streaming: "stopped",
  aborted_tools: "stopped",
  hook_stopped: "stopped by a hook",
  model_error: "its model failed",
  budget: "budget reached",
};

/** Returns the last message. If the sub-agent did not finish, returns why and what it wrote so far. */
function resultOf({ reason, detail, text }: QueryResult, said: string, signal: AbortSignal): string {
  signal.throwIfAborted();
  if (reason === "completed" && text !== "") return asData(text);
  const why = `${REASONS[reason]}${detail === "" ? "" : `: ${detail}`}`;
  const soFar = text || said;
  const rest = soFar === "" ? "It had written nothing yet." : `What it had written so far:\n${asData(soFar)}`;
  return `[Incomplete: the sub-agent did not finish (${why}).]\n${rest}`;
}

/** Escapes tags, so that text of another model cannot pose as the system's or a tool's. */
function asData(text: string): string {
  return text.replaceAll(
    /<(\/?)(system-reminder|system|tool_use_error|function_calls|invoke|tool_result|tool_use)\b/gi,
    "&lt;$1$2",
  );
}

function descriptionOf(definitions: readonly AgentDefinition[], models: readonly string[]): string {
  const list = definitions.map(({ name, description }) => `- ${name}: ${description}`).join("\n");
  const names = models.length === 0 ? "" : `\nModels (model): ${models.join(", ")}.`;
  return `Starts a sub-agent that works on a task in its own context. Only its final message is returned to you. The user does not see that message, so pass on what matters. Use it for broad searches and independent pieces of work; read-only sub-agents in one response run in parallel. For a single file or symbol, Read and Grep are faster. Put everything it needs into the prompt, and say whether it should change files or only report.
Types (subagent_type):
${list}${names}`;
}
