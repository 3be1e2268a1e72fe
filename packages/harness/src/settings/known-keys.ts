/** What each key of a settings file does here, so that a key without effect is always reported. */

import { EFFORTS } from "@runahead/agent/internal";
import { type Shape, didYouMean, isShape, soundsRestricting } from "@runahead/base";
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
  autoCompactWindow: "number",
  autoMode: "object",
  availableModels: "texts",
  bashTimeoutAction: "text",
  blockedMarketplaces: "list",
  claudeMd: "text",
  claudeMdExcludes: "texts",
  cleanupPeriodDays: "number",
  companyAnnouncements: "texts",
  deniedMcpServers: "list",
  deniedModels: "texts",
  disableAllHooks: "flag",
  disableSideloadFlags: "flag",
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
  additionalMarketplaces: "use extraKnownMarketplaces",
  advisorModel: "Runahead asks one model at a time",
  allowAllClaudeAiMcps: "Runahead does not connect to claude.ai",
  allowedChannelPlugins: "Runahead does not receive messages from channels",
  allowedMarketplaces: "use strictKnownMarketplaces",
  allowedProviders: "restrict models with availableModels",
  appendPlugins: "use enabledPlugins",
  askUserQuestionTimeout: "a question waits until it is answered",
  attributionProject: "use attribution",
  attributionProjectPolicy: "use attribution",
  autoContinueAtUsageLimit: "a request that hits a limit is sent again as the API asks for",
  autoMemoryDirectory: "Runahead does not write memory files by itself; use # or /memory",
  autoMemoryEnabled: "Runahead does not write memory files by itself; use # or /memory",
  autoScrollEnabled: "your terminal scrolls the output",
  autoUpdates: "Runahead does not update itself",
  availableModelsMatch: "availableModels lists names and families",
  awaySummaryEnabled: "Runahead does not summarise what happened while you were away",
  awsAuthRefresh: "the AI SDK package for Bedrock reads its own credentials",
  awsCredentialExport: "the AI SDK package for Bedrock reads its own credentials",
  axScreenReader: "start Runahead with TERM=dumb for output that a screen reader can follow",
  bashOutputMaxChars: "longer output is saved to a file, with its beginning and end shown",
  channelsEnabled: "Runahead does not receive messages from channels",
  defaultShell: "commands run in bash",
  disableAgentView: "/tasks is always available",
  disableCommandPluginSources: "plugins come from folders, git, npm and files only",
  enabledMcpServers: "use enabledMcpjsonServers",
  enforceAvailableModels: "availableModels applies to every model",
  fastMode: "use /fast to switch to fastModel",
  feedbackSurveyRate: "Runahead does not show surveys",
  footerLinksRegexes: "use statusLine",
  forceLoginGatewayUrl: "Runahead does not sign in to accounts",
  forceLoginMethod: "Runahead does not sign in to accounts",
  forceLoginOrgUUID: "Runahead does not sign in to accounts",
  forceRemoteSettingsRefresh: "managed settings are files, which are read again when they change",
  gcpAuthRefresh: "the AI SDK package for Vertex AI reads its own credentials",
  gitAttribution: "use attribution",
  idleCompaction: "a conversation is compacted before it is full",
  keybindingFlavor: "use editorMode",
  managedMcpServers: "put managed servers into managed-mcp.json",
  managedSourcesBehavior: "settings of all files are merged",
  maxEffortLevel: "set effortLevel",
  maxProseWidth: "text is as wide as the terminal",
  modelOverrides: "name the model as provider/model",
  modelPicker: "use availableModels",
  modelPricing: "use models",
  modelSettings: "use effortLevel",
  otelHeadersHelper: "telemetry is configured in code",
  otelResourceAttributes: "telemetry is configured in code",
  parentSettingsBehavior: "settings of all files are merged",
  "permissions.blockReadsExemptPaths": "use permissions.deny and permissions.allow",
  "permissions.blockReadsOutsideWorkingDirectories":
    "reads outside of the workspace are asked about; add deny rules such as Read(//**)",
  "permissions.blockWritesOutsideWorkingDirectories":
    "writes outside of the workspace are asked about; use the sandbox to prevent them",
  "permissions.denyInsteadOfPrompting": "set permissions.defaultMode to dontAsk",
  "permissions.workingDirectoriesAsGiven": "use permissions.additionalDirectories",
  pluginSuggestionMarketplaces: "Runahead does not suggest plugins",
  policyHelper: "managed settings are files",
  prUrlTemplate: "Runahead does not show pull requests",
  prependPlugins: "use enabledPlugins",
  processWrapper: "use the sandbox settings",
  promptCacheTtl: "the cache of the provider is used with its own time",
  promptSuggestionEnabled: "Runahead does not suggest prompts",
  proxyAuthHelper: "set HTTPS_PROXY with the credentials of the proxy",
  showClearContextOnPlanAccept:
    "an approved plan continues in the same conversation; use /clear to start a new one",
  showMessageTimestamps: "the timeline shows when everything happened",
  sshConfigs: "sessions run on this machine",
  sshHostAllowlist: "sessions run on this machine",
  subagentPromptCacheTtl: "the cache of the provider is used with its own time",
  subagentStatusLine: "sub-agents are shown with their state and running time",
  switchModelsOnFlag: "use fallbackModel",
  syntaxHighlightingDisabled: "choose the theme ansi",
  taskOutputMaxChars: "longer output is saved to a file, with its beginning and end shown",
  timeFormat: "times are shown as your system does",
  timeZone: "times are shown as your system does",
  todoFeatureEnabled: "deny the tools TaskCreate and TaskUpdate",
  tui: "the conversation is always printed into the scrollback of the terminal",
  ultracode: "set effortLevel",
  useAutoModeDuringPlan: "plan mode denies changes until you approve a plan",
  verbose: "press Ctrl+O to see the whole output",
  viewMode: "press Ctrl+O to see the whole output",
  vimInsertModeRemaps: "vim keys are fixed",
  voice: "Runahead takes typed input only",
  voiceEnabled: "Runahead takes typed input only",
};

/** Keys that ask for nothing that could be missing, whatever their value: dialogs, versions and parts of other programs. */
export const VACANT: Readonly<Record<string, string>> = {
  agentPushNotifEnabled: "Runahead sends no notifications to phones",
  allowClaudeInChromeWithManagedMcp: "Runahead does not connect to a browser",
  autoDreamEnabled: "Runahead does not write memory files by itself",
  autoUpdatesChannel: "Runahead does not update itself",
  autoUploadSessions: "sessions stay on this machine",
  bashEditDiffEnabled: "changes of files are shown after each call",
  crossSessionInbound: "sessions do not send messages to each other",
  daemonColdStart: "Runahead has no daemon",
  defaultView: "there is one view",
  desktopSessionCleanupPeriodDays: "it is about another program",
  dialogExpiry: "dialogs stay until they are answered",
  disableArtifact: "Runahead does not publish artifacts",
  disableBundledSkills: "Runahead has no bundled skills",
  disableClaudeAiConnectors: "Runahead does not connect to claude.ai",
  disableDeepLinkRegistration: "Runahead registers no links",
  disableRemoteControl: "Runahead cannot be controlled from claude.ai",
  disableReplyCheck: "Runahead does not check replies",
  disableWindowsBashCommandSplit: "it is about Windows",
  disableWorkflows: "Runahead has no workflows",
  emojiCompletionEnabled: "Runahead does not complete emoji",
  enableArtifact: "Runahead does not publish artifacts",
  enableWorkflows: "Runahead has no workflows",
  fastModePerSessionOptIn: "use /fast to switch to fastModel",
  feedbackDrafts: "Runahead does not ask for feedback",
  gatewayInternalNetworks: "Runahead does not sign in to accounts",
  inputNeededNotifEnabled: "Runahead sends no notifications to phones",
  isolatePeerMachines: "sessions run on this machine",
  minimumVersion: "the version is that of another program",
  precomputeCompactionEnabled: "a summary is always prepared before it is needed",
  prefersReducedMotion: "Runahead shows no animations",
  remote: "sessions run on this machine",
  remoteControlAtStartup: "Runahead cannot be controlled from claude.ai",
  requiredMaximumVersion: "the version is that of another program",
  requiredMinimumVersion: "the version is that of another program",
  showThinkingSummaries: "thinking is always shown while it streams",
  skipAutoPermissionPrompt: "Runahead does not show this dialog",
  skipDangerousModePermissionPrompt: "Runahead does not show this dialog",
  skipWebFetchPreflight: "WebFetch asks no other service before it fetches",
  skippedMarketplaces: "Runahead does not offer marketplaces",
  skippedPlugins: "Runahead does not offer plugins",
  spellcheck: "your terminal checks the spelling",
  sshHostCommands: "sessions run on this machine",
  syncClaudeAiPlugins: "Runahead does not connect to claude.ai",
  syncClaudeAiSkills: "Runahead does not connect to claude.ai",
  teammateMode: "sub-agents are always shown in one terminal",
  terminalTitleFromRename: "sessions have no titles",
  wheelScrollAccelerationEnabled: "your terminal scrolls the output",
  workflowKeywordTriggerEnabled: "Runahead has no workflows",
  workflowSizeGuideline: "Runahead has no workflows",
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
  "disableSideloadFlags",
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
  allow: "put rules into permissions.allow",
  allowedTools: "put rules into permissions.allow",
  ask: "put rules into permissions.ask",
  deny: "put rules into permissions.deny",
  disallowedTools: "put rules into permissions.deny",
  defaultMode: "put it into permissions",
  permissionMode: "use permissions.defaultMode",
  rules: "put rules into permissions",
};

/** Those that were meant to forbid something. */
const RESTRICTING: ReadonlySet<string> = new Set(["ask", "deny", "disallowedTools"]);
/** Modes in which less is allowed than in most others. */
const RESTRICTING_MODE = /^(?:plan|dont-?ask|default|manual|read-?only)$/i;

function isRestricting(key: string, value: unknown): boolean {
  return RESTRICTING.has(key) || (/mode$/i.test(key) && RESTRICTING_MODE.test(String(value)));
}

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
  if (Object.hasOwn(ELSEWHERE, key))
    return {
      severity: isRestricting(key, value) ? "warning" : "note",
      words: `has no effect: ${ELSEWHERE[key]}`,
    };
  return remarkOnUnused(key, value, { inert: INERT, known: [...READ, ...Object.keys(USED)] });
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

/** Levels of `effortLevel`; `auto` is the model's own. */
export const EFFORT_LEVELS = [...EFFORTS, "auto"] as const;
export const EFFORT_WORDS = `${EFFORTS.join(", ")} or auto`;

function remarkInside(key: string, value: unknown): KeyRemark | undefined {
  if (key === "effortLevel" && typeof value === "string") return remarkOnEffort(value);
  if (key === "skillOverrides" && isShape(value)) return remarkOnOverrides(value);
  const known = MEMBERS[key];
  if (known === undefined || !isShape(value)) return undefined;
  const unknown = Object.keys(value).find((name) => !known.includes(name) && !isRemark(name));
  if (unknown === undefined) return undefined;
  return { severity: "warning", words: `${unknown} has no effect.${didYouMean(unknown, known)}` };
}

function remarkOnEffort(level: string): KeyRemark | undefined {
  if (level === "" || EFFORT_LEVELS.some((known) => known === level)) return undefined;
  const words = `expected ${EFFORT_WORDS}, found ${JSON.stringify(level)}; this entry is ignored`;
  return { severity: "error", words };
}

/** The values of `skillOverrides`. Another one could be meant as any restriction, so it counts as the strictest. */
const SKILL_OVERRIDES = ["on", "off", "name-only", "user-invocable-only"];

function remarkOnOverrides(overrides: Shape): KeyRemark | undefined {
  const odd = Object.entries(overrides).find(
    ([, value]) => typeof value !== "boolean" && !SKILL_OVERRIDES.includes(String(value)),
  );
  if (odd === undefined) return undefined;
  const words = `${odd[0]}: ${JSON.stringify(odd[1])} is read as "off"; expected ${SKILL_OVERRIDES.join(", ")}`;
  return { severity: "warning", words };
}

/** The same for a key of `permissions`. */
export function remarkOnPermission(key: string, value: unknown): KeyRemark | undefined {
  if (Object.hasOwn(VACANT, key)) return { severity: "note", words: `has no effect here: ${VACANT[key]}` };
  const why = INERT[`permissions.${key}`];
  return remarkOnUnused(key, value, { inert: why === undefined ? {} : { [key]: why }, known: PERMISSIONS });
}

interface Keys {
  readonly inert: Readonly<Record<string, string>>;
  readonly known: readonly string[];
}

function remarkOnUnused(key: string, value: unknown, { inert, known }: Keys): KeyRemark | undefined {
  if (isRemark(key)) return undefined;
  const why = Object.hasOwn(inert, key) ? inert[key] : undefined;
  if (why !== undefined) return { severity: "warning", words: `has no effect here: ${why}` };
  const hint = didYouMean(key, known);
  if (hint !== "") return { severity: "warning", words: `is not a known setting and has no effect.${hint}` };
  // Nobody notices that a restriction does not hold.
  const isMeant =
    soundsRestricting(key) || /^disabled[A-Z]/.test(key) || isRestricting(key, value) || value === "deny";
  return isMeant
    ? { severity: "warning", words: `is not a known setting and restricts nothing; use ${insteadOf(key)}` }
    : { severity: "note", words: "is not a known setting and has no effect" };
}

function insteadOf(key: string): string {
  if (/mode$/i.test(key)) return "permissions.defaultMode";
  if (/mcp|server/i.test(key)) return "deniedMcpServers";
  if (/plugin/i.test(key)) return "enabledPlugins";
  return /model/i.test(key) ? "deniedModels" : "permissions.deny";
}

const KINDS: Readonly<Record<Kind, string>> = {
  flag: "true or false",
  text: "a string",
  number: "a number of at least 0",
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
