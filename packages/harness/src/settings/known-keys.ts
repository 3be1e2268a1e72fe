/** What each key of a settings file does here, so that a key without effect is always reported. */

import { didYouMean, isShape } from "@runahead/base";
import { isText } from "./shown.ts";

type Kind = "flag" | "text" | "number" | "texts" | "object" | "list" | "any";

/** Keys that take effect and are not read by the settings reader itself. */
export const USED: Readonly<Record<string, Kind>> = {
  agent: "text",
  allowedHttpHookUrls: "texts",
  allowedMcpServers: "list",
  alwaysThinkingEnabled: "flag",
  apiKeyHelper: "text",
  attribution: "any",
  autoCompactEnabled: "flag",
  autoMode: "object",
  availableModels: "texts",
  bashTimeoutAction: "text",
  blockedMarketplaces: "list",
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
  fileCheckpointingEnabled: "flag",
  fileSuggestion: "object",
  httpHookAllowedEnvVars: "texts",
  includeCoAuthoredBy: "flag",
  includeGitInstructions: "flag",
  language: "text",
  lspServers: "any",
  maxConcurrency: "any",
  models: "object",
  outputStyle: "text",
  plansDirectory: "text",
  pluginConfigs: "object",
  pluginTrustMessage: "text",
  preferredNotifChannel: "text",
  respectGitignore: "flag",
  respondToBashCommands: "flag",
  showTurnDuration: "flag",
  skillListingBudgetFraction: "number",
  skillListingMaxDescChars: "number",
  skillOverrides: "object",
  spinnerTipsEnabled: "flag",
  spinnerTipsOverride: "object",
  spinnerVerbs: "any",
  statusLine: "object",
  strictKnownMarketplaces: "list",
  strictPluginOnlyCustomization: "any",
  terminalProgressBarEnabled: "flag",
  theme: "text",
  thinking: "any",
  worktree: "object",
};

/** Keys of other programs that have no effect, and what Runahead does instead. */
export const INERT: Readonly<Record<string, string>> = {
  advisorModel: "Runahead asks one model at a time",
  allowAllClaudeAiMcps: "Runahead does not connect to claude.ai",
  allowedChannelPlugins: "Runahead does not receive messages from channels",
  autoMemoryDirectory: "Runahead does not write memory files by itself; use # or /memory",
  autoMemoryEnabled: "Runahead does not write memory files by itself; use # or /memory",
  autoScrollEnabled: "your terminal scrolls the output",
  autoUpdates: "Runahead does not update itself",
  awaySummaryEnabled: "Runahead does not summarise what happened while you were away",
  awsAuthRefresh: "the AI SDK package for Bedrock reads its own credentials",
  awsCredentialExport: "the AI SDK package for Bedrock reads its own credentials",
  axScreenReader: "start Runahead with TERM=dumb for output that a screen reader can follow",
  channelsEnabled: "Runahead does not receive messages from channels",
  defaultShell: "commands run in bash",
  disableAgentView: "/tasks is always available",
  enabledMcpServers: "use enabledMcpjsonServers",
  enforceAvailableModels: "availableModels applies to every model",
  fastMode: "use /fast to switch to fastModel",
  feedbackSurveyRate: "Runahead does not show surveys",
  forceLoginMethod: "Runahead does not sign in to accounts",
  forceLoginOrgUUID: "Runahead does not sign in to accounts",
  forceRemoteSettingsRefresh: "managed settings are files, which are read again when they change",
  gcpAuthRefresh: "the AI SDK package for Vertex AI reads its own credentials",
  gitAttribution: "use attribution",
  managedMcpServers: "put managed servers into managed-mcp.json",
  modelOverrides: "name the model as provider/model",
  modelSettings: "use effortLevel",
  otelHeadersHelper: "telemetry is configured in code",
  otelResourceAttributes: "telemetry is configured in code",
  parentSettingsBehavior: "settings of all files are merged",
  pluginSuggestionMarketplaces: "Runahead does not suggest plugins",
  prUrlTemplate: "Runahead does not show pull requests",
  promptSuggestionEnabled: "Runahead does not suggest prompts",
  showClearContextOnPlanAccept:
    "an approved plan continues in the same conversation; use /clear to start a new one",
  sshConfigs: "sessions run on this machine",
  sshHostAllowlist: "sessions run on this machine",
  subagentStatusLine: "sub-agents are shown with their state and running time",
  tui: "the conversation is always printed into the scrollback of the terminal",
  useAutoModeDuringPlan: "plan mode denies changes until you approve a plan",
  verbose: "press Ctrl+O to see the whole output",
  viewMode: "press Ctrl+O to see the whole output",
  voice: "Runahead takes typed input only",
  voiceEnabled: "Runahead takes typed input only",
};

/** Keys that ask for nothing that could be missing, whatever their value: dialogs, versions and parts of other programs. */
export const VACANT: Readonly<Record<string, string>> = {
  agentPushNotifEnabled: "Runahead sends no notifications to phones",
  autoUpdatesChannel: "Runahead does not update itself",
  disableArtifact: "Runahead does not publish artifacts",
  disableBundledSkills: "Runahead brings no skills",
  disableClaudeAiConnectors: "Runahead does not connect to claude.ai",
  disableDeepLinkRegistration: "Runahead registers no links",
  disableRemoteControl: "Runahead cannot be controlled from claude.ai",
  minimumVersion: "the version is that of another program",
  prefersReducedMotion: "Runahead shows no animations",
  requiredMaximumVersion: "the version is that of another program",
  requiredMinimumVersion: "the version is that of another program",
  showThinkingSummaries: "thinking is always shown while it streams",
  skipAutoPermissionPrompt: "Runahead does not show this dialog",
  skipDangerousModePermissionPrompt: "Runahead does not show this dialog",
  skipWebFetchPreflight: "WebFetch asks no other service before it fetches",
  skippedMarketplaces: "Runahead does not offer marketplaces",
  skippedPlugins: "Runahead does not offer plugins",
  teammateMode: "sub-agents are always shown in one terminal",
  wheelScrollAccelerationEnabled: "your terminal scrolls the output",
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
  forceRemoteSettingsRefresh: [false],
  preferredNotifChannel: ["notifications_disabled"],
  promptSuggestionEnabled: [false],
  showClearContextOnPlanAccept: [false],
  theme: ["auto", "dark-ansi", "light-ansi"],
  tui: ["default"],
  useAutoModeDuringPlan: [false],
  verbose: [false],
  viewMode: ["default"],
  voiceEnabled: [false],
};

/** Keys that count only in managed settings. */
export const MANAGED_KEYS: readonly string[] = [
  "claudeMd",
  "strictKnownMarketplaces",
  "blockedMarketplaces",
  "pluginTrustMessage",
  "strictPluginOnlyCustomization",
];

/** Keys that do not count in the files of a repository. */
export const OWN_KEYS: readonly string[] = ["autoMode", "pluginConfigs"];

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
  autoMode: ["environment", "allow", "soft_deny", "hard_deny", "deny"],
  fileSuggestion: ["type", "command"],
  spinnerTipsOverride: ["tips", "excludeDefault"],
  spinnerVerbs: ["mode", "verbs"],
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
