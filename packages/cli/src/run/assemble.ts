/** All parts of an agent, put together as the command line and the settings say. */

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  type Agent,
  type AgentEvent,
  type HookRunner,
  type LoadedSettings,
  type Model,
  PermissionGate,
  type PersonAnswer,
  type PersonQuestion,
  type Session,
  type SettingsOptions,
  type SettingsWatch,
  concerns,
  createAgent,
  createHooks,
  definedAgents,
  instructions,
  mcpServers,
  readOnlyCommand,
  saveRule,
  sessions,
  watchSettings,
} from "@runahead/agent";
import {
  type AgentDefinition,
  FileMemory,
  type McpConnections,
  agentTool,
  connectMcp,
  fileTools,
  reapOrphans,
  shellTools,
  taskTools,
  validateJsonSchema,
  webTools,
} from "@runahead/agent/tools";
import { UsageError } from "../exit.ts";
import type { World } from "../world.ts";
import type { RunFlags } from "./flags.ts";
import { askAboutPage } from "./ask-page.ts";
import { chooseModel } from "./model.ts";
import { systemPrompt } from "./system.ts";

export interface Listeners {
  readonly onEvent: (event: AgentEvent) => void;
  readonly onNotice: (message: string) => void;
  /** Without one, what must be asked is not run. */
  readonly askPerson?: (question: PersonQuestion) => Promise<PersonAnswer>;
}

export interface Assembled {
  readonly agent: Agent;
  readonly gate: PermissionGate;
  readonly model: Model;
  readonly session: Session | undefined;
  readonly settings: LoadedSettings;
  readonly toolNames: () => readonly string[];
  readonly mcp: McpConnections;
  /** Ends everything of ours; comes back when nothing is left. */
  close(): Promise<void>;
}

export async function assemble(world: World, flags: RunFlags, listeners: Listeners): Promise<Assembled> {
  const parts = new Parts(world, flags, listeners);
  try {
    return await parts.assemble();
  } catch (error) {
    await parts.close();
    throw error;
  }
}

/** What has been begun, so that all of it can be ended. */
class Parts {
  readonly #world: World;
  readonly #flags: RunFlags;
  readonly #listeners: Listeners;
  readonly #closers: (() => unknown)[] = [];
  #runner: HookRunner | undefined;

  constructor(world: World, flags: RunFlags, listeners: Listeners) {
    this.#world = world;
    this.#flags = flags;
    this.#listeners = listeners;
  }

  async assemble(): Promise<Assembled> {
    const { cwd, home, env } = this.#world;
    const { maxTurns, maxBudgetUsd } = this.#flags;
    const watch = await this.#settings();
    const settings = watch.current;
    const model = await chooseModel(this.#world, this.#flags, settings.model);
    const mcp = await this.#mcp(settings);
    const gate = this.#gate(settings, mcp);
    this.#follow(watch, gate);
    const session = await this.#session();
    const hooks = this.#hooks(settings, gate, session);
    const where = { cwd, home, env, isTrusted: settings.isTrusted };
    const written = await instructions(where);
    const appended = this.#flags.appendSystemPrompt ?? "";
    const system = systemPrompt({
      cwd,
      isGit: existsSync(join(settings.root, ".git")),
      instructions: written,
      appended,
    });
    const tools = this.#tools(session, model, gate);
    const options = {
      model,
      tools,
      system,
      cwd,
      hooks,
      permissions: gate,
      validateJsonSchema,
      moreTools: () => this.#chosen(mcp.tools()),
      ...(maxTurns === undefined ? {} : { maxTurns }),
      ...(maxBudgetUsd === undefined ? {} : { budget: { costUsd: maxBudgetUsd } }),
    };
    const { agents, problems } = await definedAgents(where);
    for (const { message } of [...written.problems, ...problems]) this.#listeners.onNotice(message);
    const all = this.#chosen([...tools, agentTool({ options, definitions: agents.map(toDefinition) })]);
    const { onEvent } = this.#listeners;
    const agent = createAgent({
      ...options,
      tools: all,
      onEvent,
      ...(session === undefined ? {} : { session }),
    });
    this.#closers.push(() => agent.close());
    const toolNames = (): string[] => [...all, ...this.#chosen(mcp.tools())].map(({ name }) => name);
    return { agent, gate, model, session, settings, toolNames, mcp, close: () => this.close() };
  }

  /** The last that was begun is the first to end. */
  async close(): Promise<void> {
    for (const close of this.#closers.splice(0).toReversed()) await close();
  }

  async #settings(): Promise<SettingsWatch> {
    const { cwd, home, env } = this.#world;
    const { settingSources, trust } = this.#flags;
    const options: SettingsOptions = {
      cwd,
      home,
      env,
      flags: settingsOf(this.#flags),
      ...(settingSources === undefined ? {} : { sources: sourcesOf(settingSources) }),
      ...(trust === true ? { isTrusted: true } : {}),
    };
    const watch = await watchSettings(options, (settings) => this.#changed(settings));
    this.#closers.push(() => watch.close());
    for (const { message } of watch.current.problems) this.#listeners.onNotice(message);
    return watch;
  }

  #changed: (settings: LoadedSettings) => void = () => {};

  #follow(watch: SettingsWatch, gate: PermissionGate): void {
    this.#changed = (settings) => gate.setSettings(settings);
    gate.setSettings(watch.current);
  }

  /** Servers start in the background; whoever cannot wait need not. */
  async #mcp(settings: LoadedSettings): Promise<McpConnections> {
    const { cwd, home, env } = this.#world;
    const { onNotice } = this.#listeners;
    const { servers, problems } = await mcpServers({ cwd, home, env, isTrusted: settings.isTrusted });
    for (const { message } of problems) onNotice(message);
    const mcp = connectMcp({ servers, onNotice, cwd, env: { ...env, ...settings.env } });
    this.#closers.push(() => mcp.close());
    return mcp;
  }

  #gate(settings: LoadedSettings, approvals: McpConnections): PermissionGate {
    const { cwd, home } = this.#world;
    const { askPerson, onNotice } = this.#listeners;
    return new PermissionGate({
      settings,
      cwd,
      home,
      onNotice,
      approvals,
      isSandboxed: this.#flags.sandbox === true,
      save: async (rule) => void (await saveRule({ level: "local", behavior: "allow", rule, cwd })),
      ...(askPerson === undefined ? {} : { askPerson: (question) => this.#ask(question, askPerson) }),
    });
  }

  async #session(): Promise<Session | undefined> {
    const { cwd } = this.#world;
    const { resume, continue: isContinued, forkSession, sessionPersistence } = this.#flags;
    if (sessionPersistence === false) return undefined;
    const store = sessions({ home: this.#runaheadHome, cwd, onNotice: this.#listeners.onNotice });
    if (resume !== undefined) return forkSession === true ? store.fork(resume) : store.resume(resume);
    if (isContinued !== true) return store.create();
    const [latest] = await store.list();
    if (latest === undefined) throw new UsageError("there is no session in this folder to continue");
    return forkSession === true ? store.fork(latest.id) : store.resume(latest.id);
  }

  /** Whoever has looked away is called, if there is a hook for it. */
  #ask(question: PersonQuestion, askPerson: NonNullable<Listeners["askPerson"]>): Promise<PersonAnswer> {
    const facts = { message: `Runahead asks: ${question.description}`, type: "permission_prompt" };
    void this.#runner?.notification(facts, question.signal).catch(() => {});
    return askPerson(question);
  }

  #hooks(settings: LoadedSettings, gate: PermissionGate, session: Session | undefined): HookRunner {
    const { cwd, env, home } = this.#world;
    const hooks = createHooks({
      configs: settings.hooks.map(({ name: source, root, trusted, hooks: found }) => ({
        source,
        root,
        trusted,
        hooks: found,
      })),
      cwd,
      projectDir: settings.root,
      env: { ...env, ...settings.env },
      sessionId: session?.id ?? "",
      transcriptPath: session?.path ?? "",
      permissionMode: () => gate.mode,
      matchesRule: (rule, toolName, input) => concerns(rule, { toolName, input, cwd, home }),
      onNotice: this.#listeners.onNotice,
    });
    this.#runner = hooks;
    this.#closers.push(() => hooks.close());
    return hooks;
  }

  #tools(session: Session | undefined, model: Model, gate: PermissionGate) {
    const { cwd, env } = this.#world;
    const home = this.#runaheadHome;
    void reapOrphans(home).catch(() => {});
    const shell = shellTools({
      root: cwd,
      home,
      env,
      isReadOnlyCommand: readOnlyCommand,
      outputFolder: session === undefined ? join(home, "output") : session.path.replace(/\.jsonl$/, ""),
      sandbox: this.#flags.sandbox === true,
    });
    this.#closers.push(() => shell.close());
    const web = webTools({ fetch: { ask: askAboutPage(model) }, search: { environment: env } });
    const files = fileTools(new FileMemory(), { mayShow: (path) => gate.permissions.mayShow(path) });
    return [...files, ...shell.tools, ...web, ...taskTools()];
  }

  #chosen<Tool extends { readonly name: string }>(tools: readonly Tool[]): Tool[] {
    const { tools: wanted } = this.#flags;
    return wanted === undefined ? [...tools] : tools.filter(({ name }) => wanted.includes(name));
  }

  get #runaheadHome(): string {
    const { env, home } = this.#world;
    return resolve(env["RUNAHEAD_HOME"] || join(home, ".runahead"));
  }
}

/** As if it stood in a settings file, so that what limits those limits this too. */
function settingsOf(flags: RunFlags): (string | Record<string, unknown>)[] {
  const { permissionMode, dangerouslySkipPermissions, allowedTools, disallowedTools, addDir, settings } =
    flags;
  const mode = dangerouslySkipPermissions === true ? "bypassPermissions" : permissionMode;
  if (
    mode === "bypassPermissions" &&
    process.getuid?.() === 0 &&
    process.env["RUNAHEAD_ALLOW_ROOT_BYPASS"] !== "1"
  )
    throw new UsageError("bypassPermissions is refused as root, since nothing could hold it back");
  const permissions = {
    ...(mode === undefined ? {} : { defaultMode: mode }),
    ...(allowedTools === undefined ? {} : { allow: allowedTools }),
    ...(disallowedTools === undefined ? {} : { deny: disallowedTools }),
    ...(addDir === undefined ? {} : { additionalDirectories: addDir }),
  };
  return [{ permissions }, ...(settings === undefined ? [] : [settings])];
}

const SOURCES = ["user", "project", "local"] as const;

function sourcesOf(text: string): (typeof SOURCES)[number][] {
  return text.split(",").map((name) => {
    const source = SOURCES.find((one) => one === name.trim());
    if (source === undefined)
      throw new UsageError(`--setting-sources takes ${SOURCES.join(", ")}, not ${name}`);
    return source;
  });
}

function toDefinition(agent: Awaited<ReturnType<typeof definedAgents>>["agents"][number]): AgentDefinition {
  const { name, description, prompt, tools } = agent;
  return { name, description, prompt, ...(tools === undefined ? {} : { tools }) };
}
