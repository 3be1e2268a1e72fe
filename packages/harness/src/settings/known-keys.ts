/** What each key of a settings file does here, so that a key without effect is always reported. */

import { didYouMean, isShape } from "@runahead/base";
import { isText } from "./shown.ts";

type Kind = "flag" | "text" | "number" | "texts" | "object" | "list" | "any";

/** Keys that take effect and are not read by the settings reader itself. */
const USED: Readonly<Record<string, Kind>> = {
  allowedMcpServers: "list",
  alwaysThinkingEnabled: "flag",
  apiKeyHelper: "text",
  attribution: "any",
  availableModels: "texts",
  claudeMdExcludes: "texts",
  cleanupPeriodDays: "number",
  deniedMcpServers: "list",
  disableAllHooks: "flag",
  disableSkillShellExecution: "flag",
  disabledMcpjsonServers: "texts",
  editorMode: "text",
  effortLevel: "text",
  enableAllProjectMcpServers: "flag",
  enabledMcpjsonServers: "texts",
  enabledPlugins: "object",
  extraKnownMarketplaces: "object",
  includeCoAuthoredBy: "flag",
  language: "text",
  outputStyle: "text",
  plansDirectory: "text",
  skillOverrides: "object",
  statusLine: "object",
  theme: "text",
};

/** Keys of other programs that ask for something that does not exist here. */
const INERT: Readonly<Record<string, string>> = {
  agent: "the main agent has its own prompt; sub-agents are started by the Agent tool",
  advisorModel: "there is no advisor",
  allowManagedMcpServersOnly: "use allowedMcpServers in managed settings",
  allowedChannelPlugins: "there are no channels",
  allowedHttpHookUrls: "the URLs of hooks are not restricted",
  autoCompactEnabled: "the conversation is compacted when it is nearly full",
  autoMemoryDirectory: "there is no automatic memory",
  autoMemoryEnabled: "there is no automatic memory",
  autoMode: "auto mode has no settings",
  autoScrollEnabled: "the terminal scrolls",
  autoUpdates: "Runahead does not update itself",
  autoUpdatesChannel: "Runahead does not update itself",
  awsAuthRefresh: "Bedrock is not supported",
  awsCredentialExport: "Bedrock is not supported",
  blockedMarketplaces: "plugins are added one by one",
  companyAnnouncements: "announcements are not shown",
  enabledMcpServers: "use enabledMcpjsonServers",
  fallbackModel: "use --fallback-model",
  fastMode: "there is no fast mode",
  feedbackSurveyRate: "there are no surveys",
  fileSuggestion: "file names are completed by Runahead itself",
  forceLoginMethod: "there is no login",
  forceLoginOrgUUID: "there is no login",
  gcpAuthRefresh: "Vertex AI is not supported",
  gitAttribution: "use attribution",
  httpHookAllowedEnvVars: "hooks get the environment without API keys",
  includeGitInstructions: "the state of the repository is always sent",
  minimumVersion: "versions are not compared",
  modelOverrides: "Bedrock and Vertex AI are not supported",
  modelSettings: "use effortLevel",
  otelHeadersHelper: "telemetry is configured in code",
  otelResourceAttributes: "telemetry is configured in code",
  pluginConfigs: "plugins have no settings",
  prefersReducedMotion: "there are no animations",
  preferredNotifChannel: "notifications are hooks",
  promptSuggestionEnabled: "prompts are not suggested",
  respectGitignore: "file names are completed from git",
  showThinkingSummaries: "thinking is shown while it streams",
  showTurnDuration: "durations are always shown",
  skipDangerousModePermissionPrompt: "there is no such dialog",
  spinnerTipsEnabled: "there are no tips",
  spinnerTipsOverride: "there are no tips",
  subagentStatusLine: "sub-agents have no status line",
  spinnerVerbs: "the status line shows what runs",
  strictKnownMarketplaces: "plugins are added one by one",
  teammateMode: "there are no teams of agents",
  terminalProgressBarEnabled: "there is no progress bar",
  tui: "there is one kind of screen",
  verbose: "use Ctrl+O",
  viewMode: "use Ctrl+O",
  voiceEnabled: "there is no voice input",
  worktree: "worktrees have no settings",
};

/** Values of these keys that ask for what always happens here, so that nothing is lost. */
const USUAL: Readonly<Record<string, unknown>> = {
  autoCompactEnabled: true,
  autoMemoryEnabled: false,
  autoUpdates: false,
  fastMode: false,
  prefersReducedMotion: true,
  promptSuggestionEnabled: false,
  respectGitignore: true,
  showTurnDuration: true,
  spinnerTipsEnabled: false,
  terminalProgressBarEnabled: false,
  voiceEnabled: false,
};

/** Keys that no program reads from settings, and where their content belongs. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  mcpServers: "put MCP servers into .mcp.json",
  commands: "put commands into .claude/commands",
  agents: "put sub-agents into .claude/agents",
  skills: "put skills into .claude/skills",
  allowedTools: "put rules into permissions.allow",
  rules: "put rules into permissions",
};

/** Keys of `permissions` that ask for something that does not exist here. */
const INERT_PERMISSIONS: Readonly<Record<string, string>> = {
  skipDangerousModePermissionPrompt: "there is no such dialog",
};

/** Keys that the settings reader itself reads. */
const READ = [
  "permissions",
  "hooks",
  "env",
  "passEnv",
  "sandbox",
  "model",
  "disableBypassPermissionsMode",
  "disableAutoMode",
  "allowManagedPermissionRulesOnly",
  "allowManagedHooksOnly",
];
const PERMISSIONS = ["allow", "ask", "deny", "rules", "additionalDirectories", "defaultMode"];

/** A remark of the author: `$schema`, `_comment`, `//`, `version`. */
function isRemark(key: string): boolean {
  return /^(?:\$|_|\/\/|#)|comment|^(?:version|description|name|notes?|docs?)$/i.test(key);
}

/** Something to report about a key. */
export interface KeyRemark {
  readonly severity: "error" | "warning" | "note";
  readonly words: string;
}

/** Returns what is to be said about a top-level key; undefined if it takes effect. */
export function remarkOn(key: string, value: unknown): KeyRemark | undefined {
  const kind = USED[key];
  if (kind !== undefined) {
    if (value === null || isOfKind(value, kind)) return undefined;
    return { severity: "error", words: `expected ${KINDS[kind]}; this entry is ignored` };
  }
  if (value === null || (Object.hasOwn(USUAL, key) && USUAL[key] === value)) return undefined;
  if (Object.hasOwn(ELSEWHERE, key)) return { severity: "note", words: `has no effect: ${ELSEWHERE[key]}` };
  return remarkOnUnused(key, INERT, [...READ, ...Object.keys(USED)]);
}

/** The same for a key of `permissions`. */
export function remarkOnPermission(key: string): KeyRemark | undefined {
  return remarkOnUnused(key, INERT_PERMISSIONS, PERMISSIONS);
}

function remarkOnUnused(
  key: string,
  inert: Readonly<Record<string, string>>,
  known: readonly string[],
): KeyRemark | undefined {
  if (isRemark(key)) return undefined;
  const why = Object.hasOwn(inert, key) ? inert[key] : undefined;
  if (why !== undefined) return { severity: "warning", words: `has no effect here: ${why}` };
  const hint = didYouMean(key, known);
  return hint === ""
    ? { severity: "note", words: "is not a known setting and has no effect" }
    : { severity: "warning", words: `is not a known setting and has no effect.${hint}` };
}

const KINDS: Readonly<Record<Kind, string>> = {
  flag: "true or false",
  text: "a string",
  number: "a number",
  texts: "an array of strings",
  object: "an object",
  list: "an array",
  any: "a value",
};

function isOfKind(value: unknown, kind: Kind): boolean {
  switch (kind) {
    case "flag":
      return typeof value === "boolean";
    case "text":
      return isText(value);
    case "number":
      return typeof value === "number" && Number.isFinite(value) && value >= 0;
    case "texts":
      return Array.isArray(value) && value.every((entry) => typeof entry === "string");
    case "object":
      return isShape(value);
    case "list":
      return Array.isArray(value);
    case "any":
      return true;
  }
}
