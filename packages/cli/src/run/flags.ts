/** What the command line says about a run of the agent, as commander gives it. */

export interface RunFlags {
  readonly print?: boolean;
  readonly outputFormat?: "text" | "json" | "stream-json";
  readonly inputFormat?: "text" | "stream-json";
  readonly includePartialMessages?: boolean;
  readonly verbose?: boolean;
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
  /** A file for the picture of what ran when. */
  readonly timeline?: string;
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

/** A list that was given by commas or blanks; brackets may hold both: `Bash(git log *),Read`. */
export function toolList(text: string): string[] {
  const items: string[] = [];
  let depth = 0;
  let item = "";
  for (const character of text) {
    if (character === "(") depth++;
    if (character === ")") depth = Math.max(0, depth - 1);
    if (depth === 0 && (character === "," || character === " ")) {
      items.push(item);
      item = "";
    } else item += character;
  }
  return [...items, item].map((one) => one.trim()).filter((one) => one !== "");
}
