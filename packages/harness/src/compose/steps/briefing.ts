/** The fourth step: which definition the main agent works as, the other definitions, and what the model reads. */

import type { AgentDefinition, Model } from "@runahead/agent";
import { allDefinitions, factsOf, limitsOf } from "@runahead/agent/internal";
import { hasFileHooks } from "../../plugins/enabled.ts";
import { type OutputStyle, outputStyle, outputStyleNames } from "../../prompt/output-style.ts";
import { type AgentPrompt, agentPrompt } from "../../prompt/prompt.ts";
import { textOfKey, valueOfKey } from "../../settings/other-values.ts";
import { chosenSkills, listLimits, offeredSkills, skillList } from "../../skills/skill-list.ts";
import { definitionsOf } from "../agents/agent-definitions.ts";
import { withMemory } from "../agents/agent-memory.ts";
import {
  type MainLimits,
  addMainHooks,
  mainDefinition,
  mainLimits,
  startInMode,
} from "../agents/main-agent.ts";
import { DeniedCalls, reportNested } from "../hooks/hook-events.ts";
import { systemOf, withHostAgents } from "../mcp/host-servers.ts";
import { isAvailable } from "../model/available-models.ts";
import { AddedFolders } from "../permissions/added-folders.ts";
import { toolChoice } from "../tools/chosen-tools.ts";
import type { Composition } from "./composition.ts";
import type { Foundation } from "./foundation.ts";
import type { Guards } from "./guards.ts";
import type { Workbench } from "./workbench.ts";

/** What the loop assumes about models that it does not know. */
const DEFAULT_CONTEXT_TOKENS = 200_000;

export function contextTokensOf(model: Model): number {
  return factsOf(model).contextTokens ?? DEFAULT_CONTEXT_TOKENS;
}

type Made = Composition & Foundation & Guards & Workbench;

interface Roles {
  readonly definitions: readonly AgentDefinition[];
  /** The definition that the main agent works as. */
  readonly main: AgentDefinition | undefined;
  /** How it limits the main agent. */
  readonly limit: MainLimits;
}

export interface Briefing extends Roles {
  readonly prompt: AgentPrompt;
  /** The system prompt of the main agent, as it is reported. */
  readonly system: string;
  /** The one that is sent: the program can bring its own. */
  readonly sentSystem: string;
  /** Folders that join the workspace. */
  readonly folders: AddedFolders;
  /** Calls that were denied, for the next request. */
  readonly denials: DeniedCalls;
  /** The name of the style in use; `default` if there is none. */
  readonly outputStyle: string;
  /** Resolves with the names of the styles that there are. */
  readonly outputStyles: () => ReturnType<typeof outputStyleNames>;
}

/** `standIn` is used if no model is configured. */
export async function briefing(made: Made, standIn: Model | undefined): Promise<Briefing> {
  const { world, listeners, settings, gate, hooks } = made;
  const roles = await rolesOf(made, standIn);
  const folders = new AddedFolders({ cwd: world.cwd, gate, hooks, settings });
  const denials = new DeniedCalls();
  const styles = { ...made.where, more: made.plugins.flatMap((one) => one.outputStyles) };
  const style = await outputStyle(textOfKey(settings, "outputStyle"), styles, listeners.onNotice);
  const prompt = await promptOf(made, { ...roles, folders, denials, style });
  const { main } = roles;
  const system = main === undefined ? prompt.system : prompt.mainSystemOf(withMemory(main));
  return {
    ...roles,
    prompt,
    system,
    sentSystem: systemOf(listeners, made.appended) ?? system,
    folders,
    denials,
    outputStyle: style?.name ?? "default",
    outputStyles: () => outputStyleNames(styles),
  };
}

async function rolesOf(made: Made, standIn: Model | undefined): Promise<Roles> {
  const { flags, listeners, later, settings, agents, keyed, chosen, library } = made;
  const { exchangeable, isModeGiven, gate, hooks, serverTools } = made;
  const { onNotice } = listeners;
  const ofFiles = await definitionsOf(agents, {
    world: keyed,
    isAvailable: (name) => isAvailable(name, settings, keyed.env),
    main: chosen,
    root: settings.root,
    hasHooks: hasFileHooks(settings),
    isReplayed: flags.replay !== undefined || chosen === standIn,
    skills: library.known,
    textOf: (skill) => library.textOf(skill),
    onNotice,
  });
  const definitions = withHostAgents(listeners, ofFiles);
  const main = mainDefinition({ flag: flags.agent, settings, definitions, onNotice });
  if (main !== undefined) {
    later.mainName = main.name;
    if (flags.model === undefined && main.model !== undefined) exchangeable.exchange(main.model);
    if (!isModeGiven) startInMode(main, gate);
    addMainHooks(main, hooks, settings.root);
    // They end with the session.
    void serverTools.begin(main, new AbortController().signal);
  }
  return { definitions, main, limit: mainLimits(main) };
}

interface PromptSources extends Pick<Briefing, "definitions" | "folders" | "denials" | "main"> {
  readonly style: OutputStyle | undefined;
}

async function promptOf(made: Made, sources: PromptSources): Promise<AgentPrompt> {
  const { folders, denials, style, main } = sources;
  const definitions = allDefinitions(sources.definitions, undefined);
  const hasSkills = (one: AgentDefinition | undefined): boolean =>
    one === undefined || limitsOf(one).offers({ name: "Skill" });
  const { world, listeners, settings, written, excludes, isBare, model } = made;
  const { gate, git, shell, memory, tasks, lsp, hooks } = made;
  const { cwd, home, env } = world;
  return agentPrompt({
    world: { cwd, home, env },
    git: valueOfKey(settings, "includeGitInstructions") === false ? Promise.resolve(undefined) : git,
    settings,
    instructions: written,
    excludes,
    hasNested: !isBare,
    model: model.name,
    gate,
    appended: made.appended,
    style,
    canAsk: listeners.askPerson !== undefined || listeners.askUser !== undefined,
    shell,
    memory,
    tasks,
    takeDiagnostics: (agent) => lsp.takeNews(agent),
    takeFolders: () => folders.take(),
    takeDenied: () => denials.take(),
    omitsInstructions: (type) => definitions.find(({ name }) => name === type)?.omitInstructions === true,
    canLoadSkills: (type) => hasSkills(definitions.find(({ name }) => name === type)),
    onNested: (files, touched) => reportNested(hooks, files, touched),
    skills: async () => (hasSkills(main) ? skillsText(made) : undefined),
  });
}

async function skillsText(made: Made): Promise<string | undefined> {
  const { flags, listeners, settings, gate, library, memory, model, keyed } = made;
  if (gate.isHidden("Skill") || !toolChoice(flags)({ name: "Skill" })) return undefined;
  const chosen = chosenSkills(await library.files(), listeners.skills);
  const offered = offeredSkills(chosen, memory.touchedFiles(), settings.root);
  return skillList(offered, listLimits(settings, contextTokensOf(model), keyed.env));
}
