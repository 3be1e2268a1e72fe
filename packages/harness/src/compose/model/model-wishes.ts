/** How the model thinks and what is known about it: flags, then the environment, then the settings. */

import type { Effort, ModelFacts, Thinking } from "@runahead/agent";
import { someFacts } from "@runahead/agent/internal";
import { isShape, messageOf } from "@runahead/base";
import type { LoadedSettings } from "../../settings/loaded.ts";
import type { Surroundings } from "../../surroundings.ts";
import { UsageError } from "../error.ts";
import { EFFORT_LEVELS, EFFORT_WORDS } from "../../settings/known-keys.ts";
import { programEnvironment } from "../../settings/variables.ts";

export interface ModelWishes {
  readonly effort?: Effort;
  readonly thinking?: Thinking;
  /** The models that take over, in order. */
  readonly fallback?: readonly string[];
  /** By the name of the model. */
  readonly models: Readonly<Record<string, ModelFacts>>;
}

export interface WishFlags {
  readonly effort?: string;
  readonly maxThinkingTokens?: number;
  readonly thinking?: "adaptive" | "enabled" | "disabled";
  readonly fallbackModel?: string;
}

/** Throws a `UsageError` for a level in a flag or variable that does not exist, and for unusable facts about models. */
export function modelWishes(
  inherited: Surroundings["env"],
  flags: WishFlags,
  settings: LoadedSettings,
): ModelWishes {
  const env = programEnvironment(inherited, settings.env);
  const setting = (key: string): unknown => settings.other.get(key)?.find(({ trusted }) => trusted)?.value;
  const effort =
    effortIn(flags.effort, "--effort") ??
    effortIn(env["RUNAHEAD_EFFORT"], "RUNAHEAD_EFFORT") ??
    effortIn(env["CLAUDE_CODE_EFFORT_LEVEL"], "CLAUDE_CODE_EFFORT_LEVEL") ??
    levelIn(setting("effortLevel"));
  const thinking =
    thinkingIn(flags.maxThinkingTokens) ??
    (flags.thinking === undefined ? undefined : flags.thinking === "disabled" ? "off" : "adaptive") ??
    thinkingIn(env["MAX_THINKING_TOKENS"]) ??
    thinkingIn(setting("thinking")) ??
    (setting("alwaysThinkingEnabled") === true ? "adaptive" : undefined);
  const fallback = chainOf(flags.fallbackModel ?? setting("fallbackModel"));
  return {
    ...(effort === undefined ? {} : { effort }),
    ...(thinking === undefined ? {} : { thinking }),
    ...(fallback.length === 0 ? {} : { fallback }),
    models: factsIn(settings),
  };
}

function factsIn({ other }: LoadedSettings): Readonly<Record<string, ModelFacts>> {
  const { value, name = "" } = other.get("models")?.find(({ trusted }) => trusted) ?? {};
  if (!isShape(value)) return {};
  for (const [model, facts] of Object.entries(value)) {
    const what = `${name}: the setting models: ${JSON.stringify(model)}`;
    try {
      if (isShape(facts)) someFacts(facts, what);
      else throw new TypeError(`${what} must be an object, got ${JSON.stringify(facts)}.`);
    } catch (error) {
      throw new UsageError(messageOf(error));
    }
  }
  return value as Record<string, ModelFacts>;
}

/** A list, or names separated by commas. */
function chainOf(value: unknown): string[] {
  const names = Array.isArray(value)
    ? (value as unknown[])
    : typeof value === "string"
      ? value.split(",")
      : [];
  const texts = names.flatMap((name) =>
    typeof name === "string" && name.trim() !== "" ? [name.trim()] : [],
  );
  return [...new Set(texts)];
}

function effortIn(value: unknown, where: string): Effort | undefined {
  // `auto` is the model's own level.
  if (value === undefined || value === null || value === "" || value === "auto") return undefined;
  const level = levelIn(value);
  if (level !== undefined) return level;
  throw new UsageError(`${where}: expected ${EFFORT_WORDS}, got ${JSON.stringify(value)}.`);
}

/** Another value of a setting was reported when the file was read. */
function levelIn(value: unknown): Effort | undefined {
  const level = EFFORT_LEVELS.find((one) => one === value);
  return level === "auto" ? undefined : level;
}

/** A number is a budget; 0 turns thinking off. */
function thinkingIn(value: unknown): Thinking | undefined {
  if (value === "adaptive" || value === "off") return value;
  if (value === undefined || value === null || value === "") return undefined;
  const tokens = Number(value);
  if (!Number.isFinite(tokens) || tokens < 0) return undefined;
  return tokens === 0 ? "off" : { budgetTokens: tokens };
}
