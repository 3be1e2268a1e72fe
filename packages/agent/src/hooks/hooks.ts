/** Hooks: custom commands and functions that run on events and can block them. */

import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { Hooks } from "@runahead/engine";
import type { StoreText } from "./bound.ts";
import { combine } from "./combine.ts";
import { engineHooks } from "./engine-hooks.ts";
import { HOOK_EVENTS, type HookEvent, isHookEvent, setsEnvironment, subjectsOf } from "./event.ts";
import { Groups } from "./group.ts";
import { type Handler, type ListedHook, listed } from "./handler.ts";
import { type InProcessHook, toHandlers } from "./in-process.ts";
import { type HookConfig, loadHooks } from "./load.ts";
import { type HookAgent, type SessionFacts, payloadOf } from "./payload.ts";
import { type PermissionDecision, permissionDecision } from "./permission-request.ts";
import type { HookHelpers } from "./remote.ts";
import { HookRuns, type HookReport, type MatchesRule } from "./run.ts";
import {
  type Check,
  type Shape,
  aBoolean,
  aFunction,
  aString,
  anArray,
  anObject,
  anything,
  checkOptions,
  isShape,
  required,
} from "@runahead/base";
import type { Notify } from "./words.ts";
import { StopCount } from "./stop-count.ts";

/** Options of {@link createHooks}. */
export interface HooksOptions extends SessionFacts, HookHelpers {
  /** Hooks of settings files, in order. If several change the same input, the last one wins. */
  readonly configs: readonly HookConfig[];
  /** Hooks that are functions; they count after those of `configs`. */
  readonly inProcess?: readonly InProcessHook[];
  /** The folder of the project, for `CLAUDE_PROJECT_DIR`. */
  readonly projectDir: string;
  /** The environment of the commands. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Receives problems, and messages of hooks to the user. */
  readonly onNotice: Notify;
  /** Evaluates `if`. Without it, such hooks run for everything that their matcher matches. */
  readonly matchesRule?: MatchesRule;
  /** Stores texts of more than 10,000 characters. Without it, the rest is dropped with a note. */
  readonly store?: StoreText;
  /**
   * The file that hooks of SessionStart and CwdChanged write variables to, as `CLAUDE_ENV_FILE`. Default: they get no
   * such file.
   */
  readonly envFile?: string;
  /** Called, and awaited, after hooks ran that can have written `envFile`. */
  readonly onEnvFile?: () => void | Promise<void>;
  /** Called before the input of an event is built, so that the transcript can be brought up to date. */
  readonly onEvent?: () => void;
  /** Called with `statusMessage` while a hook runs, and with undefined when no such hook runs any more. */
  readonly onStatus?: (text: string | undefined) => void;
  /** Called with the reason of a hook with `asyncRewake` that blocks. */
  readonly onRewake?: (text: string) => void;
}

/** The combined answer of all hooks of one event. */
export interface EventResult {
  /** Set if a hook blocks: the prompt is not sent, the agent does not stop, nothing is compacted. */
  readonly blocked: { readonly reason: string } | undefined;
  /** Set if a hook ends the work. */
  readonly stop: { readonly reason: string } | undefined;
  /** Added for the model. */
  readonly context: readonly string[];
  /** Shown to the user. */
  readonly messages: readonly string[];
  /** `hookSpecificOutput` of hooks of PermissionRequest, PermissionDenied, Elicitation and ElicitationResult. */
  readonly specific?: readonly Shape[];
}

/** The input of hooks when the agent is about to stop. */
export interface StopFacts {
  /** The text of the last response. */
  readonly lastAssistantMessage: string;
  /** Whether a hook already kept it from stopping. */
  readonly isActive: boolean;
}

/** Runs the hooks of a session. Pass it to `createAgent` or `query` as `hooks`. */
export interface HookRunner {
  /** Returns the hooks for calls. `agent`: the sub-agent that makes the calls. */
  engineHooks(agent?: HookAgent): Hooks;
  /** Runs the hooks of a prompt. If one blocks, the prompt is not sent. */
  userPromptSubmit(prompt: string, signal?: AbortSignal): Promise<EventResult>;
  /**
   * Runs the hooks when the agent is about to stop. After eight blocks in a row the next one is ignored, with a
   * notice.
   */
  stop(facts: StopFacts, signal?: AbortSignal): Promise<EventResult>;
  /** Runs the hooks when a sub-agent is about to stop. */
  subagentStop(agent: HookAgent, facts: StopFacts, signal?: AbortSignal): Promise<EventResult>;
  /** Runs the hooks of the session's start. `source`: `startup`, `resume`, `clear` or `compact`. */
  sessionStart(source: string, signal?: AbortSignal): Promise<EventResult>;
  /** Runs the hooks of the session's end: for 1.5 s, or for as long as a hook asks for, up to 60 s. */
  sessionEnd(reason: string, signal?: AbortSignal): Promise<EventResult>;
  /** Runs the hooks before a compaction. If one blocks, nothing is compacted. */
  preCompact(facts: CompactFacts, signal?: AbortSignal): Promise<EventResult>;
  /** Runs the hooks of a notification. */
  notification(facts: NotificationFacts, signal?: AbortSignal): Promise<EventResult>;
  /** Runs the hooks of any other event. `facts` are the members of its input that are not those of every event. */
  happen(event: HookEvent, facts: Shape, about?: HookAbout): Promise<EventResult>;
  /** Runs the hooks of a permission question. Resolves with undefined if none decides. */
  permissionRequest(call: PermissionCall, signal?: AbortSignal): Promise<PermissionDecision | undefined>;
  /** Returns whether there are hooks of this event. */
  has(event: HookEvent): boolean;
  /** Returns, once, the context that hooks added for calls that then did not run, and that of async hooks. */
  takeContext(): readonly string[];
  /** Lists all hooks, including those that do not run, with the reason. */
  list(): readonly ListedHook[];
  /**
   * Runs the hooks that match a sample of an event, or the one with this id, and returns their outcomes. Throws for an
   * unknown event or id.
   */
  test(event: HookEvent, sample: Shape, id?: string): Promise<readonly HookTest[]>;
  /** Ends all processes of hooks. After that no hook runs, and calls that need one are denied. */
  close(): Promise<void>;
}

/** What an event is about, besides its facts. */
export interface HookAbout {
  /** The sub-agent that the event is about. */
  readonly agent?: HookAgent;
  /** The folder of the event. Default: that of the session. */
  readonly cwd?: string;
  /** Ends the hooks. */
  readonly signal?: AbortSignal;
}

/** A call that needs an answer. */
export interface PermissionCall {
  /** The name of its tool. */
  readonly toolName: string;
  /** Its input. */
  readonly input: unknown;
  /** The rules that would allow it in future. */
  readonly suggestions?: readonly Shape[];
}

/** The input of hooks before a compaction. */
export interface CompactFacts {
  /** Whether the user asked for it. */
  readonly trigger: "manual" | "auto";
  /** The user's instructions; can be empty. */
  readonly customInstructions: string;
}

/** The input of hooks of a notification. */
export interface NotificationFacts {
  /** The text for the user. */
  readonly message: string;
  /** What matchers are compared with: permission_prompt, idle_prompt, … */
  readonly type: string;
}

/** The outcome of one hook for a sample. */
export interface HookTest extends Pick<HookReport, "ending" | "said"> {
  /** The hook. */
  readonly hook: ListedHook;
  /** Whether its matcher and its rule match the sample. */
  readonly matches: boolean;
}

const OPTIONS: Readonly<Record<keyof HooksOptions, Check>> = {
  configs: required(anArray),
  inProcess: anArray,
  projectDir: required(aString),
  env: required(anObject),
  onNotice: required(aFunction),
  matchesRule: aFunction,
  store: aFunction,
  envFile: aString,
  onEnvFile: aFunction,
  onEvent: aFunction,
  onStatus: aFunction,
  onRewake: aFunction,
  askModel: aFunction,
  callMcpTool: aFunction,
  sessionId: required(aString),
  transcriptPath: required(aString),
  cwd: required(aString),
  permissionMode: required(aFunction),
};
const CONFIG: Readonly<Record<keyof HookConfig, Check>> = {
  source: required(aString),
  root: required(aString),
  trusted: required(aBoolean),
  hooks: anything,
};

/**
 * Makes a runner for hooks: commands of settings files, and functions.
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
  checkOptions(options, OPTIONS, "createHooks");
  for (const [at, config] of options.configs.entries())
    checkOptions(config, CONFIG, `createHooks: configs[${at}]`);
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
]);

class Runner implements HookRunner {
  readonly #options: HooksOptions;
  readonly #notify: Notify;
  readonly #handlers: readonly Handler[];
  readonly #listed: readonly ListedHook[];
  readonly #groups = new Groups();
  readonly #closing = new AbortController();
  readonly #runs: HookRuns;
  readonly #stops = new StopCount();
  readonly #context = new Map<string, readonly string[]>();
  /** Context of async hooks that have ended. */
  #lateContext: string[] = [];
  #promptId: string | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: HooksOptions) {
    this.#options = options;
    // Each running hook adds a listener.
    setMaxListeners(0, this.#closing.signal);
    const { configs, inProcess = [], projectDir, matchesRule, store } = options;
    this.#notify = careful(options.onNotice);
    const loaded = loadHooks(configs, projectDir, this.#notify);
    const functions = toHandlers(inProcess, this.#notify);
    this.#handlers = [...loaded.handlers, ...functions];
    this.#listed = [...loaded.listed, ...functions.map(listed)];
    this.#runs = new HookRuns({
      handlers: this.#handlers,
      groups: this.#groups,
      matchesRule,
      store,
      projectDir,
      environment: { ...options.env, CLAUDE_PROJECT_DIR: projectDir, RUNAHEAD_PROJECT_DIR: projectDir },
      notify: this.#notify,
      helpers: options,
      envFile: options.envFile,
      onStatus: options.onStatus,
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
      context: this.#context,
    });
  }

  userPromptSubmit(prompt: string, signal?: AbortSignal): Promise<EventResult> {
    this.#promptId = randomUUID();
    this.#stops.reset();
    return this.#happen("UserPromptSubmit", { prompt }, { signal });
  }

  stop(facts: StopFacts, signal?: AbortSignal): Promise<EventResult> {
    return this.#stop("Stop", facts, { signal });
  }

  subagentStop(agent: HookAgent, facts: StopFacts, signal?: AbortSignal): Promise<EventResult> {
    return this.#stop("SubagentStop", facts, { agent, signal });
  }

  sessionStart(source: string, signal?: AbortSignal): Promise<EventResult> {
    return this.#happen("SessionStart", { source }, { signal });
  }

  sessionEnd(reason: string, signal?: AbortSignal): Promise<EventResult> {
    return this.#happen("SessionEnd", { reason }, { signal });
  }

  preCompact({ trigger, customInstructions }: CompactFacts, signal?: AbortSignal): Promise<EventResult> {
    return this.#happen("PreCompact", { trigger, custom_instructions: customInstructions }, { signal });
  }

  notification({ message, type }: NotificationFacts, signal?: AbortSignal): Promise<EventResult> {
    return this.#happen("Notification", { message, notification_type: type }, { signal });
  }

  takeContext(): readonly string[] {
    const context = [...[...this.#context.values()].flat(), ...this.#lateContext];
    this.#context.clear();
    this.#lateContext = [];
    return context;
  }

  has(event: HookEvent): boolean {
    return this.#handlers.some((handler) => handler.event === event);
  }

  happen(event: HookEvent, facts: Shape, about: HookAbout = {}): Promise<EventResult> {
    if (!isHookEvent(event)) throw new TypeError(`Unknown event ${JSON.stringify(event)}.`);
    return this.#happen(event, facts, { signal: undefined, ...about });
  }

  async permissionRequest(
    { toolName, input, suggestions = [] }: PermissionCall,
    signal?: AbortSignal,
  ): Promise<PermissionDecision | undefined> {
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

  list(): readonly ListedHook[] {
    return this.#listed;
  }

  async test(event: HookEvent, sample: Shape, id?: string): Promise<readonly HookTest[]> {
    if (!isHookEvent(event))
      throw new TypeError(`Unknown event ${JSON.stringify(event)}. Events: ${HOOK_EVENTS.join(", ")}.`);
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
    const result = await this.#happen(
      event,
      { stop_hook_active: isActive, last_assistant_message: facts.lastAssistantMessage },
      about,
    );
    if (this.#stops.canBlock(who, result.blocked !== undefined)) return result;
    this.#notify(
      `${event} hooks blocked the end ${StopCount.limit} times in a row. The next block is ignored.`,
    );
    return { ...result, blocked: undefined };
  }

  async #happen(event: HookEvent, facts: Shape, about: Concerning): Promise<EventResult> {
    const { agent, signal, cwd = this.#options.cwd } = about;
    const payload = this.#payload(event, facts, cwd, agent);
    const { verdict, reason, context, messages, stop, specific } = combine(
      await this.#runs.run({ event, payload, cwd, signal }),
    );
    if (setsEnvironment(event)) await this.#options.onEnvFile?.();
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
    return payloadOf(this.#options, { event, promptId: this.#promptId, agent, cwd, facts });
  }
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
