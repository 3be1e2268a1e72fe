/** Hooks: custom commands and functions that run on events and can block them. */

import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { Hooks } from "@runahead/engine";
import { combine } from "./combine.ts";
import { engineHooks } from "./engine-hooks.ts";
import { HOOK_EVENTS, type HookEvent, isHookEvent, setsEnvironment, subjectsOf } from "./event.ts";
import { Groups } from "./group.ts";
import { type Handler, type ListedHook, listed } from "./handler.ts";
import type {
  CompactFacts,
  EventResult,
  HookAbout,
  HookRunner,
  HookTest,
  HooksOptions,
  NotificationFacts,
  PermissionCall,
  StopFacts,
} from "./hook-runner.ts";
import { HOOKS_CONFIG, HOOKS_OPTIONS } from "./check-options.ts";
import { toHandlers } from "./in-process.ts";
import { type HookConfig, loadHooks } from "./load.ts";
import { type HookAgent, payloadOf } from "./payload.ts";
import { type PermissionDecision, permissionDecision } from "./permission-request.ts";
import { HookRuns, type HookReport } from "./run.ts";
import { type Shape, aString, anObject, checkOptions, didYouMean, isShape, required } from "@runahead/base";
import type { Notify } from "./words.ts";
import { StopCount } from "./stop-count.ts";

/**
 * Creates a runner for hooks: commands of settings files, and functions.
 *
 * Throws a TypeError for invalid options and unknown events. Invalid hooks of settings files are skipped with a notice.
 *
 * @example
 * ```ts
 * import { anthropic, createAgent, createHooks } from "@runahead/agent";
 *
 * const hooks = createHooks({
 *   configs: [],
 *   inProcess: [{ event: "PreToolUse", matcher: "Bash", run: () => ({ decision: "block", reason: "No shell." }) }],
 *   projectDir: process.cwd(),
 *   cwd: process.cwd(),
 *   env: process.env,
 *   sessionId: "",
 *   transcriptPath: "",
 *   permissionMode: () => "default",
 *   onNotice: console.warn,
 * });
 * const agent = createAgent({ model: anthropic({ model: "claude-sonnet-4-6" }), tools: [], hooks });
 * ```
 */
export function createHooks(options: HooksOptions): HookRunner {
  checkOptions(options, HOOKS_OPTIONS, "createHooks");
  for (const [at, config] of options.configs.entries())
    checkOptions(config, HOOKS_CONFIG, `createHooks: configs[${at}]`);
  return new Runner(options);
}

/** Hooks of other events cannot block; their reason is shown to the user. */
const STOPPABLE: ReadonlySet<HookEvent> = new Set<HookEvent>([
  "UserPromptSubmit",
  "UserPromptExpansion",
  "PostToolBatch",
  "Stop",
  "SubagentStop",
  "PreCompact",
  "PreModelSwitch",
  "TaskCreated",
  "TaskCompleted",
  "ConfigChange",
  "Elicitation",
  "ElicitationResult",
  "TeammateIdle",
  "WorktreeCreate",
]);

/** Events whose callers have no place for context: the model reads it with the next results. */
const LATE_CONTEXT: ReadonlySet<HookEvent> = new Set<HookEvent>(["Notification", "PostModelSwitch"]);

const aFact = required(anObject);

function unknownEvent(event: unknown): TypeError {
  const hint = typeof event === "string" ? didYouMean(event, HOOK_EVENTS) : "";
  return new TypeError(
    `Unknown event ${JSON.stringify(event)}.${hint || ` Events: ${HOOK_EVENTS.join(", ")}.`}`,
  );
}

class Runner implements HookRunner {
  readonly #options: HooksOptions;
  readonly #notify: Notify;
  #handlers: readonly Handler[];
  #listed: readonly ListedHook[];
  #added = 0;
  readonly #groups = new Groups();
  readonly #closing = new AbortController();
  readonly #runs: HookRuns;
  readonly #stops = new StopCount();
  readonly #context = new Map<string, readonly string[]>();
  /** Context of async hooks that have ended. */
  #lateContext: string[] = [];
  /** Context of Setup hooks, which the first prompt gets. */
  readonly #setupContext: string[] = [];
  #promptId: string | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: HooksOptions) {
    this.#options = options;
    // Each running hook adds a listener.
    setMaxListeners(0, this.#closing.signal);
    const { configs, inProcess = [], projectDir, matchesRule, store } = options;
    this.#notify = careful(options.onNotice);
    const loaded = loadHooks(configs, options, this.#notify);
    const functions = toHandlers(inProcess, this.#notify);
    this.#handlers = [...loaded.handlers, ...functions];
    this.#listed = [...loaded.listed, ...functions.map(listed)];
    this.#runs = new HookRuns({
      handlers: () => this.#handlers,
      groups: this.#groups,
      matchesRule,
      store,
      projectDir,
      environment: { ...options.env, CLAUDE_PROJECT_DIR: projectDir, RUNAHEAD_PROJECT_DIR: projectDir },
      notify: this.#notify,
      helpers: options,
      envFile: options.envFile,
      onStatus: options.onStatus,
      onTerminalSequence: options.onTerminalSequence,
      onLate: (report) => this.#late(report),
      closing: this.#closing.signal,
    });
  }

  engineHooks(agent?: HookAgent): Hooks {
    return engineHooks({
      isWanted: (event, names) => this.#runs.isWanted(event, names),
      has: (event) => this.has(event),
      isClosed: () => this.#closing.signal.aborted,
      payload: (event, facts, cwd) => this.#payload(event, facts, cwd, agent),
      run: (happening) => this.#runs.run(happening),
      notify: this.#notify,
      asksDeferred: this.#options.asksDeferred === true,
      task: this.#options.task,
      subAgent: this.#options.subAgent,
      context: this.#context,
    });
  }

  userPromptSubmit(prompt: string, signal?: AbortSignal): Promise<EventResult> {
    required(aString)(prompt, "userPromptSubmit: the prompt");
    this.#promptId = randomUUID();
    this.#stops.reset();
    return this.#happen("UserPromptSubmit", { prompt }, { signal });
  }

  stop(facts: StopFacts, signal?: AbortSignal): Promise<EventResult> {
    aFact(facts, "stop: the facts");
    return this.#stop("Stop", facts, { signal });
  }

  /** A background sub-agent that is about to end is what other programs call an idle teammate. */
  subagentStop(agent: HookAgent, facts: StopFacts, signal?: AbortSignal): Promise<EventResult> {
    aFact(agent, "subagentStop: the sub-agent");
    aFact(facts, "subagentStop: the facts");
    return this.#stop("SubagentStop", facts, { agent, signal });
  }

  async #idle({ agent, signal }: Concerning): Promise<EventResult | undefined> {
    if (agent?.isBackground !== true || !this.has("TeammateIdle")) return undefined;
    const facts = { teammate_name: agent.id, team_name: this.#options.sessionId };
    return this.#happen("TeammateIdle", facts, { agent, signal });
  }

  async sessionStart(source: string, signal?: AbortSignal): Promise<EventResult> {
    required(aString)(source, "sessionStart: the source");
    const { startSource, model } = this.#options;
    const isCompact = source === "compact";
    const facts = {
      source: isCompact ? source : (startSource ?? source),
      ...(model === undefined ? {} : { model: model() }),
    };
    const result = await this.#happen("SessionStart", facts, { signal });
    const { specific = [] } = result;
    if (specific.some(({ reloadSkills }) => reloadSkills === true)) this.#options.onReloadSkills?.();
    const first = isCompact ? [] : textsOf(specific, "initialUserMessage");
    // After a summary, the model reads the context with the next results.
    if (isCompact) this.#lateContext.push(...result.context);
    // What a hook lets the user say comes last, right before the prompt.
    return { ...result, context: [...this.#setupContext.splice(0), ...result.context, ...first] };
  }

  sessionEnd(reason: string, signal?: AbortSignal): Promise<EventResult> {
    required(aString)(reason, "sessionEnd: the reason");
    return this.#happen("SessionEnd", { reason: this.#options.endReason?.() ?? reason }, { signal });
  }

  preCompact(facts: CompactFacts, signal?: AbortSignal): Promise<EventResult> {
    aFact(facts, "preCompact: the facts");
    const { trigger, customInstructions } = facts;
    return this.#happen("PreCompact", { trigger, custom_instructions: customInstructions }, { signal });
  }

  notification(facts: NotificationFacts, signal?: AbortSignal): Promise<EventResult> {
    aFact(facts, "notification: the facts");
    const { message, type } = facts;
    return this.#happen("Notification", { message, notification_type: type }, { signal });
  }

  takeContext(): readonly string[] {
    const context = [...[...this.#context.values()].flat(), ...this.#lateContext];
    this.#context.clear();
    this.#lateContext = [];
    return context;
  }

  has(event: HookEvent): boolean {
    if (!isHookEvent(event)) throw unknownEvent(event);
    return this.#handlers.some((handler) => handler.event === event);
  }

  happen(event: HookEvent, facts: Shape, about: HookAbout = {}): Promise<EventResult> {
    if (!isHookEvent(event)) throw unknownEvent(event);
    return this.#happen(event, facts, { signal: undefined, ...about });
  }

  async permissionRequest(
    call: PermissionCall,
    signal?: AbortSignal,
  ): Promise<PermissionDecision | undefined> {
    aFact(call, "permissionRequest: the call");
    const { toolName, input, suggestions = [] } = call;
    if (!this.has("PermissionRequest")) return undefined;
    const facts = { tool_name: toolName, tool_input: input, permission_suggestions: suggestions };
    const { specific = [], messages, stop } = await this.#happen("PermissionRequest", facts, { signal });
    for (const message of messages) this.#notify(`PermissionRequest hook: ${message}`);
    if (stop !== undefined) return { behavior: "deny", message: stop.reason, interrupt: true };
    return permissionDecision(specific);
  }

  /** What an async hook says at its end cannot decide anything any more. */
  #late({ handler, said }: HookReport): void {
    if (said.message !== "") this.#notify(`${handler.event} hook: ${said.message}`);
    const isWaking = handler.wakes && said.verdict === "block" && this.#options.onRewake !== undefined;
    if (isWaking) this.#options.onRewake?.(said.reason || "A hook asks you to look again.");
    this.#lateContext.push(...said.context);
  }

  add(given: HookConfig, about: { readonly agent?: HookAgent } = {}): () => void {
    checkOptions(given, HOOKS_CONFIG, "add: the config");
    checkOptions(about, { agent: anObject }, "add: the second argument");
    const { hooks, ...config } = given;
    const { agent } = about;
    const source = `${config.source} (${++this.#added})`;
    const own = { ...config, source, hooks: agent === undefined ? hooks : ofAgent(hooks) };
    const loaded = loadHooks([own], this.#options, this.#notify);
    const handlers = loaded.handlers.map((handler) =>
      agent === undefined ? handler : { ...handler, agentId: agent.id },
    );
    this.#handlers = [...this.#handlers, ...handlers];
    this.#listed = [...this.#listed, ...loaded.listed];
    return () => {
      this.#handlers = this.#handlers.filter((handler) => !handlers.some((one) => one === handler));
      this.#listed = this.#listed.filter((hook) => !loaded.listed.includes(hook));
    };
  }

  list(): readonly ListedHook[] {
    return this.#listed;
  }

  async test(event: HookEvent, sample: Shape, id?: string): Promise<readonly HookTest[]> {
    if (!isHookEvent(event)) throw unknownEvent(event);
    if (!isShape(sample)) throw new TypeError("The sample must be a JSON object.");
    const { cwd } = this.#options;
    const payload = this.#payload(event, sample, cwd);
    const names = subjectsOf(event, payload);
    const matches = (handler: Handler): boolean => handler.event === event && handler.matcher.matches(names);
    const chosen = this.#handlers.filter((handler) =>
      id === undefined ? matches(handler) : handler.id === id,
    );
    if (id !== undefined && chosen.length === 0) throw new Error(this.#whyNotTested(id));
    const waited = chosen.map((handler) => ({ ...handler, isAsync: false }));
    const reports = await this.#runs.report(waited, { event, payload, cwd, signal: undefined });
    return reports.map(({ ending, said }, at) => {
      const handler = chosen[at] as Handler;
      return { hook: listed(handler), ending, said, matches: matches(handler) };
    });
  }

  #whyNotTested(id: string): string {
    const hook = this.#listed.find((other) => other.id === id);
    if (hook !== undefined && !hook.runs) return `The hook ${id} does not run: ${hook.why}.`;
    return `Unknown hook ${JSON.stringify(id)}. runahead hooks lists all ids.`;
  }

  close(): Promise<void> {
    this.#closing.abort();
    this.#closed ??= this.#runs.ended().then(() => this.#groups.close());
    return this.#closed;
  }

  /** Counts blocks, so that no loop runs forever (D14). */
  async #stop(event: "Stop" | "SubagentStop", facts: StopFacts, about: Concerning): Promise<EventResult> {
    const who = about.agent?.id;
    const isActive = facts.isActive || this.#stops.isActive(who);
    const first = await this.#happen(
      event,
      {
        stop_hook_active: isActive,
        last_assistant_message: facts.lastAssistantMessage,
        background_tasks: this.#options.backgroundTasks?.() ?? [],
        ...this.#transcriptOf(about.agent, facts),
      },
      about,
    );
    const result = first.blocked === undefined ? ((await this.#idle(about)) ?? first) : first;
    if (this.#stops.canBlock(who, result.blocked !== undefined)) return result;
    this.#notify(
      `${event} hooks blocked the end ${StopCount.limit} times in a row. The next block is ignored.`,
    );
    return { ...result, blocked: undefined };
  }

  #transcriptOf(agent: HookAgent | undefined, { messages = [] }: StopFacts): Shape {
    if (agent === undefined) return {};
    const isRead = this.has("SubagentStop");
    return {
      agent_transcript_path: (isRead && this.#options.agentTranscript?.(agent, messages)) || "",
    };
  }

  async #happen(event: HookEvent, facts: Shape, about: Concerning): Promise<EventResult> {
    const { agent, signal, cwd = this.#options.cwd } = about;
    const payload = this.#payload(event, facts, cwd, agent);
    const { verdict, reason, context, messages, stop, specific } = combine(
      await this.#runs.run({ event, payload, cwd, signal }),
    );
    if (setsEnvironment(event)) await this.#options.onEnvFile?.();
    const watched = specific.flatMap(({ watchPaths }) => (Array.isArray(watchPaths) ? watchPaths : []));
    if (watched.length > 0) this.#options.onWatchPaths?.(watched.filter((path) => typeof path === "string"));
    // Setup hooks run before there is a prompt that their context could be added to.
    if (event === "Setup") this.#setupContext.push(...context);
    if (LATE_CONTEXT.has(event)) this.#lateContext.push(...context);
    const isBlocked = verdict === "block";
    const isStoppable = STOPPABLE.has(event);
    return {
      blocked: isBlocked && isStoppable ? { reason: reason || "The hook gave no reason." } : undefined,
      stop: stop === undefined ? undefined : { reason: stop || "A hook ended the work." },
      context,
      messages: isBlocked && !isStoppable && reason !== "" ? [...messages, reason] : messages,
      ...(specific.length === 0 ? {} : { specific }),
    };
  }

  #payload(event: HookEvent, facts: Shape, cwd: string, agent?: HookAgent): Shape {
    this.#options.onEvent?.();
    const all = { ...facts, ...this.#serverOf(facts) };
    return payloadOf(this.#options, { event, promptId: this.#promptId, agent, cwd, facts: all });
  }

  /** The server of an MCP tool, so that a script does not have to parse its name. */
  #serverOf({ tool_name: name }: Shape): Shape {
    const isServers = typeof name === "string" && name.startsWith("mcp__");
    const server = isServers ? this.#options.mcpServer?.(name) : undefined;
    return server === undefined ? {} : { mcp_server: server };
  }
}

function textsOf(all: readonly Shape[], member: string): string[] {
  return all.flatMap((one) => (typeof one[member] === "string" && one[member] !== "" ? [one[member]] : []));
}

/** The end of a sub-agent is SubagentStop, which a definition writes as Stop. */
function ofAgent(hooks: unknown): unknown {
  if (!isShape(hooks) || !("Stop" in hooks)) return hooks;
  const { Stop: stops, SubagentStop: others = [], ...rest } = hooks;
  const all = [stops, others].flatMap((groups) => (Array.isArray(groups) ? (groups as unknown[]) : []));
  return { ...rest, SubagentStop: all };
}

interface Concerning {
  readonly agent?: HookAgent;
  readonly cwd?: string;
  readonly signal: AbortSignal | undefined;
}

/** A listener that throws must not affect a verdict. */
function careful(onNotice: Notify): Notify {
  return (message) => {
    try {
      onNotice(message);
    } catch (error) {
      process.emitWarning(`The onNotice listener threw an error: ${String(error)}`, "RunaheadWarning");
    }
  };
}
