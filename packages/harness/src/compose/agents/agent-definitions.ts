/** Turns the sub-agents of files into the definitions that the Agent tool uses. */

import type { AgentDefinition, Effort, Model } from "@runahead/agent";
import { type PromptFile, isCalled } from "../../definitions/prompt-file.ts";
import type { Plugin } from "../../definitions/plugin.ts";
import { type DefinedAgent, definedAgents } from "../../settings/agents.ts";
import type { LoadedSettings } from "../../settings/loaded.ts";
import type { Surroundings } from "../../surroundings.ts";
import { memoryFolder } from "./agent-memory.ts";
import { serverNames } from "../mcp/agent-servers.ts";
import { isModelAlias } from "../model/model-alias.ts";
import { chooseModel } from "../model/model.ts";
import { spellingNotice } from "../model/model-spelling.ts";
import { isOnlyPlugins, ofPlugins } from "./only-plugins.ts";

interface Around {
  readonly world: Surroundings;
  /** The model of the main agent, which sub-agents use by default. */
  readonly main: Model;
  /** Whether the main model is a recording, so that sub-agents must use it too. */
  readonly isReplayed: boolean;
  /** The skills that definitions can name. */
  readonly skills: readonly PromptFile[];
  /** Returns the text of a skill with its folders filled in. */
  readonly textOf: (skill: PromptFile) => string;
  readonly isAvailable: (model: string) => boolean;
  /** The root of the project. */
  readonly root: string;
  /** Whether the settings let hooks of files run. */
  readonly hasHooks: boolean;
  readonly onNotice: (message: string) => void;
}

interface Usable {
  readonly settings: Pick<LoadedSettings, "other">;
  readonly plugins: readonly Plugin[];
  /** Those of the program, which come first. */
  readonly own: readonly DefinedAgent[] | undefined;
  readonly isBare: boolean;
}

/** The sub-agents of the program and of files; only those of plugins if the managed settings say so. */
export async function usableAgents(
  where: Parameters<typeof definedAgents>[0],
  { settings, plugins, own = [], isBare }: Usable,
): ReturnType<typeof definedAgents> {
  if (isBare) return { agents: own, problems: [] };
  const { agents, problems } = await definedAgents(where);
  const usable = isOnlyPlugins(settings, "agents") ? ofPlugins(agents, plugins) : agents;
  const others = usable.filter(({ name }) => !own.some((one) => one.name === name));
  return { agents: [...own, ...others], problems };
}

export async function definitionsOf(
  agents: readonly DefinedAgent[],
  around: Around,
): Promise<AgentDefinition[]> {
  return Promise.all(agents.map((agent) => definitionOf(agent, around)));
}

async function definitionOf(agent: DefinedAgent, around: Around): Promise<AgentDefinition> {
  const { name, description, tools, disallowedTools, permissionMode, maxTurns } = agent;
  const { effort, memory, isolation, background, omitClaudeMd, initialPrompt, autoCompactWindow } = agent;
  const hooks = hooksOf(agent, around);
  const servers = serverNames(agent);
  const model = await modelOf(agent, around);
  return {
    name,
    description,
    prompt: [agent.prompt, ...skillTexts(agent, around)].filter((part) => part !== "").join("\n\n"),
    ...(tools === undefined ? {} : { tools }),
    ...(disallowedTools.length === 0 ? {} : { disallowedTools }),
    ...(permissionMode === undefined ? {} : { permissionMode }),
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(effort === undefined ? {} : { effort }),
    ...(memory === undefined
      ? {}
      : { memory, memoryFolder: memoryFolder(memory, name, { home: around.world.home, root: around.root }) }),
    ...(servers === undefined ? {} : { mcpServers: servers }),
    ...(isolation === undefined ? {} : { isolation }),
    ...(background ? { background } : {}),
    ...(hooks === undefined ? {} : { hooks }),
    ...(omitClaudeMd ? { omitInstructions: true } : {}),
    ...(initialPrompt === undefined ? {} : { initialPrompt }),
    ...(autoCompactWindow === undefined ? {} : { contextTokens: autoCompactWindow }),
    ...(model === undefined ? {} : { model }),
  };
}

/** A short name of a Claude model means nothing to another provider, so the model of the main agent is used. */
async function modelOf(agent: DefinedAgent, around: Around): Promise<Model | undefined> {
  const { effort, path } = agent;
  const { world, main, isReplayed, onNotice } = around;
  if ((agent.model === undefined && effort === undefined) || isReplayed) return undefined;
  const isForeign = agent.model !== undefined && isModelAlias(agent.model) && !/claude/i.test(main.name);
  if (isForeign && effort === undefined) return undefined;
  const model = agent.model === undefined || isForeign ? main.name : agent.model;
  const notice = spellingNotice(agent.model, world.env);
  if (notice !== undefined) onNotice(`${path}: ${notice}`);
  if (agent.model !== undefined && !around.isAvailable(model)) {
    onNotice(
      `${path}: \`model\` ${model} is not one of availableModels; the model of the main agent is used.`,
    );
    return undefined;
  }
  try {
    const wishes = effort === undefined ? {} : { wishes: { effort: effort as Effort, models: {} } };
    const chosen = (await chooseModel(world, { model }, wishes)).model;
    return chosen.name === main.name && effort === undefined ? undefined : chosen;
  } catch (error) {
    onNotice(
      `${path}: \`model\` ${model} cannot be used: ${error instanceof Error ? error.message : String(error)}`,
    );
    return undefined;
  }
}

function hooksOf({ hooks, path }: DefinedAgent, { hasHooks, onNotice }: Around): DefinedAgent["hooks"] {
  if (hooks === undefined || hasHooks) return hooks;
  onNotice(`${path}: \`hooks\` do not run: the settings turn them off.`);
  return undefined;
}

function skillTexts({ skills, path }: DefinedAgent, { skills: known, textOf, onNotice }: Around): string[] {
  return skills.flatMap((name) => {
    const skill = known.find((one) => isCalled(one, name) || one.name.endsWith(`:${name}`));
    if (skill !== undefined) return [`# Skill ${name} (files in ${skill.folder})\n${textOf(skill)}`];
    onNotice(`${path}: \`skills\` names ${name}, which does not exist.`);
    return [];
  });
}
