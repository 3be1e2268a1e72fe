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
  agentTool,
} from "@runahead/agent";
import { type LoadedSettings } from "../settings/loaded.ts";
import { type SettingsWatch, watchSettings } from "../settings/watch.ts";
import { readOnlyCommand } from "@runahead/permissions";
import { definedAgents } from "../settings/agents.ts";
import { instructions } from "../instructions/instructions.ts";
import { mcpApprovals } from "../settings/mcp-approvals.ts";
import { mcpCredentials } from "../settings/mcp-credentials.ts";
import { scopedMcpServers } from "../settings/mcp-scopes.ts";
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
import { askAboutPage } from "./ask-page.ts";
import { givenServers } from "./mcp-config.ts";
import { mcpEnvironment } from "./mcp-environment.ts";
import { NoModel } from "./error.ts";
import { chooseModel, fallbackOf } from "./model.ts";
import { openSession } from "./open-session.ts";
import { composeHooks, type HookParts } from "./hooks.ts";
import { observer, reportInstructions } from "./hook-events.ts";
import { askBackOf, definitionsOf, hostServers, systemOf } from "./host-servers.ts";
import { permissionSuggestions, personAnswer } from "./permission-answer.ts";
import { askingTool } from "./permission-tool.ts";
import { ToolSearch, deferringModel } from "./tool-search.ts";
import { stopTask } from "./outside-call.ts";
import { SwitchingModel } from "./switching-model.ts";
import { type Reading, isSandboxed, readingOf, readingOptions, sandboxOptions } from "./sandbox.ts";
import { providerSearch } from "./search.ts";
import { NO_SERVERS, hookConfigs, ofScopes, ofSources, settingsOptions } from "./settings-flags.ts";
import { askForSchema, schemaOf } from "./structured.ts";
import { agentPrompt } from "../prompt/prompt.ts";
import { gitState } from "../prompt/git-state.ts";
import { promptReport } from "../prompt/report.ts";
import type { CodingAgent, Listeners } from "./coding-agent.ts";

interface ToolParts {
  readonly session: Session | undefined;
  readonly model: Model;
  readonly gate: PermissionGate;
  readonly settings: LoadedSettings;
  readonly memory: FileMemory;
  readonly tasks: Tasks;
  /** Variables of shell commands; hooks can add some. */
  readonly added: Readonly<Record<string, string>>;
  /** Whether the model's provider searches the web itself. */
  readonly hasSearch: boolean;
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

  constructor(world: Surroundings, flags: HarnessOptions, listeners: Listeners) {
    this.#world = world;
    this.#flags = flags;
    this.#listeners = listeners;
  }

  /** `standIn` is used if no model is configured. */
  async assemble(standIn?: Model): Promise<CodingAgent> {
    const { cwd, home, env } = this.#world;
    const { maxTurns, maxBudgetUsd } = this.#flags;
    const git = gitState({ cwd, home, env });
    const watch = await this.#settings();
    const settings = watch.current;
    const appended = this.#appended();
    const chosen = await chooseModel(this.#world, this.#flags, {
      fromSettings: settings.model,
      webSearch: providerSearch(this.#world, settings),
    }).catch((error: unknown) => {
      if (standIn === undefined || !(error instanceof NoModel)) throw error;
      return { model: standIn, hasSearch: false };
    });
    const switching = new SwitchingModel(chosen.model);
    const model = deferringModel(switching);
    const search = new ToolSearch(env["ENABLE_TOOL_SEARCH"]);
    const mcp = await this.#mcp(settings, model);
    const gate = this.#gate(settings, mcp, model);
    this.#follow(watch, gate);
    const session = await this.#session();
    const keeper = this.#keeper(session);
    const added = { ...settings.env };
    const hooks = this.#hooks(settings, { gate, session, mcp, model, added });
    const where = { cwd, home, env, isTrusted: settings.isTrusted };
    const isBare = this.#flags.bare === true;
    const written = isBare ? { files: [], problems: [] } : ofSources(this.#flags, await instructions(where));
    const memory = new FileMemory();
    const tasks = new Tasks();
    const { tools, shell } = this.#tools({ ...chosen, session, model, gate, settings, memory, tasks, added });
    this.#ownTools = tools;
    const prompt = await agentPrompt({
      world: { cwd, home, env },
      git,
      settings,
      instructions: written,
      hasNested: !isBare,
      model: model.name,
      gate,
      appended,
      canAsk: this.#listeners.askPerson !== undefined || this.#listeners.askUser !== undefined,
      shell,
      memory,
      tasks,
    });
    await this.#checkConfinement(settings);
    const options = {
      model,
      tools,
      system: systemOf(this.#listeners, appended) ?? prompt.system,
      reminders: prompt.reminders,
      cwd,
      hooks,
      permissions: this.#rules(gate, mcp),
      validateJsonSchema,
      moreTools: () => search.with(this.#chosen(mcp.tools()).filter(({ name }) => !gate.isHidden(name))),
      ...(await fallbackOf(this.#world, this.#flags)),
      ...(maxTurns === undefined ? {} : { maxTurns }),
      ...(maxBudgetUsd === undefined ? {} : { budget: { costUsd: maxBudgetUsd } }),
    };
    const { agents, problems } = isBare ? { agents: [], problems: [] } : await definedAgents(where);
    for (const { message } of [...written.problems, ...problems]) this.#listeners.onNotice(message);
    const definitions = definitionsOf(this.#listeners, agents);
    const all = this.#chosen([
      ...tools,
      agentTool({
        options,
        definitions,
        systemOf: prompt.systemOf,
      }),
    ]);
    const observe = observer(hooks);
    const onEvent = (event: AgentEvent): void => {
      keeper.hear(event);
      observe(event);
      this.#listeners.onEvent(event);
    };
    const agent = createAgent({
      ...options,
      tools: all,
      onEvent,
      ...(session === undefined ? {} : { session }),
    });
    this.#agent = agent;
    this.#closers.push(() => agent.close());
    reportInstructions(hooks, written);
    const offered = (): AnyTool[] => [...all, ...this.#chosen(mcp.tools())];
    const reading = (): Reading => readingOf(this.#shell?.readConfinement() ?? { type: "unknown" }, settings);
    return {
      agent,
      gate,
      model,
      setModel: async (name) => switching.use(name === undefined ? undefined : await this.#modelNamed(name)),
      hooks,
      agents: definitions,
      stopTask: (id) => stopTask(tools, id, cwd),
      session,
      settings,
      toolNames: () => offered().map(({ name }) => name),
      mcp,
      reading,
      prompt: () => promptReport(prompt.system, prompt.opening, offered()),
      timeline: () => keeper.timeline(),
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
    for (const { message } of watch.current.problems) this.#listeners.onNotice(message);
    return watch;
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

  async #modelNamed(name: string): Promise<Model> {
    return (await chooseModel(this.#world, { ...this.#flags, model: name })).model;
  }

  /** Servers start in the background. */
  async #mcp(settings: LoadedSettings, model: Model): Promise<McpConnections> {
    const { cwd, home, env } = this.#world;
    const { onNotice } = this.#listeners;
    const { mcpConfig = [], strictMcpConfig, bare } = this.#flags;
    const given = await givenServers(this.#world, mcpConfig, settings.passEnv);
    const isOnlyGiven = strictMcpConfig === true || bare === true;
    const place = { cwd, home, env, isTrusted: settings.isTrusted, passEnv: settings.passEnv };
    const found = isOnlyGiven ? NO_SERVERS : ofScopes(this.#flags, await scopedMcpServers(place));
    for (const { message } of found.problems) onNotice(message);
    const taken = new Set(given.map(({ name }) => name));
    const ofFiles = [...given, ...found.servers.filter(({ name }) => !taken.has(name))];
    const servers = [...hostServers(this.#listeners), ...ofFiles];
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
      save: async (rule) => void (await saveRule({ level: "local", behavior: "allow", rule, cwd })),
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

  #hooks(settings: LoadedSettings, parts: HookParts): HookRunner {
    const { cwd, env, home } = this.#world;
    const made = composeHooks(settings, {
      ...parts,
      world: { cwd, env, home },
      configs: hookConfigs(settings, this.#flags),
      listeners: this.#listeners,
      agent: () => this.#agent,
      tools: () => this.#ownTools,
      modelNamed: async (name) => (name === undefined ? parts.model : this.#modelNamed(name)),
    });
    this.#runner = made.hooks;
    this.#closers.push(() => made.close());
    return made.hooks;
  }

  #tools({ session, model, gate, settings, memory, tasks, hasSearch, added }: ToolParts) {
    const { cwd, env } = this.#world;
    const home = runaheadHome(this.#world);
    void reapOrphans(home).catch(() => {});
    const shell = shellTools({
      root: cwd,
      home,
      env,
      addedEnv: added,
      passEnv: settings.passEnv,
      isReadOnlyCommand: readOnlyCommand,
      outputFolder: session === undefined ? join(home, "output") : session.path.replace(/\.jsonl$/, ""),
      sandbox: sandboxOptions(this.#flags, settings),
      reading: readingOptions(settings),
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
    const files = fileTools(memory, { mayShow: (path) => gate.permissions.mayShow(path) });
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
