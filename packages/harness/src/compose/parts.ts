/** Assembles the parts of a coding agent from options and settings, and closes them in reverse order. */

import { join } from "node:path";
import type { AnyTool } from "@runahead/engine";
import {
  type AgentEvent,
  type HookRunner,
  type Model,
  type PermissionGate,
  type Session,
  type PermissionRules,
  createAgent,
  type Agent,
  agentTools,
} from "@runahead/agent";
import { type LoadedSettings } from "../settings/loaded.ts";
import { type SettingsWatch, watchSettings } from "../settings/watch.ts";
import { definitionsOf, usableAgents } from "./agents/agent-definitions.ts";
import { withMemory } from "./agents/agent-memory.ts";
import { AgentServerTools, agentServers, approvalsOf } from "./mcp/agent-servers.ts";
import { ExchangeableModel } from "./model/exchangeable-model.ts";
import { enabledPlugins, hasFileHooks, pluginHooks } from "../plugins/enabled.ts";
import type { Plugin } from "../definitions/plugin.ts";
import { chosenSkills, listLimits, offeredSkills, skillList } from "../skills/skill-list.ts";
import { skillTool } from "../skills/skill-tool.ts";
import { instructions } from "../instructions/instructions.ts";
import type { Problem } from "../settings/setting.ts";
import { textOfKey, textsOf, valueOfKey } from "../settings/other-values.ts";
import { createFileMemory, createTasks, type ShellTools, exitPlanModeTool } from "@runahead/tools";
import { type McpConnections, validateJsonSchema } from "@runahead/mcp";
import { createTimelineKeeper, type TimelineKeeper } from "@runahead/agent/timeline";
import { runaheadHome } from "../home.ts";
import type { Surroundings } from "../surroundings.ts";
import type { HarnessOptions } from "./options.ts";
import { concurrencyOf, fastModelOf } from "./agents/agent-settings.ts";
import { appendedText } from "./appended-text.ts";
import type { Around } from "./around.ts";
import { builtInTools } from "./tools/built-in-tools.ts";
import { following } from "./follow-settings.ts";
import { languageServers } from "./tools/language-servers.ts";
import { addMainHooks, mainDefinition, mainLimits, startInMode } from "./agents/main-agent.ts";
import { effortVariable } from "./model/effort-level.ts";
import { mainModel } from "./model/main-model.ts";
import { Plans } from "./permissions/plans.ts";
import { promptLibrary } from "./tools/prompt-library.ts";
import { startMcp } from "./mcp/start-mcp.ts";
import { isAvailable } from "./model/available-models.ts";
import { ModelControl } from "./model/model-control.ts";
import { outputOptions } from "./structured.ts";
import { factsOf } from "@runahead/agent/internal";
import { compactWindow } from "./session/compact-window.ts";
import { openSession } from "./session/open-session.ts";
import { composeHooks, type HookParts } from "./hooks/hooks.ts";
import { worktreeSettings } from "./agents/worktree-settings.ts";
import { DeniedCalls, observer, reportInstructions, reportNested, runSetup } from "./hooks/hook-events.ts";
import { AddedFolders } from "./permissions/added-folders.ts";
import { MessageDisplay } from "./hooks/message-display.ts";
import { systemOf, withHostAgents } from "./mcp/host-servers.ts";
import { askingTool } from "./permissions/permission-tool.ts";
import { ToolSearch, deferringModel } from "./mcp/tool-search.ts";
import { stopTask } from "./tools/outside-call.ts";
import { excludedCommands } from "./permissions/excluded-commands.ts";
import { type GateParts, makeGate } from "./permissions/gate.ts";
import { type Reading, readingOf, withUsableSandbox } from "./permissions/sandbox.ts";
import { cleanUpLater } from "./session/retention.ts";
import { hookConfigs, ofSources, settingsOptions } from "./settings-flags.ts";
import { sessionState, taskState } from "./session/session-state.ts";
import { agentPrompt } from "../prompt/prompt.ts";
import { gitState } from "../prompt/git-state.ts";
import { outputStyle, outputStyleNames } from "../prompt/output-style.ts";
import { promptReport } from "../prompt/report.ts";
import type { CodingAgent, Listeners } from "./coding-agent.ts";

/** What the loop assumes about models that it does not know. */
const DEFAULT_CONTEXT_TOKENS = 200_000;

interface HookSources {
  readonly settings: LoadedSettings;
  readonly plugins: readonly Plugin[];
  /** Makes the models that hooks name. */
  readonly control: ModelControl;
}

/** Keeps what was started, so that all of it can be closed. */
export class Parts {
  readonly #world: Surroundings;
  readonly #flags: HarnessOptions;
  readonly #listeners: Listeners;
  readonly #closers: (() => unknown)[] = [];
  /** The built-in tools, for hooks. */
  #ownTools: readonly AnyTool[] = [];
  #agent: Agent | undefined;
  #runner: HookRunner | undefined;
  #shell: ShellTools | undefined;
  /** The name of the definition that the main agent works as. */
  #mainName: string | undefined;
  readonly #plans = new Plans();
  /** The state of the task list, for hooks. */
  #tasks: () => unknown = () => undefined;
  #outputFolder: string | undefined;
  #reloadSkills = (): void => {};

  constructor(world: Surroundings, flags: HarnessOptions, listeners: Listeners) {
    this.#world = world;
    this.#flags = flags;
    this.#listeners = listeners;
  }

  get #around(): Around {
    return { world: this.#world, flags: this.#flags, listeners: this.#listeners };
  }

  /** `standIn` is used if no model is configured. */
  async assemble(standIn?: Model): Promise<CodingAgent> {
    const { cwd, home, env } = this.#world;
    const { maxTurns, maxBudgetUsd, permissionMode, dangerouslySkipPermissions } = this.#flags;
    const { waitsForBackground = false } = this.#flags;
    const { onNotice } = this.#listeners;
    const isModeGiven = permissionMode !== undefined || dangerouslySkipPermissions === true;
    const git = gitState({ cwd, home, env });
    const watch = await this.#settings();
    const settings = await withUsableSandbox(watch.current, { ...this.#around, onNotice });
    const runsOutside = excludedCommands(settings.sandbox.excludedCommands, home);
    const appended = appendedText(this.#around, settings);
    const output = outputOptions(this.#flags.jsonSchema, cwd);
    const { keyed, chosen, fallback, hasSearch } = await mainModel(this.#around, settings, standIn);
    const exchangeable = new ExchangeableModel(chosen);
    const control = new ModelControl({ exchangeable, world: keyed, flags: this.#flags, settings });
    const model = deferringModel(exchangeable, () => exchangeable.current);
    const search = new ToolSearch(env["ENABLE_TOOL_SEARCH"]);
    const plugins = await this.#plugins(settings);
    const where = { cwd, home, env, isTrusted: settings.isTrusted };
    const isBare = this.#flags.bare === true;
    const { agents, problems } = await usableAgents(
      { ...where, more: plugins.flatMap((one) => one.agents) },
      { settings, plugins, own: this.#listeners.agentFiles, isBare },
    );
    const ofAgents = agentServers(agents, settings, this.#around);
    const { mcp, connect, dynamic } = await startMcp({
      ...this.#around,
      settings,
      plugins,
      model,
      hooks: () => this.#runner,
    });
    const serverTools = new AgentServerTools(ofAgents, { mcp, connect });
    this.#closers.push(
      () => mcp.close(),
      () => serverTools.close(),
    );
    const approvals = approvalsOf(mcp, serverTools);
    const gate = this.#gate(settings, { approvals, model, runsOutside });
    this.#changed = following({ gate, settings, hooks: () => this.#runner, onNotice });
    const session = await this.#session();
    if (session !== undefined) this.#closers.push(cleanUpLater(runaheadHome(this.#world), settings));
    const keeper = this.#keeper(session);
    const added = { ...effortVariable(control.effort), ...settings.env };
    const hooks = this.#hooks({ settings, plugins, control }, { gate, session, mcp, model, added });
    const excludes = textsOf(settings, "claudeMdExcludes");
    const written = isBare
      ? { files: [], conditional: [], problems: [] }
      : ofSources(this.#flags, await instructions({ ...where, excludes }));
    const memory = createFileMemory();
    const { store, state: taskList } = taskState();
    const tasks = createTasks(store);
    this.#tasks = () => taskList.save();
    const outputFolder = this.#outputFolderOf(session);
    const lsp = languageServers({
      ...this.#around,
      settings,
      plugins,
      mayShow: (path) => gate.permissions.mayShow(path),
    });
    this.#closers.push(() => lsp.close());
    const { tools, shell } = builtInTools({
      ...this.#around,
      languageServers: lsp,
      outputFolder,
      model,
      gate,
      settings,
      memory,
      tasks,
      hasSearch,
      added,
      runsOutside,
    });
    this.#closers.push(() => shell.close());
    this.#shell = shell;
    this.#ownTools = tools;
    const library = promptLibrary({
      ...this.#around,
      settings,
      plugins,
      gate,
      session,
      hooks: () => this.#runner,
      bash: () => tools.find(({ name }) => name === "Bash"),
      models: { usual: chosen, model: exchangeable, keyed },
    });
    this.#reloadSkills = () => library.reload();
    await library.files();
    this.#report(library.problems);
    const ofFiles = await definitionsOf(agents, {
      world: keyed,
      isAvailable: (name) => isAvailable(name, settings, keyed.env),
      main: chosen,
      root: settings.root,
      hasHooks: hasFileHooks(settings),
      isReplayed: this.#flags.replay !== undefined || chosen === standIn,
      skills: library.known,
      onNotice: this.#listeners.onNotice,
    });
    const definitions = withHostAgents(this.#listeners, ofFiles);
    const main = mainDefinition({ flag: this.#flags.agent, settings, definitions, onNotice });
    this.#mainName = main?.name;
    if (main !== undefined) {
      if (this.#flags.model === undefined && main.model !== undefined) exchangeable.exchange(main.model);
      if (!isModeGiven) startInMode(main, gate, settings);
      addMainHooks(main, hooks, settings.root);
      // They end with the session.
      void serverTools.begin(main, new AbortController().signal);
    }
    const limit = mainLimits(main);
    const folders = new AddedFolders({ cwd, gate, hooks, settings });
    const denials = new DeniedCalls();
    const styles = { ...where, more: plugins.flatMap((one) => one.outputStyles) };
    const prompt = await agentPrompt({
      world: { cwd, home, env },
      git: valueOfKey(settings, "includeGitInstructions") === false ? Promise.resolve(undefined) : git,
      settings,
      instructions: written,
      excludes,
      hasNested: !isBare,
      model: model.name,
      gate,
      appended,
      style: await outputStyle(textOfKey(settings, "outputStyle"), styles, this.#listeners.onNotice),
      canAsk: this.#listeners.askPerson !== undefined || this.#listeners.askUser !== undefined,
      shell,
      memory,
      tasks,
      takeDiagnostics: (agent) => lsp.takeNews(agent),
      takeFolders: () => folders.take(),
      takeDenied: () => denials.take(),
      omitsInstructions: (type) => definitions.find(({ name }) => name === type)?.omitInstructions === true,
      onNested: (files, touched) => reportNested(hooks, files, touched),
      skills: async () =>
        this.#offersSkills(gate)
          ? skillList(
              offeredSkills(
                chosenSkills(await library.files(), this.#listeners.skills),
                memory.touchedFiles(),
                settings.root,
              ),
              listLimits(settings, factsOf(model).contextTokens ?? DEFAULT_CONTEXT_TOKENS),
            )
          : undefined,
    });
    await this.#checkConfinement(settings);
    let agentCaller: AnyTool | undefined;
    const skill = skillTool(library, () => agentCaller);
    const usable = (some: readonly AnyTool[]): AnyTool[] =>
      this.#chosen(some).filter((tool) => !gate.isHidden(tool.name) && limit.offers(tool));
    const ofServers = (): AnyTool[] =>
      usable([...mcp.tools(), ...(main === undefined ? [] : serverTools.of(main))]);
    const others = (): AnyTool[] =>
      usable([...(library.known.some(({ isForModel }) => isForModel) ? [skill] : []), ...lsp.tools()]);
    const moreTools = (): AnyTool[] => [...search.with(ofServers()), ...others()];
    const system = main === undefined ? prompt.system : prompt.mainSystemOf(withMemory(main));
    const { maxAgents, ...limits } = concurrencyOf(this.#flags.maxConcurrency, settings, onNotice);
    const fastModel = await fastModelOf(keyed, this.#flags, { settings, onNotice });
    const options = {
      ...limits,
      model,
      ...(fallback === undefined ? {} : { fallbackModel: fallback }),
      tools,
      system: systemOf(this.#listeners, appended) ?? system,
      reminders: prompt.reminders,
      cwd,
      hooks,
      permissions: this.#rules(gate, mcp),
      validateJsonSchema,
      moreTools,
      background: shell.background,
      ...(valueOfKey(settings, "autoCompactEnabled") === false ? { autoCompact: false } : {}),
      ...compactWindow(settings, model),
      ...(maxTurns === undefined ? {} : { maxTurns }),
      ...(maxBudgetUsd === undefined ? {} : { budget: { costUsd: maxBudgetUsd } }),
    };
    this.#report([...written.problems, ...problems]);
    const agentCallers = agentTools({
      options,
      definitions,
      systemOf: (definition, at) => prompt.systemOf(withMemory(definition), at),
      worktree: worktreeSettings(settings),
      begin: (definition, signal) => serverTools.begin(definition, signal),
      toolsOf: (definition) => serverTools.of(definition).filter(({ name }) => !gate.isHidden(name)),
      ...(maxAgents === undefined ? {} : { maxAgents }),
      ...(limit.canStart === undefined ? {} : { canStart: limit.canStart }),
      ...(fastModel === undefined ? {} : { fastModel }),
    });
    agentCaller = agentCallers.find(({ name }) => name === "Agent");
    const planTools = this.#planTools(gate, settings, outputFolder);
    const all = this.#chosen([...tools, ...agentCallers, ...planTools]).filter(limit.offers);
    const observe = observer(hooks, denials);
    const display = new MessageDisplay({
      hooks,
      isReplaced: this.#listeners.showsReplacedText === true,
      pass: (event) => this.#listeners.onEvent(event),
    });
    const onEvent = (event: AgentEvent): void => {
      if (event.type === "ended") library.end();
      keeper.hear(event);
      observe(event);
      display.hear(event);
    };
    const create = this.#listeners.createAgent ?? createAgent;
    const agent = create({
      ...limit.options,
      ...options,
      tools: all,
      ...output,
      onEvent,
      waitsForBackground,
      ...(session === undefined ? {} : { session }),
      state: sessionState({ memory, gate, tasks: taskList, resumption: prompt.resumption, isModeGiven }),
    });
    this.#agent = agent;
    this.#closers.push(() => agent.close());
    reportInstructions(hooks, written);
    await runSetup(hooks, this.#flags.setup, onNotice);
    const offered = (): AnyTool[] => [...all, ...ofServers(), ...others()];
    const reading = (): Reading => readingOf(this.#shell?.readConfinement() ?? { type: "unknown" }, settings);
    return {
      agent,
      gate,
      model,
      setModel: (name) => control.setModel(name),
      setMaxThinkingTokens: (tokens) => control.setMaxThinkingTokens(tokens),
      hooks,
      agents: definitions,
      ...(main?.initialPrompt === undefined ? {} : { initialPrompt: main.initialPrompt }),
      stopTask: (id) => stopTask(tools, id, cwd),
      setMcpServers: (wanted) => dynamic.set(wanted),
      outputStyles: () => outputStyleNames(styles),
      plugins: plugins.map(({ name, root }) => ({ name, path: root })),
      addFolder: (path, source) => folders.add(path, source),
      get contextTokens() {
        return factsOf(model).contextTokens ?? DEFAULT_CONTEXT_TOKENS;
      },
      session,
      settings,
      toolNames: () => offered().map(({ name }) => name),
      prompts: library,
      instructions: written,
      mcp,
      languageServers: () => lsp.list(),
      reading,
      prompt: () => promptReport(system, prompt.opening, offered()),
      timeline: () => keeper.timeline(),
      moveToBackground: () => {
        const moved = agent.moveToBackground();
        // While a sub-agent is waited for, the commands are those of sub-agents, and stay with them.
        if (moved.length > 0) return moved.map(({ callId }) => ({ type: "moved", callId }));
        return shell.foregroundCommands().map(({ callId }) => shell.moveToBackground(callId));
      },
      close: () => this.close(),
    };
  }

  /** Only the main agent presents plans, and only if somebody can approve them. */
  #planTools(gate: PermissionGate, settings: LoadedSettings, folder: string): AnyTool[] {
    const canAsk = this.#listeners.askPerson ?? this.#flags.permissionPromptTool;
    const { home } = this.#world;
    return canAsk === undefined ? [] : [exitPlanModeTool(this.#plans.mode({ gate, settings, home, folder }))];
  }

  /** Without a user to ask, a command judged before the check has ended would be denied, so the check is awaited. */
  async #checkConfinement({ sandbox }: LoadedSettings): Promise<void> {
    if (this.#listeners.askPerson === undefined && sandbox.confinesReads)
      await this.#shell?.checkReadConfinement();
  }

  /** Closes the parts, the last one first. */
  async close(): Promise<void> {
    for (const close of this.#closers.splice(0).toReversed()) await close();
  }

  async #settings(): Promise<SettingsWatch> {
    const options = settingsOptions(this.#world, this.#flags);
    const { onNotice } = this.#listeners;
    const wasSandboxed = (atMs: number): boolean => this.#shell?.wasSandboxedAt(atMs) === true;
    const watch = await watchSettings({ ...options, onNotice, wasSandboxed }, (settings) =>
      this.#changed(settings),
    );
    this.#closers.push(() => watch.close());
    this.#report(watch.current.problems);
    return watch;
  }

  /** Notes about what is lost nowhere are shown by `/doctor` and `runahead settings` only. */
  #report(problems: readonly Problem[]): void {
    for (const { severity, message } of problems) if (severity !== "note") this.#listeners.onNotice(message);
  }

  #changed: (settings: LoadedSettings) => void = () => {};

  async #plugins(settings: LoadedSettings): Promise<readonly Plugin[]> {
    const given = { folders: this.#flags.pluginDir ?? [], withoutServers: this.#flags.pluginDirNoMcp ?? [] };
    const { plugins, problems } = await enabledPlugins(this.#world, settings, {
      ...given,
      isBare: this.#flags.bare === true,
    });
    this.#report([...problems, ...plugins.flatMap((plugin) => plugin.problems)]);
    return plugins;
  }

  #offersSkills(gate: PermissionGate): boolean {
    return (
      !gate.isHidden("Skill") && (this.#flags.tools === undefined || this.#flags.tools.includes("Skill"))
    );
  }

  #rules(gate: PermissionGate, mcp: McpConnections): PermissionRules {
    const { permissionPromptTool: toolName } = this.#flags;
    return toolName === undefined ? gate : askingTool({ gate, mcp, toolName });
  }

  #gate(
    settings: LoadedSettings,
    parts: Pick<GateParts, "approvals" | "model" | "runsOutside">,
  ): PermissionGate {
    return makeGate({
      ...this.#around,
      ...parts,
      settings,
      shell: () => this.#shell,
      outputFolder: () => this.#outputFolder,
      hooks: () => this.#runner,
      plans: this.#plans,
    });
  }

  #outputFolderOf(session: Session | undefined): string {
    const home = runaheadHome(this.#world);
    return (this.#outputFolder =
      session === undefined ? join(home, "output") : session.path.replace(/\.jsonl$/, ""));
  }

  #session(): Promise<Session | undefined> {
    const { onNotice, session } = this.#listeners;
    if (session !== undefined) return Promise.resolve(session);
    return openSession(this.#flags, { home: runaheadHome(this.#world), cwd: this.#world.cwd, onNotice });
  }

  /** Closed after the agent, to record its last events. */
  #keeper(session: Session | undefined): TimelineKeeper {
    const keeper = createTimelineKeeper({ session, onNotice: this.#listeners.onNotice });
    this.#closers.push(() => keeper.close());
    return keeper;
  }

  #hooks({ settings, plugins, control }: HookSources, parts: HookParts): HookRunner {
    const { cwd, env, home } = this.#world;
    const made = composeHooks(settings, {
      ...parts,
      world: { cwd, env, home },
      configs: [...hookConfigs(settings, this.#flags), ...pluginHooks(plugins, settings)],
      listeners: this.#listeners,
      agent: () => this.#agent,
      agentType: () => this.#mainName,
      effort: () => control.effort,
      reloadSkills: () => this.#reloadSkills(),
      isFork: this.#flags.forkSession === true,
      tasks: () => this.#tasks(),
      tools: () => this.#ownTools,
      modelNamed: async (name) => (name === undefined ? parts.model : control.named(name)),
    });
    this.#runner = made.hooks;
    this.#closers.push(() => made.close());
    return made.hooks;
  }

  #chosen<Tool extends { readonly name: string }>(tools: readonly Tool[]): Tool[] {
    const { tools: wanted, permissionPromptTool } = this.#flags;
    // The model cannot call the tool that approves calls.
    const others = tools.filter(({ name }) => name !== permissionPromptTool);
    return wanted === undefined ? others : others.filter(({ name }) => wanted.includes(name));
  }
}
