/**
 * Configures a coding agent. Every member is optional, and has the name and meaning of the corresponding flag of the
 * `runahead` program.
 */
export interface HarnessOptions {
  /**
   * Name of the model. Default: the `model` setting, then the default of the provider that the environment has a key
   * for.
   */
  readonly model?: string;
  /** Name of a model that takes over after repeated overload. Default: none. */
  readonly fallbackModel?: string;
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
  /** Names of the tools that the model gets. Default: all of them. */
  readonly tools?: readonly string[];
  /** Folders outside the project that count as part of the workspace. Default: none. */
  readonly addDir?: readonly string[];
  /** More settings: a JSON text that begins with `{`, or the path of a file. Default: none. */
  readonly settings?: string;
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
  /** Stops a run after this many turns. Default: no limit. */
  readonly maxTurns?: number;
  /** Stops a run once it has cost this many US dollars. Default: no limit. */
  readonly maxBudgetUsd?: number;
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
