/** Assembles the parts of a coding agent from options and settings, and closes them in reverse order. */

import { join } from "node:path";
import type { AnyTool } from "@runahead/engine";
import {
  type AgentEvent,
  type HookRunner,
  type Model,
  PermissionGate,
  type PersonAnswer,
  type PersonQuestion,
  type Session,
  type PermissionRules,
  autoJudge,
  createAgent,
  type Agent,
  agentTools,
} from "@runahead/agent";
import { type LoadedSettings } from "../settings/loaded.ts";
import { type SettingsWatch, watchSettings } from "../settings/watch.ts";
import { readOnlyCommand } from "@runahead/permissions";
import { definedAgents } from "../settings/agents.ts";
import { definitionsOf } from "./agent-definitions.ts";
import { ExchangeableModel } from "./exchangeable-model.ts";
import { checkAvailable, namedModel } from "./named-model.ts";
import { enabledPlugins, moreFolders, pluginHooks } from "../plugins/enabled.ts";
import type { Plugin } from "../definitions/plugin.ts";
import { PromptLibrary } from "../skills/library.ts";
import { offeredSkills, skillList } from "../skills/skill-list.ts";
import { skillTool } from "../skills/skill-tool.ts";
import { instructions } from "../instructions/instructions.ts";
import { mcpApprovals } from "../settings/mcp-approvals.ts";
import { mcpCredentials } from "../settings/mcp-credentials.ts";
import { scopedMcpServers } from "../settings/mcp-scopes.ts";
import type { Problem } from "../settings/setting.ts";
import { textOfKey, textsOf } from "../settings/other-values.ts";
import { saveRule } from "../settings/save.ts";
import {
  FileMemory,
  Tasks,
  type ShellTools,
  askUserTool,
  fileTools,
  reapOrphans,
  searchProvider,
  shellTools,
  taskTools,
  webTools,
} from "@runahead/tools";
import { type McpConnections, connectMcp, validateJsonSchema } from "@runahead/mcp";
import { TimelineKeeper } from "@runahead/agent/timeline";
import { runaheadHome } from "../home.ts";
import type { Surroundings } from "../surroundings.ts";
import type { HarnessOptions } from "./options.ts";
import { concurrencyOf, fastModelOf } from "./agent-settings.ts";
import { askAboutPage } from "./ask-page.ts";
import { givenServers } from "./mcp-config.ts";
import { mcpEnvironment } from "./mcp-environment.ts";
import { startable } from "./mcp-parts.ts";
import { withApiKey } from "./api-key.ts";
import { isAvailable } from "./available-models.ts";
import { NoModel } from "./error.ts";
import { settingsTexts } from "./settings-texts.ts";
import { chooseModel } from "./model.ts";
import { modelWishes } from "./model-wishes.ts";
import { factsOf } from "@runahead/agent/internal";
import { openSession } from "./open-session.ts";
import { composeHooks, type HookParts } from "./hooks.ts";
import { observer, reportInstructions } from "./hook-events.ts";
import { askBackOf, hostServers, systemOf, withHostAgents } from "./host-servers.ts";
import { permissionSuggestions, personAnswer } from "./permission-answer.ts";
import { askingTool } from "./permission-tool.ts";
import { ToolSearch, deferringModel } from "./tool-search.ts";
import { stopTask } from "./outside-call.ts";
import { type Reading, isSandboxed, readingOf, readingOptions, sandboxOptions } from "./sandbox.ts";
import { cleanUpLater } from "./retention.ts";
import { providerSearch } from "./search.ts";
import { timeoutAction } from "./timeout-action.ts";
import { NO_SERVERS, hookConfigs, ofScopes, ofSources, settingsOptions } from "./settings-flags.ts";
import { sessionState, taskState } from "./session-state.ts";
import { askForSchema, schemaOf } from "./structured.ts";
import { agentPrompt } from "../prompt/prompt.ts";
import { gitState } from "../prompt/git-state.ts";
import { outputStyle } from "../prompt/output-style.ts";
import { promptReport } from "../prompt/report.ts";
import type { CodingAgent, Listeners } from "./coding-agent.ts";

/** What the loop assumes about models that it does not know. */
const DEFAULT_CONTEXT_TOKENS = 200_000;

interface LibraryNeeds {
  readonly settings: LoadedSettings;
  readonly gate: PermissionGate;
  readonly session: Session | undefined;
  readonly plugins: readonly Plugin[];
  readonly bash: () => AnyTool | undefined;
  readonly models: { readonly usual: Model; readonly model: ExchangeableModel; readonly keyed: Surroundings };
}

interface ToolParts {
  readonly session: Session | undefined;
  readonly model: Model;
  readonly gate: PermissionGate;
  readonly settings: LoadedSettings;
  readonly memory: FileMemory;
  readonly tasks: Tasks;
  /** Whether the model's provider searches the web itself. */
  readonly hasSearch: boolean;
  /** Variables of shell commands; hooks can add some. */
  readonly added: Readonly<Record<string, string>>;
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
  #gateNow: PermissionGate | undefined;
  #shell: ShellTools | undefined;
  #outputFolder: string | undefined;

  constructor(world: Surroundings, flags: HarnessOptions, listeners: Listeners) {
    this.#world = world;
    this.#flags = flags;
    this.#listeners = listeners;
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
    const settings = watch.current;
    const appended = [this.#appended(), settingsTexts(settings)].filter((text) => text !== "").join("\n\n");
    const keyed = await withApiKey(this.#world, settings);
    checkAvailable(this.#flags.model, settings, env);
    const {
      model: chosen,
      fallback,
      hasSearch,
    } = await chooseModel(keyed, this.#flags, {
      fromSettings: settings.model,
      webSearch: providerSearch(this.#world, settings),
      wishes: modelWishes(env, this.#flags, settings),
    }).catch((error: unknown) => {
      if (standIn === undefined || !(error instanceof NoModel)) throw error;
      return { model: standIn, fallback: undefined, hasSearch: false };
    });
    const exchangeable = new ExchangeableModel(chosen);
    const model = deferringModel(exchangeable);
    const search = new ToolSearch(env["ENABLE_TOOL_SEARCH"]);
    const plugins = await this.#plugins(settings);
    const mcp = await this.#mcp(settings, plugins, model);
    const gate = this.#gate(settings, mcp, model);
    this.#follow(watch, gate);
    const session = await this.#session();
    if (session !== undefined) this.#closers.push(cleanUpLater(runaheadHome(this.#world), settings));
    const keeper = this.#keeper(session);
    const added = { ...settings.env };
    const hooks = this.#hooks(settings, plugins, { gate, session, mcp, model, added });
    const where = { cwd, home, env, isTrusted: settings.isTrusted };
    const isBare = this.#flags.bare === true;
    const excludes = textsOf(settings, "claudeMdExcludes");
    const written = isBare
      ? { files: [], conditional: [], problems: [] }
      : ofSources(this.#flags, await instructions({ ...where, excludes }));
    const memory = new FileMemory();
    const { store, state: taskList } = taskState();
    const tasks = new Tasks(store);
    const { tools, shell } = this.#tools({ session, model, gate, settings, memory, tasks, hasSearch, added });
    this.#ownTools = tools;
    const library = this.#library({
      settings,
      plugins,
      gate,
      session,
      bash: () => tools.find(({ name }) => name === "Bash"),
      models: { usual: chosen, model: exchangeable, keyed },
    });
    await library.files();
    this.#report(library.problems);
    const prompt = await agentPrompt({
      world: { cwd, home, env },
      git,
      settings,
      instructions: written,
      excludes,
      hasNested: !isBare,
      model: model.name,
      gate,
      appended,
      style: await outputStyle(
        textOfKey(settings, "outputStyle"),
        { ...where, more: plugins.flatMap((one) => one.outputStyles) },
        this.#listeners.onNotice,
      ),
      canAsk: this.#listeners.askPerson !== undefined || this.#listeners.askUser !== undefined,
      shell,
      memory,
      tasks,
      skills: async () =>
        this.#offersSkills(gate)
          ? skillList(offeredSkills(await library.files(), memory.touchedFiles(), settings.root))
          : undefined,
    });
    await this.#checkConfinement(settings);
    let agentCaller: AnyTool | undefined;
    const skill = skillTool(library, () => agentCaller);
    const ofServers = (): AnyTool[] => this.#chosen(mcp.tools()).filter(({ name }) => !gate.isHidden(name));
    const skills = (): AnyTool[] =>
      this.#chosen(library.known.some(({ isForModel }) => isForModel) ? [skill] : []);
    const moreTools = (): AnyTool[] => [...search.with(ofServers()), ...skills()];
    const { maxAgents, ...limits } = concurrencyOf(this.#flags.maxConcurrency, settings, onNotice);
    const fastModel = await fastModelOf(this.#world, this.#flags, { settings, onNotice });
    const options = {
      ...limits,
      model,
      ...(fallback === undefined ? {} : { fallbackModel: fallback }),
      tools,
      system: systemOf(this.#listeners, appended) ?? prompt.system,
      reminders: prompt.reminders,
      cwd,
      hooks,
      permissions: this.#rules(gate, mcp),
      validateJsonSchema,
      moreTools,
      background: shell.background,
      ...(maxTurns === undefined ? {} : { maxTurns }),
      ...(maxBudgetUsd === undefined ? {} : { budget: { costUsd: maxBudgetUsd } }),
    };
    const { agents, problems } = isBare
      ? { agents: [], problems: [] }
      : await definedAgents({ ...where, more: plugins.flatMap((one) => one.agents) });
    this.#report([...written.problems, ...problems]);
    const ofFiles = await definitionsOf(agents, {
      world: keyed,
      isAvailable: (name) => isAvailable(name, settings, keyed.env),
      main: chosen,
      isReplayed: this.#flags.replay !== undefined || chosen === standIn,
      skills: library.known,
      onNotice: this.#listeners.onNotice,
    });
    const definitions = withHostAgents(this.#listeners, ofFiles);
    const ofAgents = agentTools({
      options,
      definitions,
      systemOf: prompt.systemOf,
      ...(maxAgents === undefined ? {} : { maxAgents }),
      ...(fastModel === undefined ? {} : { fastModel }),
    });
    agentCaller = ofAgents.find(({ name }) => name === "Agent");
    const all = this.#chosen([...tools, ...ofAgents]);
    const observe = observer(hooks);
    const onEvent = (event: AgentEvent): void => {
      if (event.type === "ended") library.end();
      keeper.hear(event);
      observe(event);
      this.#listeners.onEvent(event);
    };
    const agent = createAgent({
      ...options,
      tools: all,
      onEvent,
      waitsForBackground,
      ...(session === undefined ? {} : { session }),
      state: sessionState({ memory, gate, tasks: taskList, resumption: prompt.resumption, isModeGiven }),
    });
    this.#agent = agent;
    this.#closers.push(() => agent.close());
    reportInstructions(hooks, written);
    const offered = (): AnyTool[] => [...all, ...ofServers(), ...skills()];
    const reading = (): Reading => readingOf(this.#shell?.readConfinement() ?? { type: "unknown" }, settings);
    return {
      agent,
      gate,
      model,
      setModel: async (name) =>
        exchangeable.exchange(name === undefined ? undefined : await this.#modelNamed(keyed, name)),
      hooks,
      agents: definitions,
      stopTask: (id) => stopTask(tools, id, cwd),
      contextTokens: factsOf(model).contextTokens ?? DEFAULT_CONTEXT_TOKENS,
      session,
      settings,
      toolNames: () => offered().map(({ name }) => name),
      prompts: library,
      instructions: written,
      mcp,
      reading,
      prompt: () => promptReport(prompt.system, prompt.opening, offered()),
      timeline: () => keeper.timeline(),
      moveToBackground: () => shell.foregroundCommands().map(({ callId }) => shell.moveToBackground(callId)),
      close: () => this.close(),
    };
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

  #follow(watch: SettingsWatch, gate: PermissionGate): void {
    let { mode } = watch.current;
    this.#changed = (settings) => {
      // A mode that the user chose stays, unless the settings changed theirs or cannot be read.
      const stays = gate.mode === "plan" || (settings.mode === mode && !settings.isIncomplete);
      mode = settings.mode;
      gate.setSettings(stays ? { ...settings, mode: gate.mode } : settings);
    };
    gate.setSettings(watch.current);
  }

  async #modelNamed(world: Surroundings, name: string): Promise<Model> {
    return (await chooseModel(world, { ...this.#flags, model: name })).model;
  }

  /** Servers start in the background. */
  async #mcp(settings: LoadedSettings, plugins: readonly Plugin[], model: Model): Promise<McpConnections> {
    const { cwd, home, env } = this.#world;
    const { onNotice } = this.#listeners;
    const { mcpConfig = [], strictMcpConfig, bare } = this.#flags;
    const given = await givenServers(this.#world, mcpConfig, settings.passEnv);
    const isOnlyGiven = strictMcpConfig === true || bare === true;
    const place = { cwd, home, env, isTrusted: settings.isTrusted, passEnv: settings.passEnv };
    const found = isOnlyGiven ? NO_SERVERS : ofScopes(this.#flags, await scopedMcpServers(place));
    for (const { message } of found.problems) onNotice(message);
    const taken = new Set(given.map(({ name }) => name));
    const all = [
      ...given,
      ...found.servers.filter(({ name }) => !taken.has(name)),
      ...(isOnlyGiven ? [] : plugins.flatMap((plugin) => plugin.servers)),
    ];
    const servers = [...hostServers(this.#listeners), ...startable(all, settings, onNotice)];
    const approvals = await mcpApprovals({ cwd, home, env }, onNotice);
    const mcp = connectMcp({
      servers,
      onNotice,
      cwd,
      ...mcpEnvironment(env, settings),
      askBack: askBackOf(this.#listeners, { hooks: () => this.#runner, model }),
      credentials: mcpCredentials({ cwd, home, env }),
      approvals,
      tellsUntrusted: false,
    });
    this.#closers.push(() => mcp.close());
    return mcp;
  }

  #library({
    settings,
    plugins,
    gate,
    session,
    bash,
    models: { usual, model, keyed },
  }: LibraryNeeds): PromptLibrary {
    const { onNotice } = this.#listeners;
    const { replay, bare } = this.#flags;
    return new PromptLibrary({
      world: this.#world,
      settings,
      more: moreFolders(plugins),
      gate,
      hooks: () => this.#runner,
      bash,
      sessionId: session?.id ?? "",
      useModel: async (name) => {
        const isUsual = name === undefined || replay !== undefined;
        model.use(isUsual ? undefined : await namedModel(name, { usual, world: keyed, settings, onNotice }));
      },
      onNotice,
      isEmpty: bare === true,
    });
  }

  async #plugins(settings: LoadedSettings): Promise<readonly Plugin[]> {
    if (this.#flags.bare === true) return [];
    const { plugins, problems } = await enabledPlugins(this.#world, settings);
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

  #appended(): string {
    const { appendSystemPrompt = "", jsonSchema } = this.#flags;
    const asked = jsonSchema === undefined ? "" : askForSchema(schemaOf(jsonSchema, this.#world.cwd));
    return [appendSystemPrompt, asked].filter((part) => part !== "").join("\n\n");
  }

  #gate(settings: LoadedSettings, approvals: McpConnections, model: Model): PermissionGate {
    const { cwd, home } = this.#world;
    const { askPerson, onNotice } = this.#listeners;
    return (this.#gateNow = new PermissionGate({
      settings,
      cwd,
      home,
      onNotice,
      approvals,
      judge: autoJudge({ model }),
      isSandboxed: isSandboxed(this.#flags, settings) && settings.sandbox.mayRunUnasked,
      confinesReads: () => settings.sandbox.confinesReads && this.#shell?.readConfinement().type === "ready",
      save: async (rule) => {
        await saveRule({ level: "local", behavior: "allow", rule, cwd, own: this.#world });
      },
      readableFolders: () => (this.#outputFolder === undefined ? [] : [this.#outputFolder]),
      askPerson: async (question) =>
        this.#keepApproved(question, await this.#ask(question, askPerson), approvals),
    }));
  }

  /** An "always allow" for a tool of a server is bound to its current definition, which is saved before the rule (H05). */
  async #keepApproved(
    { toolName }: PersonQuestion,
    answer: PersonAnswer,
    mcp: McpConnections,
  ): Promise<PersonAnswer> {
    if (answer.type !== "always") return answer;
    await mcp.approveForGood(toolName, answer.rules).catch((error: unknown) => {
      this.#listeners.onNotice(
        `The approval of ${toolName} could not be saved and is valid for this session only: ${String(error)}`,
      );
    });
    return answer;
  }

  #session(): Promise<Session | undefined> {
    const { onNotice } = this.#listeners;
    return openSession(this.#flags, { home: runaheadHome(this.#world), cwd: this.#world.cwd, onNotice });
  }

  /** Closed after the agent, to record its last events. */
  #keeper(session: Session | undefined): TimelineKeeper {
    const keeper = new TimelineKeeper({ session, onNotice: this.#listeners.onNotice });
    this.#closers.push(() => keeper.close());
    return keeper;
  }

  /** PermissionRequest hooks answer first. Notification hooks run so that a user who is away notices the question. */
  async #ask(question: PersonQuestion, askPerson: Listeners["askPerson"]): Promise<PersonAnswer> {
    const { toolName, input, signal } = question;
    const call = { toolName, input, suggestions: permissionSuggestions(question) };
    const decision = await this.#runner?.permissionRequest(call, signal);
    if (decision !== undefined && this.#gateNow !== undefined)
      return personAnswer(decision, question, this.#gateNow);
    if (askPerson === undefined) return { type: "unanswered" };
    const facts = {
      message: `Runahead needs your approval: ${question.description}`,
      type: "permission_prompt",
    };
    void this.#runner?.notification(facts, question.signal).catch(() => {});
    return askPerson(question);
  }

  #hooks(settings: LoadedSettings, plugins: readonly Plugin[], parts: HookParts): HookRunner {
    const { cwd, env, home } = this.#world;
    const made = composeHooks(settings, {
      ...parts,
      world: { cwd, env, home },
      configs: [...hookConfigs(settings, this.#flags), ...pluginHooks(plugins, settings)],
      listeners: this.#listeners,
      agent: () => this.#agent,
      tools: () => this.#ownTools,
      modelNamed: async (name) =>
        name === undefined ? parts.model : this.#modelNamed(await withApiKey(this.#world, settings), name),
    });
    this.#runner = made.hooks;
    this.#closers.push(() => made.close());
    return made.hooks;
  }

  #tools({ session, model, gate, settings, memory, tasks, hasSearch, added }: ToolParts) {
    const { cwd, env } = this.#world;
    const home = runaheadHome(this.#world);
    void reapOrphans(home).catch(() => {});
    const outputFolder = session === undefined ? join(home, "output") : session.path.replace(/\.jsonl$/, "");
    this.#outputFolder = outputFolder;
    const shell = shellTools({
      root: cwd,
      home,
      env,
      addedEnv: added,
      passEnv: settings.passEnv,
      isReadOnlyCommand: readOnlyCommand,
      outputFolder,
      sandbox: sandboxOptions(this.#flags, settings),
      reading: readingOptions(settings),
      onCommand: (command) => memory.noteCommand(command),
      timeoutAction: timeoutAction(settings, this.#listeners.onNotice),
    });
    this.#closers.push(() => shell.close());
    this.#shell = shell;
    // Until the result is known, commands are judged as if unconfined.
    if (settings.sandbox.confinesReads) void shell.checkReadConfinement().then(() => gate.judgeAgain());
    const isSearchOffered = hasSearch || searchProvider(env) !== undefined;
    const web = webTools({
      fetch: { ask: askAboutPage(model) },
      search: isSearchOffered ? { environment: env } : false,
    });
    const files = fileTools(memory, { home, mayShow: (path) => gate.permissions.mayShow(path) });
    const { askUser } = this.#listeners;
    const asking = askUser === undefined ? [] : [askUserTool(askUser)];
    return { tools: [...files, ...shell.tools, ...web, ...taskTools(tasks), ...asking], shell };
  }

  #chosen<Tool extends { readonly name: string }>(tools: readonly Tool[]): Tool[] {
    const { tools: wanted, permissionPromptTool } = this.#flags;
    // The model cannot call the tool that approves calls.
    const others = tools.filter(({ name }) => name !== permissionPromptTool);
    return wanted === undefined ? others : others.filter(({ name }) => wanted.includes(name));
  }
}
