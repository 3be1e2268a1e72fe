/** What decides how a coding agent is put together. Every member is optional; the names are those of the flags. */
export interface HarnessOptions {
  readonly model?: string;
  readonly replay?: string;
  readonly permissionMode?: string;
  readonly dangerouslySkipPermissions?: boolean;
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly tools?: readonly string[];
  readonly addDir?: readonly string[];
  readonly settings?: string;
  readonly settingSources?: string;
  readonly trust?: boolean;
  readonly sandbox?: boolean;
  /** Files or JSON, in their order. */
  readonly mcpConfig?: readonly string[];
  readonly strictMcpConfig?: boolean;
  /** `mcp__server__tool`. */
  readonly permissionPromptTool?: string;
  /** Nothing of the folder, and no hooks: flags alone. */
  readonly bare?: boolean;
  /** JSON, or a file with it. */
  readonly jsonSchema?: string;
  readonly appendSystemPrompt?: string;
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  /** Of a new session. */
  readonly sessionId?: string;
  readonly resume?: string;
  readonly continue?: boolean;
  readonly forkSession?: boolean;
  /** False with `--no-session-persistence`. */
  readonly sessionPersistence?: boolean;
}
