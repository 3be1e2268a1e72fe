/** The whole coding agent: one function that returns exactly what `runahead` runs. */

import { homedir } from "node:os";
import type {
  Agent,
  AgentDefinition,
  AgentEvent,
  Effort,
  HookRunner,
  Model,
  PermissionGate,
  PersonAnswer,
  PersonQuestion,
  Session,
} from "@runahead/agent";
import { checkOptions } from "@runahead/base";
import type { Timeline } from "@runahead/agent/timeline";
import type { McpConnections } from "@runahead/mcp";
import type { AgentTask, AskUser, LanguageServerStatus, MovedCommand } from "@runahead/tools";
import type { Instructions } from "../instructions/instructions.ts";
import type { PromptReport } from "../prompt/report.ts";
import type { PromptLibrary } from "../skills/library.ts";
import type { LoadedSettings } from "../settings/loaded.ts";
import type { Surroundings } from "../surroundings.ts";
import { OPTION_CHECKS } from "./check-options.ts";
import { compose } from "./compose.ts";
import { type HostParts, hostParts } from "./host.ts";
import type { McpServerChanges, WantedMcpServers } from "./mcp/dynamic-servers.ts";
import type { HarnessOptions } from "./options.ts";
import { NoModel } from "./error.ts";
import type { Reading } from "./permissions/sandbox.ts";

/** Receives events and notices, asks the user, and has the parts that the program adds. */
export interface Listeners extends HostParts {
  /** Called with every event of a run. */
  readonly onEvent: (event: AgentEvent) => void;
  /** Called with problems that do not stop the work, such as a settings file that cannot be read. */
  readonly onNotice: (message: string) => void;
  /** Asks the user whether a call can run. Default: calls that need a question are denied. */
  readonly askPerson?: (question: PersonQuestion) => Promise<PersonAnswer>;
  /** Asks the user the model's own questions. Default: the model has no tool for them. */
  readonly askUser?: AskUser;
}

/** Options of `codingAgent`. All are optional. `cwd`, `home` and `env` default to those of the process. */
export type CodingAgentOptions = HarnessOptions & Partial<Surroundings> & Partial<Listeners>;

/** A coding agent with all its parts. Call `close` when you are done: until then processes and files stay open. */
export interface CodingAgent {
  /** Takes prompts: `agent.send("fix the failing test")`. */
  readonly agent: Agent;
  /** Decides about calls. `gate.setMode` changes the permission mode while calls run. */
  readonly gate: PermissionGate;
  /** The model that answers. */
  readonly model: Model;
  /** How much the model thinks, as chosen at the start. Undefined: as much as it does by default. */
  readonly effort: Effort | undefined;
  /** The size of its context window, in tokens; 200,000 if it is not known. */
  readonly contextTokens: number;
  /** Answers the next requests with this model. Undefined: the model of the start. Rejects if there is no such model. */
  setModel(name: string | undefined): Promise<void>;
  /**
   * Limits thinking in the next requests to this many tokens. 0 turns thinking off if the model allows that; undefined
   * restores the limit that the agent started with. A replayed recording ignores it.
   */
  setMaxThinkingTokens(tokens: number | undefined): Promise<void>;
  /** The hooks of the session. */
  readonly hooks: HookRunner;
  /** The types of sub-agents that are defined in files or by the program. */
  readonly agents: readonly AgentDefinition[];
  /** The name of the definition that the main agent works as. Default: none. */
  readonly mainAgent?: string;
  /** What the definition of the main agent asks first, before the first prompt of a new session. Default: nothing. */
  readonly initialPrompt?: string;
  /**
   * Replaces the MCP servers that were added by an earlier call; those of the start stay. Resolves when each has
   * connected or failed. Settings that exclude a server hold here too.
   */
  setMcpServers(wanted: WantedMcpServers): Promise<McpServerChanges>;
  /** The name of the output style in use; `default` if there is none. */
  readonly outputStyle: string;
  /** Resolves with the names of the output styles that there are now, the default one first. */
  outputStyles(): Promise<readonly string[]>;
  /** The plugins that are used. */
  readonly plugins: readonly {
    /** The name in the plugin's manifest. */
    readonly name: string;
    /** The absolute path of its folder. */
    readonly path: string;
  }[];
  /** Resolves with the agent's task list; after a resume, with that of the session. */
  tasks(): Promise<readonly AgentTask[]>;
  /** Ends a background command. Rejects if there is none with this id. */
  stopTask(id: string): Promise<void>;
  /**
   * Adds a folder to the workspace for this session, and runs DirectoryAdded hooks with this source. Resolves with its
   * real path. Rejects with a `UsageError` if it is not a folder, or is part of the workspace already.
   */
  addFolder(path: string, source: "slash_command" | "register_repo_root"): Promise<string>;
  /** The session on disk; undefined with `sessionPersistence: false`. */
  readonly session: Session | undefined;
  /** The merged settings at the time the agent was created. */
  readonly settings: LoadedSettings;
  /** Returns the names of all tools that the model has now, including those of MCP servers. */
  readonly toolNames: () => readonly string[];
  /** Skills and custom commands: `prompts.expand("/review src")` returns the text for `agent.send`. */
  readonly prompts: PromptLibrary;
  /** The instruction files that were read at the start. */
  readonly instructions: Instructions;
  /** The connections to MCP servers. `mcp.settled()` resolves when each has connected or failed. */
  readonly mcp: McpConnections;
  /** Returns the language servers that were found, and how each is doing. */
  readonly languageServers: () => readonly LanguageServerStatus[];
  /** Returns whether shell commands that only read run in the read-only sandbox, with the reason if they do not. */
  reading(): Reading;
  /** Returns what the first request would send besides the prompt: system prompt, reminder and tools. */
  prompt(): PromptReport;
  /** Resolves with the timeline of the whole session, or of this agent if there is no session. */
  timeline(): Promise<Timeline>;
  /**
   * Moves the sub-agents or shell commands that calls wait for to the background, so that the calls return at once.
   * Returns what became of each; empty if no call waits for one. Commands of sub-agents stay with them.
   */
  moveToBackground(): readonly MovedCommand[];
  /** Stops everything that the agent started. Resolves when no process is left. Can be called more than once. */
  close(): Promise<void>;
}

/**
 * Assembles exactly what `runahead` runs: settings, trust, permissions, hooks, tools, MCP servers, sub-agents,
 * sessions and the timeline.
 *
 * @throws {TypeError} if an option has an unknown name or a wrong type. The message names the option.
 * @throws {NoModel} if neither the options nor the environment name a model.
 * @throws {UsageError} if the options contradict each other or name something that does not exist.
 * @example
 * ```ts
 * const { agent, close } = await codingAgent({ cwd: "/repo", permissionMode: "acceptEdits" });
 * const { text } = await agent.send("Why does the build fail?");
 * await close();
 * ```
 */
export async function codingAgent(options: CodingAgentOptions = {}): Promise<CodingAgent> {
  return assembled(options, "codingAgent");
}

const NO_MODEL: Model = {
  name: "(not configured)",
  stream: () => {
    throw new NoModel();
  },
};

/**
 * Returns what the model would read before the first prompt in this folder. Needs no model, starts no MCP servers and
 * saves no session.
 *
 * @throws {UsageError} if the options contradict each other or name something that does not exist.
 * @example
 * ```ts
 * const { system, tools } = await previewPrompt({ cwd: "/repo" });
 * console.log(system.length, tools.map(({ name }) => name));
 * ```
 */
export async function previewPrompt(options: CodingAgentOptions = {}): Promise<PromptReport> {
  const made = await assembled(
    { ...options, mcpConfig: [], strictMcpConfig: true, sessionPersistence: false },
    "previewPrompt",
    NO_MODEL,
  );
  try {
    return made.prompt();
  } finally {
    await made.close();
  }
}

/**
 * Runs the Setup hooks of a folder, with the trigger of `setup` or `init`, and ends. Needs no model and saves no session.
 *
 * @throws {UsageError} if the options contradict each other or name something that does not exist.
 * @example
 * ```ts
 * await runSetupHooks({ cwd: "/repo", setup: "maintenance", onNotice: console.error });
 * ```
 */
export async function runSetupHooks(options: CodingAgentOptions = {}): Promise<void> {
  const made = await assembled(
    { setup: "init", ...options, mcpConfig: [], strictMcpConfig: true, sessionPersistence: false },
    "runSetupHooks",
    NO_MODEL,
  );
  await made.close();
}

async function assembled(options: CodingAgentOptions, caller: string, standIn?: Model): Promise<CodingAgent> {
  checkOptions(options, OPTION_CHECKS, caller);
  const { cwd = process.cwd(), home = homedir(), env = process.env } = options;
  const { onEvent = () => {}, onNotice = () => {}, askPerson, askUser } = options;
  const listeners = {
    onEvent,
    onNotice,
    ...(askPerson === undefined ? {} : { askPerson }),
    ...(askUser === undefined ? {} : { askUser }),
    ...hostParts(options),
  };
  return compose({ world: { cwd, home, env }, flags: options, listeners }, standIn);
}
