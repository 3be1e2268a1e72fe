/** What hooks are made with, and what runs them. */

import type { Shape } from "@runahead/base";
import type { Hooks } from "@runahead/engine";
import type { Message } from "../model/message.ts";
import type { StoreText } from "./bound.ts";
import type { HookEvent } from "./event.ts";
import type { ListedHook } from "./handler.ts";
import type { InProcessHook } from "./in-process.ts";
import type { HookConfig } from "./load.ts";
import type { HookAgent, SessionFacts } from "./payload.ts";
import type { PermissionDecision } from "./permission-request.ts";
import type { HookHelpers } from "./remote.ts";
import type { HookReport, MatchesRule } from "./run.ts";
import type { CalledAgent } from "./tool-response.ts";
import type { Notify } from "./words.ts";

/** Options of {@link createHooks}. */
export interface HooksOptions extends SessionFacts, HookHelpers {
  /** Hooks of settings files, in order. If several change the same input, the last one wins. */
  readonly configs: readonly HookConfig[];
  /** Hooks that are functions; they count after those of `configs`. */
  readonly inProcess?: readonly InProcessHook[];
  /** The folder of the project, for `CLAUDE_PROJECT_DIR`. */
  readonly projectDir: string;
  /**
   * The names of all tools that calls can have, without those of MCP servers. A matcher that names only others is
   * reported. Default: any name is possible.
   */
  readonly toolNames?: readonly string[];
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
  /** The `source` of SessionStart for a new session and for one that continues. Default: `startup`, `resume`. */
  readonly startSource?: string;
  /** Returns the `reason` of SessionEnd. Default: `other`. */
  readonly endReason?: () => string;
  /** Returns the name of the model, for SessionStart. Default: the event has no model. */
  readonly model?: () => string;
  /** Returns the background work that is running, for Stop and SubagentStop. Default: none. */
  readonly backgroundTasks?: () => readonly Shape[];
  /** Whether the decision `defer` asks the user instead, because somebody is there. Default: false. */
  readonly asksDeferred?: boolean;
  /**
   * Returns `id`, `subject` and `description` of a task, for TaskCreated and TaskCompleted; without an id, the `id` of
   * the task that is added next. Default: only what the call says is known.
   */
  readonly task?: (id: string | undefined) => Readonly<Partial<Record<string, string>>> | undefined;
  /** Returns the sub-agent that worked for a call, for the `tool_response` of Agent. Default: its result is a text. */
  readonly subAgent?: (callId: string) => CalledAgent | undefined;
  /** Called before the input of an event is built, so that the transcript can be brought up to date. */
  readonly onEvent?: () => void;
  /** Called with `statusMessage` while a hook runs, and with undefined when no such hook runs any more. */
  readonly onStatus?: (text: string | undefined) => void;
  /** Returns the MCP server of a tool and where it is defined, for `mcp_server`. Default: events do not have it. */
  readonly mcpServer?: (toolName: string) => Readonly<Record<"name" | "source", string>> | undefined;
  /**
   * Writes the transcript of a sub-agent that is about to stop, and returns its path, for `agent_transcript_path`.
   * Default: the path is empty.
   */
  readonly agentTranscript?: (agent: HookAgent, messages: readonly Message[]) => string;
  /** Called when a SessionStart hook asks to read skills and commands again. */
  readonly onReloadSkills?: () => void;
  /** Called with the notifications and titles of `terminalSequence`; other control sequences are left out. */
  readonly onTerminalSequence?: (sequence: string) => void;
  /** Called with the `watchPaths` of a hook: changes of these files are FileChanged events. */
  readonly onWatchPaths?: (paths: readonly string[]) => void;
  /** Called with the reason of a hook with `asyncRewake` that blocks. */
  readonly onRewake?: (text: string) => void;
}

/** The combined answer of all hooks of one event. */
export interface EventResult {
  /** Set if a hook blocks, with its reason: the prompt is not sent, the agent does not stop, nothing is compacted. */
  readonly blocked:
    | {
        /** What the hook said, for the model or the user. If several hooks block, the reasons of all of them. */
        readonly reason: string;
      }
    | undefined;
  /** Set if a hook ends the work, with its reason. */
  readonly stop:
    | {
        /** What the hook said, for the user. */
        readonly reason: string;
      }
    | undefined;
  /** Added for the model. */
  readonly context: readonly string[];
  /** Shown to the user. */
  readonly messages: readonly string[];
  /** `hookSpecificOutput` of hooks of events whose answer is neither a verdict nor context, such as Elicitation. */
  readonly specific?: readonly Shape[];
}

/** The input of hooks when the agent is about to stop. */
export interface StopFacts {
  /** The text of the last response. */
  readonly lastAssistantMessage: string;
  /** Whether a hook already kept it from stopping. */
  readonly isActive: boolean;
  /** The conversation of a sub-agent, for its transcript. Default: empty. */
  readonly messages?: readonly Message[];
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
  /**
   * Adds hooks until the returned function is called, for example while a sub-agent or a skill works. With `agent`, they
   * run only for the events of that sub-agent, and its Stop hooks run when it is about to stop.
   */
  add(config: HookConfig, about?: { readonly agent?: HookAgent }): () => void;
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
