/**
 * The tools that rules know by name, and what each of them does to files.
 *
 * Some of the names are not tools of Runahead: users bring settings with rules for other agents, and embedders bring
 * tools with these names. A rule such as `deny: ["MultiEdit(/etc/**)"]` must apply to them without a warning about an
 * unknown tool. They are `MultiEdit`, `LS`, `NotebookRead`, `TodoWrite`, `TodoRead`, `TaskGet`, the older names in `ALIASES`,
 * and `Cd`, which other agents use in rules about their command `/cd`.
 */

const ALIASES = new Map([
  ["FileRead", "Read"],
  ["FileWrite", "Write"],
  ["FileEdit", "Edit"],
  ["Task", "Agent"],
  ["AskUserQuestion", "AskUser"],
  ["BashOutputTool", "BashOutput"],
  ["KillBash", "KillShell"],
  ["SlashCommand", "Skill"],
  ["ListMcpResourcesTool", "ListMcpResources"],
  ["ReadMcpResourceTool", "ReadMcpResource"],
  ["AgentOutput", "TaskOutput"],
]);

export function canonicalTool(name: string): string {
  return ALIASES.get(name) ?? name;
}

/** Tools of other agents, and the tools that do the same here. */
const EQUIVALENTS = new Map<string, readonly string[]>([
  ["MultiEdit", ["MultiEdit", "Edit"]],
  ["LS", ["LS", "Glob"]],
  ["NotebookRead", ["NotebookRead", "Read"]],
  ["TodoWrite", ["TodoWrite", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet"]],
  ["TodoRead", ["TaskList", "TaskGet"]],
  ["TaskOutput", ["TaskOutput", "BashOutput"]],
  ["TaskStop", ["TaskStop", "KillShell"]],
]);

/** The tools that a name stands for in a list of tools. */
export function equivalentTools(name: string): readonly string[] {
  return EQUIVALENTS.get(name) ?? [name];
}

/** Tools that write a file: rules for `Edit` cover them. */
export const EDITORS: ReadonlySet<string> = new Set(["Edit", "Write", "NotebookEdit", "MultiEdit"]);
/** Tools that read files: rules for `Read` cover them. */
export const READERS: ReadonlySet<string> = new Set(["Read", "Glob", "Grep", "LS", "LSP", "NotebookRead"]);
/** Tools without effects outside the session. */
export const HARMLESS: ReadonlySet<string> = new Set([
  "TaskCreate",
  "TaskUpdate",
  "TaskList",
  "TodoWrite",
  "AskUser",
  "BashOutput",
  "KillShell",
  "SendMessage",
  "TaskOutput",
  "TaskStop",
  "ListMcpResources",
  "ToolSearch",
  "ExitPlanMode",
]);
/** Tools that change nothing, but need approval. */
const LOOKERS: ReadonlySet<string> = new Set(["WebFetch", "WebSearch", "ReadMcpResource", "Agent", "Skill"]);

const KNOWN: ReadonlySet<string> = new Set([
  ...EDITORS,
  ...READERS,
  ...HARMLESS,
  ...LOOKERS,
  "Bash",
  "Cd",
  "Skill",
]);

export function isKnownTool(name: string): boolean {
  return KNOWN.has(canonicalTool(name)) || name.startsWith("mcp__");
}

const BY_LOWER_CASE: ReadonlyMap<string, string> = new Map(
  [...KNOWN, ...ALIASES.keys()].map((name) => [name.toLowerCase(), name]),
);

/** The names of all known tools, also the older ones. */
export const KNOWN_TOOL_NAMES: readonly string[] = [...BY_LOWER_CASE.values()];

const FOREIGN: ReadonlySet<string> = new Set(["MultiEdit", "LS", "NotebookRead", "TodoWrite", "TodoRead"]);

/** The names that a call of a tool of Runahead can have, besides those of MCP tools. */
export const CALLED_NAMES: readonly string[] = [
  ...KNOWN_TOOL_NAMES,
  "Code",
  "CallTool",
  "StructuredOutput",
].filter((name) => !FOREIGN.has(name));

/** The known tool whose name differs from this one only in case, or the name itself. */
export function withKnownCase(name: string): string {
  return isKnownTool(name) ? name : (BY_LOWER_CASE.get(name.toLowerCase()) ?? name);
}

/** Whether a tool, other than Bash, is known to change nothing. */
export function onlyLooks(name: string): boolean {
  return READERS.has(name) || HARMLESS.has(name) || LOOKERS.has(name);
}

/** Fields that a tool's own specifier matches, so a parameter rule cannot. */
const PRIMARY_FIELDS: ReadonlySet<string> = new Set([
  "command",
  "file_path",
  "filePath",
  "path",
  "notebook_path",
  "url",
]);

/** Parameters that deny and ask rules can match, for tools with their own specifiers. */
const PARAMETERS = new Map<string, ReadonlySet<string>>([
  ["Bash", new Set(["timeout", "description", "run_in_background", "dangerouslyDisableSandbox", "sandbox"])],
  ["Read", new Set(["offset", "limit", "pages"])],
  ["Edit", new Set(["old_string", "new_string", "replace_all"])],
  ["Write", new Set(["content"])],
  ["NotebookEdit", new Set(["cell_id", "new_source", "cell_type", "edit_mode"])],
  ["Glob", new Set(["pattern"])],
  ["Grep", new Set(["pattern", "glob", "type", "output_mode", "multiline", "head_limit", "offset"])],
  ["LSP", new Set(["operation", "line", "character", "symbol", "query"])],
  ["WebFetch", new Set(["prompt"])],
  [
    "Agent",
    new Set(["description", "prompt", "subagent_type", "model", "run_in_background", "isolation", "resume"]),
  ],
]);

export function isParameter(tool: string, name: string): boolean {
  if (PRIMARY_FIELDS.has(name)) return false;
  return PARAMETERS.get(tool)?.has(name) ?? (tool !== "Cd" && !READERS.has(tool) && !EDITORS.has(tool));
}
