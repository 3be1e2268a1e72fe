/** Variables of `env` in the settings that configure the program itself, and those of other programs. */

import type { KeyRemark } from "./known-keys.ts";

/**
 * Variables that Runahead reads for itself, also from `env` of trusted settings. None of them sends data elsewhere or
 * chooses a program.
 */
export const USED_VARIABLES: readonly string[] = [
  "ANTHROPIC_DEFAULT_HAIKU_MODEL",
  "ANTHROPIC_DEFAULT_OPUS_MODEL",
  "ANTHROPIC_DEFAULT_SONNET_MODEL",
  "ANTHROPIC_MODEL",
  "ANTHROPIC_SMALL_FAST_MODEL",
  "BASH_DEFAULT_TIMEOUT_MS",
  "BASH_MAX_TIMEOUT_MS",
  "BASH_MAX_OUTPUT_LENGTH",
  "CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR",
  "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE",
  "CLAUDE_CODE_EFFORT_LEVEL",
  "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
  "CLAUDE_CODE_SUBAGENT_MODEL",
  "DISABLE_AUTO_COMPACT",
  "ENABLE_TOOL_SEARCH",
  "MAX_THINKING_TOKENS",
  "MCP_TIMEOUT",
  "MCP_TOOL_TIMEOUT",
  "SLASH_COMMAND_TOOL_CHAR_BUDGET",
];

/** Variables of Claude Code that have no effect on the program, and what Runahead does instead. */
export const INERT_VARIABLES: Readonly<Record<string, string>> = {
  ANTHROPIC_API_KEY: "set it in the environment of Runahead, or use apiKeyHelper",
  ANTHROPIC_AUTH_TOKEN: "use ANTHROPIC_API_KEY or apiKeyHelper",
  ANTHROPIC_BASE_URL: "set it in the environment of Runahead",
  ANTHROPIC_CUSTOM_HEADERS: "Runahead sends no headers of your own",
  API_TIMEOUT_MS: "a response that stays silent is requested again; see RUNAHEAD_STREAM_IDLE_MS",
  CLAUDE_CODE_API_KEY_HELPER_TTL_MS: "apiKeyHelper runs once at the start",
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "deny the tools with a rule",
  CLAUDE_CODE_ENABLE_TELEMETRY: "set up telemetry in code; see the docs",
  CLAUDE_CODE_USE_BEDROCK: "use a model of the AI SDK",
  CLAUDE_CODE_USE_VERTEX: "use a model of the AI SDK",
  DISABLE_PROMPT_CACHING: "prompts are always cached",
  MAX_MCP_OUTPUT_TOKENS: "results above 30,000 characters are saved to a file that the model can read",
};

/** Variables that ask for what is always so. */
export const VACANT_VARIABLES: Readonly<Record<string, string>> = {
  CLAUDE_CODE_DISABLE_AUTO_MEMORY: "Runahead does not write memory files by itself",
  CLAUDE_CODE_DISABLE_FEEDBACK_SURVEY: "Runahead does not show surveys",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "Runahead connects only to the model and to what tools ask for",
  CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS:
    "sub-agents can always work in the background and send each other messages",
  CLAUDE_CODE_NO_FLICKER: "only changed rows are drawn",
  DISABLE_AUTOUPDATER: "Runahead does not update itself",
  DISABLE_BUG_COMMAND: "Runahead has no command for reports",
  DISABLE_COST_WARNINGS: "Runahead does not warn about costs",
  DISABLE_ERROR_REPORTING: "Runahead reports no errors",
  DISABLE_NON_ESSENTIAL_MODEL_CALLS: "the model is asked only for answers, summaries and hooks",
  DISABLE_TELEMETRY: "Runahead sends no telemetry",
  ENABLE_LSP_TOOL: "the LSP tool is offered where a language server is installed",
  USE_BUILTIN_RIPGREP: "Runahead uses its own ripgrep",
};

/** Returns what is to be said about a variable of the settings; undefined if there is nothing to say. */
export function variableRemark(name: string, value: string | undefined): KeyRemark | undefined {
  // What is switched off is not missing.
  const isOff = value !== undefined && /^(?:0|false|no|off|)$/i.test(value);
  if (Object.hasOwn(INERT_VARIABLES, name))
    return {
      severity: isOff ? "note" : "warning",
      words: `has no effect on Runahead: ${INERT_VARIABLES[name]}`,
    };
  if (Object.hasOwn(VACANT_VARIABLES, name))
    return { severity: "note", words: `has no effect on Runahead: ${VACANT_VARIABLES[name]}` };
  if (/^CLAUDE_CODE_[A-Z]/.test(name) && !USED_VARIABLES.includes(name))
    return { severity: "note", words: "has no effect on Runahead: only commands get it" };
  return undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment that the program reads, with the variables of trusted settings. */
export function programEnvironment(inherited: Environment, ofSettings: Environment): Environment {
  const given = USED_VARIABLES.flatMap((name) => {
    const value = ofSettings[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...inherited, ...Object.fromEntries(given) };
}

/** A variable that is a number above zero; undefined if it is not. */
export function numberIn(env: Environment, name: string): number | undefined {
  const value = Number(env[name] ?? "");
  return Number.isFinite(value) && value > 0 ? value : undefined;
}

/** A variable that is set to `1`, `true`, `yes` or `on`. */
export function isSet(env: Environment, name: string): boolean {
  return /^(?:1|true|yes|on)$/i.test(env[name] ?? "");
}
