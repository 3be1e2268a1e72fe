/** The last step: the agent itself, with all tools that its model is offered. */

import type { AnyTool } from "@runahead/engine";
import { type Agent, type AgentEvent, type PermissionRules, agentTools, createAgent } from "@runahead/agent";
import { validateJsonSchema } from "@runahead/mcp";
import { exitPlanModeTool } from "@runahead/tools";
import { programEnvironment } from "../../settings/variables.ts";
import { skillTool } from "../../skills/skill-tool.ts";
import { concurrencyOf, fastModelOf, subAgentModelOf } from "../agents/agent-settings.ts";
import { withMemory } from "../agents/agent-memory.ts";
import { worktreeSettings } from "../agents/worktree-settings.ts";
import { observer } from "../hooks/hook-events.ts";
import { MessageDisplay } from "../hooks/message-display.ts";
import { ToolSearch, wishProblem } from "../mcp/tool-search.ts";
import { askingTool } from "../permissions/permission-tool.ts";
import { toolChoice } from "../tools/chosen-tools.ts";
import { compactWindow, hasAutoCompact, outputTokens } from "../session/compact-window.ts";
import { sessionState } from "../session/session-state.ts";
import { type Briefing, contextTokensOf } from "./briefing.ts";
import type { Composition } from "./composition.ts";
import type { Foundation } from "./foundation.ts";
import type { Guards } from "./guards.ts";
import type { Workbench } from "./workbench.ts";

export type Made = Composition & Foundation & Guards & Workbench & Briefing;

export interface MainLoop {
  readonly agent: Agent;
  /** All tools that the model has now. */
  readonly offered: () => readonly AnyTool[];
}

export async function mainLoop(made: Made): Promise<MainLoop> {
  const { flags, listeners, closers, later, settings, limit, prompt, session, tools } = made;
  const { onNotice } = listeners;
  const isChosen = toolChoice(flags);
  let agentCaller: AnyTool | undefined;
  const joining = joiningTools(made, () => agentCaller);
  const { maxAgents, ...limits } = concurrencyOf(flags.maxConcurrency, settings, onNotice);
  const options = { ...limits, ...loopOptions(made), moreTools: joining.deferred };
  const fastModel = await fastModelOf(made.keyed, flags, { settings, onNotice });
  const onlyModel = await subAgentModelOf(made.keyed, flags, { settings, onNotice });
  const agentCallers = agentTools({
    options,
    definitions: made.definitions,
    systemOf: (definition, at, model) => prompt.systemOf(withMemory(definition), at, model),
    worktree: worktreeSettings(settings),
    begin: (definition, signal) => made.serverTools.begin(definition, signal),
    toolsOf: (definition) => made.serverTools.of(definition).filter(({ name }) => !made.gate.isHidden(name)),
    ...(maxAgents === undefined ? {} : { maxAgents }),
    ...(limit.canStart === undefined ? {} : { canStart: limit.canStart }),
    ...(fastModel === undefined ? {} : { fastModel }),
    ...(onlyModel === undefined ? {} : { onlyModel }),
  });
  agentCaller = agentCallers.find(({ name }) => name === "Agent");
  const all = [...tools, ...agentCallers, ...planTools(made)].filter(isChosen).filter(limit.offers);
  const create = listeners.createAgent ?? createAgent;
  const { waitsForBackground = false } = flags;
  const agent = create({
    ...limit.options,
    ...options,
    tools: all,
    ...made.output,
    onEvent: listening(made),
    waitsForBackground,
    ...(session === undefined ? {} : { session }),
    state: sessionState({ ...made, tasks: made.taskList, resumption: prompt.resumption }),
  });
  later.agent = agent;
  closers.push(() => agent.close());
  return { agent, offered: () => [...all, ...joining.all()] };
}

/** Options that the main agent and its sub-agents share. */
function loopOptions(made: Made) {
  const { world, flags, settings, model, fallback, sentSystem, prompt, hooks, shell } = made;
  const { maxTurns, maxBudgetUsd } = flags;
  return {
    model,
    ...(fallback === undefined ? {} : { fallbackModel: fallback }),
    tools: made.tools.filter(toolChoice(flags)),
    system: sentSystem,
    reminders: prompt.reminders,
    cwd: world.cwd,
    hooks,
    permissions: rulesOf(made),
    validateJsonSchema,
    background: shell.background,
    autoCompact: hasAutoCompact(settings, world.env),
    ...compactWindow(settings, model, world.env),
    ...outputTokens(settings, model, world.env),
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(maxBudgetUsd === undefined ? {} : { budget: { costUsd: maxBudgetUsd } }),
  };
}

function rulesOf({ flags, gate, mcp }: Made): PermissionRules {
  const { permissionPromptTool: toolName } = flags;
  return toolName === undefined ? gate : askingTool({ gate, mcp, toolName });
}

/** The tools that can join later: of MCP servers, of language servers, and for skills. */
function joiningTools(made: Made, agentCaller: () => AnyTool | undefined) {
  const { world, flags, gate, limit, mcp, main, serverTools, library, lsp } = made;
  const isChosen = toolChoice(flags);
  const wish = programEnvironment(world.env, made.settings.env)["ENABLE_TOOL_SEARCH"];
  const problem = wishProblem(wish);
  if (problem !== undefined) made.listeners.onNotice(problem);
  const search = new ToolSearch(
    wish,
    () => contextTokensOf(made.model),
    (name) => (serverTools.holder(name) ?? mcp).alwaysLoads(name),
  );
  made.later.isDeferred = (tool) => search.defers(tool);
  const skill = skillTool(library, agentCaller);
  const usable = (some: readonly AnyTool[]): AnyTool[] =>
    some.filter(isChosen).filter((tool) => !gate.isHidden(tool.name) && limit.offers(tool));
  const ofServers = (): AnyTool[] =>
    usable([...mcp.tools(), ...(main === undefined ? [] : serverTools.of(main))]);
  let hadSkills = false;
  const others = (): AnyTool[] => {
    // The tool stays when the last skill is removed, because other tools would invalidate the prompt cache.
    hadSkills ||= library.known.some(({ isForModel }) => isForModel);
    return usable([...(hadSkills ? [skill] : []), ...lsp.tools()]);
  };
  return {
    all: (): AnyTool[] => [...ofServers(), ...others()],
    /** Those of servers can be left to a search. */
    deferred: (): AnyTool[] => [...search.with(ofServers()), ...others()],
  };
}

/** Only the main agent presents plans, and only if somebody can approve them. */
function planTools({ world, flags, listeners, plans, gate, settings, outputFolder }: Made): AnyTool[] {
  const canAsk = listeners.askPerson ?? flags.permissionPromptTool;
  if (canAsk === undefined) return [];
  return [exitPlanModeTool(plans.mode({ gate, settings, home: world.home, folder: outputFolder }))];
}

function listening({ listeners, hooks, library, keeper, denials }: Made): (event: AgentEvent) => void {
  const observe = observer(hooks, denials);
  const display = new MessageDisplay({
    hooks,
    isReplaced: listeners.showsReplacedText === true,
    pass: (event) => listeners.onEvent(event),
  });
  return (event) => {
    if (event.type === "ended") library.end();
    keeper.hear(event);
    observe(event);
    display.hear(event);
  };
}
