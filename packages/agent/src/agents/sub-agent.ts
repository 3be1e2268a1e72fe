/** The tool by which a model has others work for it: each with its own context, under the same permissions. */

import { randomUUID } from "node:crypto";
import { type AnyTool, type CallContext, type Question, defineTool } from "@runahead/engine";
import {
  type Check,
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
import type { AgentEvent, QueryResult } from "../loop/event.ts";
import { agentInput } from "./agent-input.ts";
import { AgentProgress } from "./agent-progress.ts";
import { aModel, inheritedOptions } from "../loop/check-options.ts";
import { LoopHooks } from "../loop/hooking.ts";
import { type LoopOptions, toolsNow } from "../loop/options.ts";
import { partsOf } from "../loop/query.ts";
import { Run } from "../loop/run.ts";

/** Describes one kind of sub-agent that a model can start. */
export interface AgentDefinition {
  /** The name by which the model asks for it. Unique; `general-purpose` is taken. */
  readonly name: string;
  /** When to use it, for the model that starts it. */
  readonly description: string;
  /** Its system prompt. */
  readonly prompt: string;
  /** Names of the tools that it can use. Default: all tools of its caller. */
  readonly tools?: readonly string[];
  /** Its model. Default: its caller's. */
  readonly model?: Model;
  /** The most turns that it takes. Default: 50. */
  readonly maxTurns?: number;
}

/** Options of {@link agentTool}. */
export interface AgentToolOptions {
  /** The options of the agent that starts sub-agents: model, tools, permissions and everything else are inherited. */
  readonly options: LoopOptions;
  /** Kinds of sub-agents beside the general one, which has all tools. */
  readonly definitions?: readonly AgentDefinition[];
  /** Models that a call can choose from, by name. */
  readonly models?: Readonly<Record<string, Model>>;
  /** How deep sub-agents can start sub-agents. Default: 2. */
  readonly maxDepth?: number;
  /** How many sub-agents can run at the same time, over all depths. Default: 10. */
  readonly maxAgents?: number;
  /** Returns a sub-agent's whole system prompt. Default: the definition's own `prompt`. */
  readonly systemOf?: (definition: AgentDefinition) => string;
}

const GENERAL: AgentDefinition = {
  name: "general-purpose",
  description: "for tasks of several steps, such as searching, reading and changing code; has all tools",
  prompt:
    "You are a sub-agent of Runahead, a coding agent. Complete the task you are given with your tools, then answer with what you found or did: only your last message is returned. Give paths as `path:line`, and say plainly what failed or was not done.",
};

/** Of the caller's rules nothing is repeated: they decide in `canUseTool`. */
const ALLOW = { behavior: "allow" } as const;
const DEFAULT_DEPTH = 2;
const DEFAULT_AGENTS = 10;

/** Where in the tree of agents: how deep, and how many are at work in all of it. */
interface Level {
  readonly depth: number;
  readonly atWork: { count: number };
}

const DEFINITION: Readonly<Record<keyof AgentDefinition, Check>> = {
  name: required(aString),
  description: required(aString),
  prompt: required(aString),
  tools: anArray,
  model: aModel,
  maxTurns: aNumberFromZero,
};
const OPTIONS: Readonly<Record<keyof AgentToolOptions, Check>> = {
  options: inheritedOptions,
  definitions: anArray,
  models: anObject,
  maxDepth: aNumberFromZero,
  maxAgents: aNumberFromZero,
  systemOf: aFunction,
};

function checkMade(made: AgentToolOptions): void {
  checkOptions(made, OPTIONS, "agentTool");
  const names = new Set([GENERAL.name]);
  for (const [at, definition] of (made.definitions ?? []).entries()) {
    checkOptions(definition, DEFINITION, `agentTool: definitions[${at}]`);
    if (names.has(definition.name))
      throw new TypeError(`agentTool: two definitions are called "${definition.name}".`);
    names.add(definition.name);
  }
}

/**
 * Makes the tool by which a model starts sub-agents: each has a conversation of its own and the permissions of its
 * caller.
 *
 * Throws a TypeError for wrong options. A sub-agent that does not finish says so in its result; it never throws.
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
  return toolAt(made, { depth: 1, atWork: { count: 0 } });
}

function toolAt(made: AgentToolOptions, level: Level): AnyTool {
  const { atWork } = level;
  const definitions = [GENERAL, ...(made.definitions ?? [])];
  const find = (name: string | undefined): AgentDefinition =>
    definitions.find((definition) => definition.name === (name ?? GENERAL.name)) ??
    failed(`Unknown sub-agent "${name}". Available: ${definitions.map((one) => one.name).join(", ")}.`);
  const toolsOf = (definition: AgentDefinition): AnyTool[] => subset(made, definition, level);
  return defineTool({
    name: "Agent",
    aliases: ["Task"],
    description: descriptionOf(definitions, Object.keys(made.models ?? {})),
    inputSchema: agentInput,
    // Several at once where none of them can change anything.
    isReadOnly: ({ subagent_type }) => toolsOf(find(subagent_type)).every(onlyLooks),
    timeoutMs: () => Number.POSITIVE_INFINITY,
    describe: ({ description, subagent_type }) => `${subagent_type ?? "Agent"}: ${description}`,
    async call({ prompt, subagent_type, model }, context) {
      const definition = find(subagent_type);
      const { maxAgents = DEFAULT_AGENTS } = made;
      if (atWork.count >= maxAgents)
        throw new Error(
          `Not started: the sub-agent limit is reached (${atWork.count} running). Wait for one of them to finish.`,
        );
      atWork.count++;
      try {
        const options = optionsFor(made, definition, modelOf(made, model));
        const work = { options: { ...options, tools: toolsOf(definition) }, definition, prompt, context };
        return await answerOf(work);
      } finally {
        atWork.count--;
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

/** The tools of its caller that it is to have, and, while it is not too deep, this one. */
function subset(made: AgentToolOptions, { tools }: AgentDefinition, level: Level): AnyTool[] {
  const wanted = tools === undefined ? undefined : new Set(tools);
  const own = toolsNow(made.options).filter(
    ({ name, aliases = [] }) =>
      name !== "Agent" && (wanted === undefined || [name, ...aliases].some((one) => wanted.has(one))),
  );
  const mayCall =
    level.depth < (made.maxDepth ?? DEFAULT_DEPTH) && (wanted === undefined || wanted.has("Agent"));
  return mayCall ? [...own, toolAt(made, { ...level, depth: level.depth + 1 })] : own;
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
  // It has a conversation of its own, so neither the messages nor the session of its caller.
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
  // Its calls are judged as its caller's are, its questions wait in the same line, and both are looked at again when
  // the rules change.
  const onChange = options.permissions?.onChange?.bind(options.permissions);
  const own = {
    ...options,
    permissions: { decide: () => ALLOW, ...(onChange === undefined ? {} : { onChange }) },
    canUseTool: permissions.canUseTool,
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
    if (next.done === true) return report(next.value, said, signal);
    if (next.value.type === "text") said += next.value.text;
    else if (next.value.type === "message-started") said = "";
    tell(next.value, { agent, context });
  }
}

/** Its end is not reported as an event: it is the end of its call. */
function tell(event: AgentEvent, { agent, context }: { agent: HookAgent; context: CallContext }): void {
  if (event.type !== "ended") context.progress(new AgentProgress(agent.id, agent.type, event));
}

/** What it found; where it did not come to its end, as far as it came, and that it did not. */
function report({ reason, detail, text }: QueryResult, said: string, signal: AbortSignal): string {
  signal.throwIfAborted();
  if (reason === "completed" && text !== "") return asData(text);
  const why = `${reason}${detail === "" ? "" : `: ${detail}`}`;
  const soFar = text || said;
  const rest = soFar === "" ? "It had written nothing yet." : `What it had written so far:\n${asData(soFar)}`;
  return `[Incomplete: the sub-agent did not finish (${why}).]\n${rest}`;
}

/** What another model wrote is data: it must not read as if the system or a tool had said it. */
function asData(text: string): string {
  return text.replaceAll(
    /<(\/?)(system-reminder|system|tool_use_error|function_calls|invoke|tool_result|tool_use)\b/gi,
    "&lt;$1$2",
  );
}

function descriptionOf(definitions: readonly AgentDefinition[], models: readonly string[]): string {
  const list = definitions.map(({ name, description }) => `- ${name}: ${description}`).join("\n");
  const names = models.length === 0 ? "" : `\nModels (model): ${models.join(", ")}.`;
  return `Starts a sub-agent: it works on a task by itself, in a context of its own, and only its final message comes back to you. The user does not see that message, so pass on what matters. Use it for broad searches and for independent pieces of work; several that can only read run in parallel in one response. For one file or one symbol, Read and Grep are faster. Put everything that it needs into the prompt, and say whether it should change files or only report.
Kinds (subagent_type):
${list}${names}`;
}
