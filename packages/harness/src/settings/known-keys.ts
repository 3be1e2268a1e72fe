/** What each key of a settings file does here, so that a key without effect is always reported. */

import { didYouMean, isShape } from "@runahead/base";
import { isText } from "./shown.ts";

type Kind = "flag" | "text" | "number" | "texts" | "object" | "list" | "any";

/** Keys that take effect and are not read by the settings reader itself. */
export const USED: Readonly<Record<string, Kind>> = {
  allowedHttpHookUrls: "texts",
  allowedMcpServers: "list",
  alwaysThinkingEnabled: "flag",
  apiKeyHelper: "text",
  attribution: "any",
  autoCompactEnabled: "flag",
  availableModels: "texts",
  bashTimeoutAction: "text",
  claudeMd: "text",
  claudeMdExcludes: "texts",
  cleanupPeriodDays: "number",
  companyAnnouncements: "texts",
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
  fallbackModel: "any",
  fastModel: "text",
  httpHookAllowedEnvVars: "texts",
  includeCoAuthoredBy: "flag",
  includeGitInstructions: "flag",
  language: "text",
  lspServers: "any",
  maxConcurrency: "any",
  models: "object",
  outputStyle: "text",
  plansDirectory: "text",
  preferredNotifChannel: "text",
  skillListingBudgetFraction: "number",
  skillListingMaxDescChars: "number",
  skillOverrides: "object",
  spinnerTipsEnabled: "flag",
  spinnerTipsOverride: "object",
  statusLine: "object",
  theme: "text",
  thinking: "any",
  worktree: "object",
};

/** Keys of other programs that ask for something that does not exist here. */
export const INERT: Readonly<Record<string, string>> = {
  agent: "the main agent has its own prompt; sub-agents are started by the Agent tool",
  advisorModel: "there is no advisor",
  allowAllClaudeAiMcps: "claude.ai is not connected",
  allowedChannelPlugins: "there are no channels",
  autoMemoryDirectory: "there is no automatic memory",
  autoMemoryEnabled: "there is no automatic memory",
  autoMode: "auto mode has no settings",
  autoScrollEnabled: "the terminal scrolls",
  autoUpdates: "Runahead does not update itself",
  awaySummaryEnabled: "there is no recap after a pause",
  awsAuthRefresh: "the AI SDK package for Bedrock reads its own credentials",
  awsCredentialExport: "the AI SDK package for Bedrock reads its own credentials",
  axScreenReader: "set TERM=dumb for plain output",
  blockedMarketplaces: "plugins are added one by one",
  channelsEnabled: "there are no channels",
  defaultShell: "commands run in bash",
  disableAgentView: "background agents have no screen of their own that can be turned off",
  enabledMcpServers: "use enabledMcpjsonServers",
  enforceAvailableModels: "availableModels applies to every model",
  fastMode: "there is no fast mode; use /fast to switch to fastModel",
  feedbackSurveyRate: "there are no surveys",
  fileCheckpointingEnabled: "snapshots for /rewind are always taken",
  fileSuggestion: "file names are completed by Runahead itself",
  forceLoginMethod: "there is no login",
  forceLoginOrgUUID: "there is no login",
  forceRemoteSettingsRefresh: "managed settings are files",
  gcpAuthRefresh: "the AI SDK package for Vertex AI reads its own credentials",
  gitAttribution: "use attribution",
  managedMcpServers: "put managed servers into managed-mcp.json",
  modelOverrides: "name the model as provider/model",
  modelSettings: "use effortLevel",
  otelHeadersHelper: "telemetry is configured in code",
  otelResourceAttributes: "telemetry is configured in code",
  parentSettingsBehavior: "settings of all files are merged",
  pluginConfigs: "plugins have no settings",
  pluginSuggestionMarketplaces: "plugins are not suggested",
  pluginTrustMessage: "the dialog before a plugin is added has its own text",
  prUrlTemplate: "pull requests are not shown",
  promptSuggestionEnabled: "prompts are not suggested",
  requiredMaximumVersion: "versions are not compared",
  requiredMinimumVersion: "versions are not compared",
  respectGitignore: "file names are completed from git",
  respondToBashCommands: "the output of a ! command is only added to the conversation",
  showClearContextOnPlanAccept: "a plan is continued in the same conversation",
  showTurnDuration: "durations are always shown",
  sshConfigs: "there are no remote sessions",
  sshHostAllowlist: "there are no remote sessions",
  strictKnownMarketplaces: "plugins are added one by one",
  strictPluginOnlyCustomization: "skills, sub-agents, hooks and servers of files are always read",
  subagentStatusLine: "sub-agents have no status line",
  spinnerVerbs: "the status line shows what runs",
  terminalProgressBarEnabled: "there is no progress bar",
  tui: "there is one kind of screen",
  useAutoModeDuringPlan: "plan mode denies changes until you approve a plan",
  verbose: "use Ctrl+O",
  viewMode: "use Ctrl+O",
  voice: "there is no voice input",
  voiceEnabled: "there is no voice input",
};

/** Keys that ask for nothing that could be missing, whatever their value: dialogs, versions and parts of other programs. */
export const VACANT: Readonly<Record<string, string>> = {
  agentPushNotifEnabled: "there is no remote control",
  autoUpdatesChannel: "Runahead does not update itself",
  disableArtifact: "there is no Artifact tool",
  disableBundledSkills: "Runahead brings no skills",
  disableClaudeAiConnectors: "claude.ai is not connected",
  disableDeepLinkRegistration: "no links are registered",
  disableRemoteControl: "there is no remote control",
  minimumVersion: "it is about another program's versions",
  prefersReducedMotion: "there are no animations",
  showThinkingSummaries: "thinking is always shown while it streams",
  skipAutoPermissionPrompt: "there is no such dialog",
  skipDangerousModePermissionPrompt: "there is no such dialog",
  skipWebFetchPreflight: "WebFetch asks no other service before it fetches",
  skippedMarketplaces: "marketplaces are not offered",
  skippedPlugins: "plugins are not offered",
  teammateMode: "there are no teams of agents to show",
  wheelScrollAccelerationEnabled: "the terminal scrolls",
  wslInheritsWindowsSettings: "it is about Windows",
};

/** Values of these keys that ask for what always happens here, so that nothing is lost. */
const USUAL: Readonly<Record<string, readonly unknown[]>> = {
  autoMemoryEnabled: [false],
  autoScrollEnabled: [true],
  autoUpdates: [false],
  awaySummaryEnabled: [false],
  axScreenReader: [false],
  channelsEnabled: [false],
  defaultShell: ["bash"],
  disableAgentView: [false],
  editorMode: ["normal", "emacs"],
  enforceAvailableModels: [true, false],
  fastMode: [false],
  feedbackSurveyRate: [0],
  fileCheckpointingEnabled: [true],
  forceRemoteSettingsRefresh: [false],
  preferredNotifChannel: ["notifications_disabled"],
  promptSuggestionEnabled: [false],
  respectGitignore: [true],
  respondToBashCommands: [false],
  showClearContextOnPlanAccept: [false],
  showTurnDuration: [true],
  strictPluginOnlyCustomization: [false],
  terminalProgressBarEnabled: [false],
  theme: ["auto", "dark-ansi", "light-ansi"],
  tui: ["default"],
  useAutoModeDuringPlan: [false],
  verbose: [false],
  viewMode: ["default"],
  voiceEnabled: [false],
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

/** Keys that the settings reader itself reads. */
export const READ: readonly string[] = [
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
  "allowManagedMcpServersOnly",
];
export const PERMISSIONS: readonly string[] = [
  "allow",
  "ask",
  "deny",
  "rules",
  "additionalDirectories",
  "defaultMode",
  "disableBypassPermissionsMode",
  "disableAutoMode",
];

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
    if (value === null || isOfKind(value, kind)) return remarkInside(key, value);
    return { severity: "error", words: `expected ${KINDS[kind]}; this entry is ignored` };
  }
  if (value === null || (Object.hasOwn(USUAL, key) && USUAL[key]?.includes(value) === true)) return undefined;
  if (Object.hasOwn(VACANT, key)) return { severity: "note", words: `has no effect here: ${VACANT[key]}` };
  if (Object.hasOwn(ELSEWHERE, key)) return { severity: "note", words: `has no effect: ${ELSEWHERE[key]}` };
  return remarkOnUnused(key, INERT, [...READ, ...Object.keys(USED)]);
}

/** Members of objects that take effect; others are reported. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  attribution: ["commit", "pr", "sessionUrl"],
  spinnerTipsOverride: ["tips", "excludeDefault"],
  statusLine: ["type", "command", "padding", "refreshInterval", "hideVimModeIndicator"],
  worktree: ["symlinkDirectories", "sparsePaths", "baseRef", "bgIsolation"],
};

function remarkInside(key: string, value: unknown): KeyRemark | undefined {
  const known = MEMBERS[key];
  if (known === undefined || !isShape(value)) return undefined;
  const unknown = Object.keys(value).find((name) => !known.includes(name) && !isRemark(name));
  if (unknown === undefined) return undefined;
  return { severity: "warning", words: `${unknown} has no effect.${didYouMean(unknown, known)}` };
}

/** The same for a key of `permissions`. */
export function remarkOnPermission(key: string): KeyRemark | undefined {
  if (Object.hasOwn(VACANT, key)) return { severity: "note", words: `has no effect here: ${VACANT[key]}` };
  return remarkOnUnused(key, {}, PERMISSIONS);
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
