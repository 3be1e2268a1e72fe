/**
 * Configures a coding agent. Every member is optional, and has the name and meaning of the corresponding flag of the
 * `runahead` program.
 */
export interface HarnessOptions {
  /**
   * Name of the model, or `provider/name`. Default: the `model` setting, then the default of the provider that the
   * environment has a key for.
   */
  readonly model?: string;
  /**
   * The sub-agent whose prompt, tools and limits the main agent has, by name. Default: the `agent` setting, then the main
   * agent's own.
   */
  readonly agent?: string;
  /** Model that takes over when the first one is overloaded, or several, separated by commas. Default: the `fallbackModel` setting. */
  readonly fallbackModel?: string;
  /**
   * How much the model thinks and does: `low`, `medium`, `high`, `xhigh`, `max`, or `auto` for its own level.
   * Default: `RUNAHEAD_EFFORT`, then the `effortLevel` setting.
   */
  readonly effort?: string;
  /** The most tokens that the model thinks for; 0 turns thinking off. Default: `MAX_THINKING_TOKENS`, then the `thinking` setting. */
  readonly maxThinkingTokens?: number;
  /**
   * Turns thinking on (`adaptive`, `enabled`) or off (`disabled`). `maxThinkingTokens` wins over it, and it wins over
   * `MAX_THINKING_TOKENS` and the `thinking` setting. Default: these decide.
   */
  readonly thinking?: "adaptive" | "enabled" | "disabled";
  /** Path of a recording whose responses are played back instead of asking a model. Default: none. */
  readonly replay?: string;
  /**
   * Permission mode: `default`, `acceptEdits`, `plan`, `auto`, `dontAsk` or `bypassPermissions`. Default:
   * `defaultMode` of the settings, then `default`.
   */
  readonly permissionMode?: string;
  /** Same as `permissionMode: "bypassPermissions"`. Refused for root. Default: false. */
  readonly dangerouslySkipPermissions?: boolean;
  /**
   * Permission rules that allow calls, for example `Bash(git log:*)`. Added to the rules of the settings. Default:
   * none.
   */
  readonly allowedTools?: readonly string[];
  /** Permission rules that deny calls. A deny wins over every allow. Default: none. */
  readonly disallowedTools?: readonly string[];
  /**
   * Names of the built-in tools that the model and its sub-agents get; `default` names all of them. Tools of MCP servers
   * stay, unless the list names some: then only these do. Default: all of them.
   */
  readonly tools?: readonly string[];
  /** Folders outside the project that count as part of the workspace. Default: none. */
  readonly addDir?: readonly string[];
  /** More settings: a JSON text that begins with `{`, or the path of a file. Default: none. */
  readonly settings?: string;
  /**
   * Managed settings of the program that embeds the agent: a JSON text, or the path of a file. If the machine has managed
   * settings, these count as `settings`, so that they cannot allow more. Default: none.
   */
  readonly managedSettings?: string;
  /**
   * Settings files to read, separated by commas: `user`, `project`, `local`. An empty string reads none. Managed
   * settings are always read. Default: all.
   */
  readonly settingSources?: string;
  /**
   * Trusts the folder for this run: enables its allow rules, hooks and MCP servers. Default: false, so only a folder
   * that was trusted before is trusted.
   */
  readonly trust?: boolean;
  /** Folders of plugins that are used in this session only. They are trusted. Default: none. */
  readonly pluginDir?: readonly string[];
  /** The same, without the MCP servers of the plugins. Default: none. */
  readonly pluginDirNoMcp?: readonly string[];
  /** Runs the Setup hooks before the first prompt, with this trigger. Default: they do not run. */
  readonly setup?: "init" | "maintenance";
  /** Runs shell commands in a sandbox. Default: the `sandbox` settings. */
  readonly sandbox?: boolean;
  /** MCP servers: JSON texts or paths of files in the form of `.mcp.json`, in order. Default: none. */
  readonly mcpConfig?: readonly string[];
  /** Uses only the servers of `mcpConfig`, and not those of the project. Default: false. */
  readonly strictMcpConfig?: boolean;
  /** An MCP tool, `mcp__server__tool`, that answers permission questions. Default: `askPerson` does. */
  readonly permissionPromptTool?: string;
  /** Ignores everything of the folder, and all hooks except managed ones. Default: false. */
  readonly bare?: boolean;
  /** A JSON Schema that the answer must fit: a JSON text, or the path of a file. Default: the answer is text. */
  readonly jsonSchema?: string;
  /** Text appended to the system prompt. Default: none. */
  readonly appendSystemPrompt?: string;
  /** Stops a run after this many turns. Default: 50. */
  readonly maxTurns?: number;
  /** Stops a run once it has cost this many US dollars. Default: no limit. */
  readonly maxBudgetUsd?: number;
  /** Name of the model of the read-only sub-agent `explore`. Default: the `fastModel` setting, then `model`. */
  readonly fastModel?: string;
  /**
   * How many calls run at a time, over the agent and all its sub-agents, or an object with `calls`, `agents` (sub-agents
   * at work), names of tools and places: `{ calls: 10, agents: 10, WebFetch: 2, "mcp:/github": 2 }`. Default: the
   * `maxConcurrency` setting, then 10 calls and 10 agents.
   */
  readonly maxConcurrency?: number | Readonly<Record<string, number>>;
  /** Answers a prompt only when all background agents have ended, as `runahead -p` does. Default: false. */
  readonly waitsForBackground?: boolean;
  /** Id of the new session. Default: a random one. */
  readonly sessionId?: string;
  /** Id of a session to continue. Default: a new session. */
  readonly resume?: string;
  /** Continues the latest session of the folder. Default: false. */
  readonly continue?: boolean;
  /** With `resume` or `continue`: works on a copy of the session. Default: false. */
  readonly forkSession?: boolean;
  /** Keeps the session on disk. Default: true. */
  readonly sessionPersistence?: boolean;
}
