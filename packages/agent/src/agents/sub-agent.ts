/** The Agent tool: starts sub-agents with their own context and the permissions of their caller. */

import { Refused } from "./refused.ts";
import { type AnyTool, type CallContext, defineTool } from "@runahead/engine";
import {
  type Check,
  aBoolean,
  aNumberFromZero,
  aString,
  anArray,
  aFunction,
  anObject,
  checkOptions,
  oneOf,
  required,
} from "@runahead/base";
import type { Model } from "../model/event.ts";
import { aModel, inheritedOptions } from "../loop/check-options.ts";
import { type LoopOptions } from "../loop/options.ts";
import { type AgentInput, agentInput } from "./agent-input.ts";
import { AgentTree, DEFAULT_AGENTS } from "./agent-tree.ts";
import { type Member, bindable } from "./binding.ts";
import { type AgentDefinition, GENERAL, allDefinitions } from "./definitions.ts";
import { Starter, toolsFor } from "./starter.ts";
import type { ToolLimits } from "./tool-limits.ts";
import type { WorktreeSettings } from "./worktree.ts";

export type { AgentDefinition } from "./definitions.ts";
export type { WorktreeSettings } from "./worktree.ts";

/** Options of {@link agentTool} and {@link agentTools}. */
export interface AgentToolOptions {
  /** The options of the agent that starts sub-agents: model, tools, permissions and everything else are inherited. */
  readonly options: LoopOptions;
  /**
   * Additional types of sub-agents. Built in are `general-purpose`, which has all tools, and the read-only `explore`
   * and `plan`.
   */
  readonly definitions?: readonly AgentDefinition[];
  /** Models that a call can choose from, by name. */
  readonly models?: Readonly<Record<string, Model>>;
  /** The model of the built-in `explore`. Default: its caller's. */
  readonly fastModel?: Model;
  /** The model of every sub-agent, whatever a call or a definition names. Default: the one they name. */
  readonly onlyModel?: Model;
  /** How deep sub-agents can start sub-agents. Default: 2. */
  readonly maxDepth?: number;
  /** How many sub-agents work at the same time, all depths together; further ones wait. Default: 10. */
  readonly maxAgents?: number;
  /** Which types of sub-agents the model can start. Default: all. */
  readonly canStart?: (type: string) => boolean;
  /** How git worktrees of sub-agents are made. Default: a whole checkout of HEAD. */
  readonly worktree?: WorktreeSettings;
  /**
   * Called before a sub-agent of this definition works, for example to start its servers. The returned function is called
   * when it has ended. Default: nothing.
   */
  readonly begin?: (definition: AgentDefinition, signal: AbortSignal) => Promise<() => Promise<void>>;
  /**
   * Returns tools that only sub-agents of this definition have, such as those of their own servers. Called before each of
   * their turns. Default: none.
   */
  readonly toolsOf?: (definition: AgentDefinition) => readonly AnyTool[];
  /**
   * Returns a sub-agent's whole system prompt; it works in `cwd` with `model`. Default: the definition's own `prompt`.
   */
  readonly systemOf?: (definition: AgentDefinition, cwd: string, model: Model) => string;
}

const DEFAULT_DEPTH = 2;

const DEFINITION: Readonly<Record<keyof AgentDefinition, Check>> = {
  name: required(aString),
  description: required(aString),
  prompt: required(aString),
  tools: anArray,
  disallowedTools: anArray,
  permissionMode: aString,
  effort: aString,
  memory: aString,
  memoryFolder: aString,
  mcpServers: anArray,
  background: aBoolean,
  hooks: anObject,
  model: aModel,
  maxTurns: aNumberFromZero,
  contextTokens: aNumberFromZero,
  omitInstructions: aBoolean,
  initialPrompt: aString,
  readOnly: aBoolean,
  isolation: oneOf("worktree"),
};
const OPTIONS: Readonly<Record<keyof AgentToolOptions, Check>> = {
  options: inheritedOptions,
  definitions: anArray,
  models: anObject,
  fastModel: aModel,
  onlyModel: aModel,
  maxDepth: aNumberFromZero,
  maxAgents: aNumberFromZero,
  canStart: aFunction,
  worktree: anObject,
  begin: aFunction,
  toolsOf: aFunction,
  systemOf: aFunction,
};

export function checkMade(made: AgentToolOptions, caller: string): void {
  checkOptions(made, OPTIONS, caller);
  const names = new Set<string>();
  for (const [at, definition] of (made.definitions ?? []).entries()) {
    checkOptions(definition, DEFINITION, `${caller}: definitions[${at}]`);
    if (names.has(definition.name))
      throw new TypeError(`${caller}: duplicate definition "${definition.name}". Names must be unique.`);
    names.add(definition.name);
  }
}

/**
 * Creates the tool with which a model starts sub-agents. Each sub-agent has its own conversation and the permissions of
 * its caller. {@link agentTools} adds the tools that reach sub-agents while they work.
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
  checkMade(made, "agentTool");
  return agentToolIn({ made, hasOthers: false, ...startable(made) });
}

/** The restriction of the options, which also holds for the sub-agents of sub-agents. */
export function startable({ canStart }: AgentToolOptions): Pick<Making, "canStart"> {
  return canStart === undefined ? {} : { canStart };
}

/** How the tool was made. */
export interface Making {
  readonly made: AgentToolOptions;
  /** Whether the model also has SendMessage, TaskOutput and TaskStop. */
  readonly hasOthers: boolean;
  /** Which types of sub-agents the definition of the caller lets it start. Default: all. */
  readonly canStart?: (type: string) => boolean;
}

/** A tool that is used without the loop has a tree of its own. */
export function ownMember(): Member {
  return { tree: new AgentTree(), id: undefined, type: "main", depth: 0, presence: undefined };
}

export function agentToolIn(making: Making, member: Member = ownMember()): AnyTool {
  const tool = toolOf(making, member);
  return bindable(tool, (own) => (own === member ? tool : toolOf(making, own)));
}

/** Makes what starts sub-agents for one agent. */
export function starterOf(making: Making, member: Member): Starter {
  const { made, hasOthers: canContinue } = making;
  const { maxDepth = DEFAULT_DEPTH } = made;
  // A sub-agent above the depth limit gets the tool too.
  const nested = (own: Member, limits: ToolLimits): AnyTool[] => {
    const canStart = (type: string): boolean => limits.canStart(type) && making.canStart?.(type) !== false;
    return own.depth < maxDepth ? [agentToolIn({ ...making, canStart }, own)] : [];
  };
  return new Starter({ made, member, nested, find: (name) => definitionIn(making, name), canContinue });
}

/** Made once: every sub-agent that can start others has its own tool with them. */
const allIn = new WeakMap<AgentToolOptions, readonly AgentDefinition[]>();

function definitionsIn({ made, canStart }: Making): readonly AgentDefinition[] {
  const all = allIn.get(made) ?? allDefinitions(made.definitions ?? [], made.fastModel);
  allIn.set(made, all);
  return canStart === undefined ? all : all.filter(({ name }) => canStart(name));
}

function definitionIn(making: Making, name: string = GENERAL.name): AgentDefinition {
  const definitions = definitionsIn(making);
  const found = definitions.find((definition) => definition.name === name);
  if (found !== undefined) return found;
  const names = definitions.map((one) => one.name).join(", ");
  throw new Refused(`Unknown sub-agent "${name}". Available: ${names}.`);
}

function toolOf(making: Making, member: Member): AnyTool {
  const { made } = making;
  const find = (name: string | undefined): AgentDefinition => definitionIn(making, name);
  const definitions = definitionsIn(making);
  const starter = starterOf(making, member);
  member.tree.slots.limit = made.maxAgents ?? DEFAULT_AGENTS;
  if (member.id === undefined)
    member.tree.continueAgent = (id, text) => starter.continueInBackground(id, text);
  return defineTool({
    name: "Agent",
    aliases: ["Task"],
    description: descriptionOf(definitions, Object.keys(made.models ?? {})),
    inputSchema: agentInput,
    // What a sub-agent touches is claimed by its own calls.
    delegates: true,
    isReadOnly: ({ subagent_type }: AgentInput) => {
      const definition = find(subagent_type);
      // What servers that are not started yet can do is not known.
      const isKnown = made.begin === undefined || definition.mcpServers === undefined;
      return isKnown && toolsFor(made, definition).every(onlyLooks);
    },
    timeoutMs: () => Number.POSITIVE_INFINITY,
    describe: ({ description, subagent_type }: AgentInput) => `${subagent_type ?? "Agent"}: ${description}`,
    call: (input: AgentInput, context: CallContext) => starter.start(input, context),
  });
}

function onlyLooks(tool: AnyTool): boolean {
  try {
    return tool.isReadOnly?.({}) === true;
  } catch {
    return false;
  }
}

function descriptionOf(definitions: readonly AgentDefinition[], models: readonly string[]): string {
  const list = definitions.map(({ name, description }) => `- ${name}: ${description}`).join("\n");
  const names = models.length === 0 ? "" : `\nModels (model): ${models.join(", ")}.`;
  return `Starts a sub-agent that works on a task in its own context. Only its final message is returned to you. The user does not see that message, so pass on what matters. Use it for broad searches and independent pieces of work: sub-agents of one response run in parallel in the same folder, and only calls that conflict wait for each other. For a single file or symbol, Read and Grep are faster. Put everything it needs into the prompt, and say whether it should change files or only report.
Types (subagent_type):
${list}${names}`;
}
