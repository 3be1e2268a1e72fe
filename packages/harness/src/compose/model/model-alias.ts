/** Short names of models: `sonnet`, `opus`, `haiku`. */

import type { Surroundings } from "../../surroundings.ts";

const ALIASES: Readonly<Record<string, string>> = {
  sonnet: "claude-sonnet-5",
  opus: "claude-opus-5",
  haiku: "claude-haiku-4-5",
};
/** Names that stand for another short name. */
const SAME: Readonly<Record<string, string>> = { opusplan: "opus", best: "opus" };

/** Whether the name is a short name of a Claude model. */
export function isModelAlias(name: string): boolean {
  return aliasOf(name) !== undefined;
}

/**
 * The full name for a short one, or the name itself. `ANTHROPIC_DEFAULT_OPUS_MODEL` and its siblings choose other models.
 * `default` is undefined, and a context size in brackets is left out: `opus[1m]`.
 */
export function modelNamed(name: string | undefined, env: Surroundings["env"]): string | undefined {
  if (name === undefined || /^(?:default|inherit)$/i.test(name)) return undefined;
  const alias = aliasOf(name);
  if (alias === undefined) return name.replace(/\[\w+\]$/, "");
  return env[`ANTHROPIC_DEFAULT_${alias.toUpperCase()}_MODEL`] || ALIASES[alias];
}

function aliasOf(name: string): string | undefined {
  const plain = name.toLowerCase().replace(/\[\w+\]$/, "");
  const alias = SAME[plain] ?? plain;
  return Object.hasOwn(ALIASES, alias) ? alias : undefined;
}
