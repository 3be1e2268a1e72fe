/** API keys that Runahead itself uses. The processes that it starts do not get them unless a setting says so. */

import { anObject, required, strings } from "./options.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Keys of models and of search services. */
const OWN_KEYS: ReadonlySet<string> = new Set([
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "ANTHROPIC_CUSTOM_HEADERS",
  "ANTHROPIC_FOUNDRY_API_KEY",
  "CLAUDE_CODE_OAUTH_TOKEN",
  "RUNAHEAD_API_KEY",
  "RUNAHEAD_AUTH_TOKEN",
  "RUNAHEAD_REDIS",
  "OPENAI_API_KEY",
  "OPENROUTER_API_KEY",
  "AZURE_OPENAI_API_KEY",
  "AZURE_API_KEY",
  "AWS_BEARER_TOKEN_BEDROCK",
  "GEMINI_API_KEY",
  "GOOGLE_API_KEY",
  "GOOGLE_GENERATIVE_AI_API_KEY",
  "MISTRAL_API_KEY",
  "DEEPSEEK_API_KEY",
  "GROQ_API_KEY",
  "XAI_API_KEY",
  "COHERE_API_KEY",
  "FIREWORKS_API_KEY",
  "TOGETHER_API_KEY",
  "CEREBRAS_API_KEY",
  "PERPLEXITY_API_KEY",
  "AI_GATEWAY_API_KEY",
  "BRAVE_API_KEY",
  "TAVILY_API_KEY",
  "EXA_API_KEY",
]);

/** The environment without the program's own keys, except those that are named in `passed`. */
export function withoutOwnKeys(env: Environment, passed: readonly string[] = []): Environment {
  required(anObject)(env, 'withoutOwnKeys: "env"');
  strings(passed, 'withoutOwnKeys: "passed"');
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isOwnKey(name) || passed.includes(name)));
}

export function isOwnKey(name: string): boolean {
  return OWN_KEYS.has(name.toUpperCase());
}
