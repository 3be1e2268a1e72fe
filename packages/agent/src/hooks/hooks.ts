/** Hooks: programs and functions of the person's own that hear of what happens, and may say no. */

import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { Hooks } from "@runahead/engine";
import type { StoreText } from "./bound.ts";
import { combine } from "./combine.ts";
import { engineHooks } from "./engine-hooks.ts";
import { HOOK_EVENTS, type HookEvent, isHookEvent, subjectsOf } from "./event.ts";
import { Groups } from "./group.ts";
import { type Handler, type ListedHook, listed } from "./handler.ts";
import { type InProcessHook, toHandlers } from "./in-process.ts";
import { type HookConfig, loadHooks } from "./load.ts";
import { type HookAgent, type SessionFacts, payloadOf } from "./payload.ts";
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
import type { Tell } from "./words.ts";
import { StopCount } from "./stop-count.ts";

/** Options of {@link createHooks}. */
export interface HooksOptions extends SessionFacts {
  /** Hooks of settings files, in order: of several that change the same input, the last wins. */
  readonly configs: readonly HookConfig[];
  /** Functions, which run after the hooks of `configs`. */
  readonly inProcess?: readonly InProcessHook[];
  /** The folder of the project, for `CLAUDE_PROJECT_DIR`. */
  readonly projectDir: string;
  /** The environment of the commands. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Receives problems, and what hooks have to say to the person. */
  readonly onNotice: Tell;
  /** Decides on `if`. Without it, such hooks run for everything that their matcher matches. */
  readonly matchesRule?: MatchesRule;
  /** Keeps texts of more than 10,000 characters. Without it, the rest of such a text is dropped, with a note. */
  readonly store?: StoreText;
}

/** What all hooks of one event said together. */
export interface EventResult {
  /** It must not happen: the prompt is not sent, the agent goes on instead of stopping, nothing is compacted. */
  readonly blocked: { readonly reason: string } | undefined;
  /** Everything ends here. */
  readonly stop: { readonly reason: string } | undefined;
  /** For the model. */
  readonly context: readonly string[];
  /** For the person. */
  readonly messages: readonly string[];
}

/** What hooks know when the agent is about to stop. */
export interface StopFacts {
  /** The text of the last response. */
  readonly lastAssistantMessage: string;
  /** Whether a hook has kept it from stopping before. */
  readonly isActive: boolean;
}

/** Runs the hooks of a session. Give it to `createAgent` or `query` as `hooks`. */
export interface HookRunner {
  /** Returns the hooks for calls, for one executor after the other; of a sub-agent, with its id and type. */
  engineHooks(agent?: HookAgent): Hooks;
  /** Runs the hooks of a prompt. If one blocks, the prompt is not sent. */
  userPromptSubmit(prompt: string, signal?: AbortSignal): Promise<EventResult>;
  /**
   * Runs the hooks of the end of an answer. After eight blocks in a row nothing is blocked any more, and a notice
   * says so.
   */
  stop(facts: StopFacts, signal?: AbortSignal): Promise<EventResult>;
  /** Runs the hooks of the end of a sub-agent. */
  subagentStop(agent: HookAgent, facts: StopFacts, signal?: AbortSignal): Promise<EventResult>;
  /** Runs the hooks of the start. `source`: `startup`, `resume`, `clear` or `compact`. */
  sessionStart(source: string, signal?: AbortSignal): Promise<EventResult>;
  /** Runs the hooks of the end. Takes at most about 1.5 s. */
  sessionEnd(reason: string, signal?: AbortSignal): Promise<EventResult>;
  /** Runs the hooks before a compaction. If one blocks, nothing is compacted. */
  preCompact(facts: CompactFacts, signal?: AbortSignal): Promise<EventResult>;
  /** Runs the hooks of a notification. */
  notification(facts: NotificationFacts, signal?: AbortSignal): Promise<EventResult>;
  /** Returns, once, what hooks said to the model about calls that were then not run. */
  takeContext(): readonly string[];
  /** Lists all hooks, with those that do not run and why. */
  list(): readonly ListedHook[];
  /**
   * Runs the hooks that match a sample of an event, or the one with this id, and returns everything that came back.
   */
  test(event: HookEvent, sample: Shape, id?: string): Promise<readonly HookTest[]>;
  /** Ends every process of the hooks. From then on no hook runs, and calls that one should have seen are denied. */
  close(): Promise<void>;
}

/** What hooks know before a compaction. */
export interface CompactFacts {
  /** Whether a person asked for it. */
  readonly trigger: "manual" | "auto";
  /** What the person said about it; empty without. */
  readonly customInstructions: string;
}

/** What hooks know of a notification. */
export interface NotificationFacts {
  /** The text for the person. */
  readonly message: string;
  /** What matchers are compared with: permission_prompt, idle_prompt, … */
  readonly type: string;
}

/** Reports how one hook answered a sample. */
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
 * Makes a runner of hooks: commands of settings files, and functions.
 *
 * Throws a TypeError for wrong options and for events that do not exist. What is wrong in a settings file is left out
 * with a notice.
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

/** What a hook of these events says against it changes nothing: it is told to the person. */
const UNSTOPPABLE: readonly HookEvent[] = ["SessionStart", "SessionEnd", "Notification"];

class Runner implements HookRunner {
  readonly #options: HooksOptions;
  readonly #tell: Tell;
  readonly #handlers: readonly Handler[];
  readonly #listed: readonly ListedHook[];
  readonly #groups = new Groups();
  readonly #closing = new AbortController();
  readonly #runs: HookRuns;
  readonly #stops = new StopCount();
  readonly #context = new Map<string, readonly string[]>();
  #promptId: string | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: HooksOptions) {
    this.#options = options;
    // Each hook that runs listens to it.
    setMaxListeners(0, this.#closing.signal);
    const { configs, inProcess = [], projectDir, matchesRule, store } = options;
    this.#tell = careful(options.onNotice);
    const loaded = loadHooks(configs, projectDir, this.#tell);
    const functions = toHandlers(inProcess, this.#tell);
    this.#handlers = [...loaded.handlers, ...functions];
    this.#listed = [...loaded.listed, ...functions.map(listed)];
    this.#runs = new HookRuns({
      handlers: this.#handlers,
      groups: this.#groups,
      matchesRule,
      store,
      projectDir,
      environment: { ...options.env, CLAUDE_PROJECT_DIR: projectDir, RUNAHEAD_PROJECT_DIR: projectDir },
      tell: this.#tell,
      closing: this.#closing.signal,
    });
  }

  engineHooks(agent?: HookAgent): Hooks {
    return engineHooks({
      isWanted: (event, names) => this.#runs.isWanted(event, names),
      has: (event) => this.#handlers.some((handler) => handler.event === event),
      isClosed: () => this.#closing.signal.aborted,
      payload: (event, facts, cwd) => this.#payload(event, facts, cwd, agent),
      run: (happening) => this.#runs.run(happening),
      tell: this.#tell,
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
    const context = [...this.#context.values()].flat();
    this.#context.clear();
    return context;
  }

  list(): readonly ListedHook[] {
    return this.#listed;
  }

  async test(event: HookEvent, sample: Shape, id?: string): Promise<readonly HookTest[]> {
    if (!isHookEvent(event))
      throw new TypeError(
        `There is no event ${JSON.stringify(event)}. There are: ${HOOK_EVENTS.join(", ")}.`,
      );
    if (!isShape(sample)) throw new TypeError("The sample of an event must be an object.");
    const { cwd } = this.#options;
    const payload = this.#payload(event, sample, cwd);
    const names = subjectsOf(event, payload);
    const matches = (handler: Handler): boolean => handler.event === event && handler.matcher.matches(names);
    const chosen = this.#handlers.filter((handler) =>
      id === undefined ? matches(handler) : handler.id === id,
    );
    if (id !== undefined && chosen.length === 0) throw new Error(this.#whyNotTested(id));
    const waited = chosen.map((handler) =>
      handler.type === "command" ? { ...handler, isAsync: false } : handler,
    );
    const reports = await this.#runs.report(waited, { event, payload, cwd, signal: undefined });
    return reports.map(({ ending, said }, at) => {
      const handler = chosen[at] as Handler;
      return { hook: listed(handler), ending, said, matches: matches(handler) };
    });
  }

  #whyNotTested(id: string): string {
    const hook = this.#listed.find((other) => other.id === id);
    if (hook !== undefined && !hook.runs) return `The hook ${id} is not run: ${hook.why}.`;
    return `There is no hook ${JSON.stringify(id)}.`;
  }

  close(): Promise<void> {
    this.#closing.abort();
    this.#closed ??= this.#runs.ended().then(() => this.#groups.close());
    return this.#closed;
  }

  /** Blocks are counted here, so that no loop can go on for ever (D14). */
  async #stop(event: "Stop" | "SubagentStop", facts: StopFacts, about: Concerning): Promise<EventResult> {
    const who = about.agent?.id;
    const isActive = facts.isActive || this.#stops.isActive(who);
    const result = await this.#happen(
      event,
      { stop_hook_active: isActive, last_assistant_message: facts.lastAssistantMessage },
      about,
    );
    if (this.#stops.mayBlock(who, result.blocked !== undefined)) return result;
    this.#tell(`${event} hooks have kept it from stopping ${StopCount.limit} times in a row: now it stops.`);
    return { ...result, blocked: undefined };
  }

  async #happen(event: HookEvent, facts: Shape, { agent, signal }: Concerning): Promise<EventResult> {
    const { cwd } = this.#options;
    const payload = this.#payload(event, facts, cwd, agent);
    const { verdict, reason, context, messages, stop } = combine(
      await this.#runs.run({ event, payload, cwd, signal }),
    );
    const isBlocked = verdict === "block";
    const canBlock = !UNSTOPPABLE.includes(event);
    return {
      blocked: isBlocked && canBlock ? { reason: reason || "The hook gave no reason." } : undefined,
      stop: stop === undefined ? undefined : { reason: stop || "A hook ended it." },
      context,
      messages: isBlocked && !canBlock && reason !== "" ? [...messages, reason] : messages,
    };
  }

  #payload(event: HookEvent, facts: Shape, cwd: string, agent?: HookAgent): Shape {
    return payloadOf(this.#options, { event, promptId: this.#promptId, agent, cwd, facts });
  }
}

interface Concerning {
  readonly agent?: HookAgent;
  readonly signal: AbortSignal | undefined;
}

/** A listener that fails must not take a verdict with it. */
function careful(onNotice: Tell): Tell {
  return (message) => {
    try {
      onNotice(message);
    } catch (error) {
      process.emitWarning(`onNotice failed: ${String(error)}`, "RunaheadWarning");
    }
  };
}
