/** `autoMode` of the settings: the user's own rules for auto mode, in words. */

import { isShape } from "@runahead/base";
import type { LoadedSettings } from "../../settings/loaded.ts";

const PARTS: readonly (readonly [title: string, keys: readonly string[]])[] = [
  ["About the user's environment:", ["environment"]],
  ["Also usual steps, if everything else above is true:", ["allow"]],
  ['Always decide "ask" for:', ["soft_deny", "hard_deny", "deny"]],
];
const DEFAULTS = "$defaults";
const MOST_CHARS = 20_000;

/**
 * Returns the rules as text; empty without any. Those of a repository do not count: it must not decide what runs without
 * a question.
 */
export function autoPolicy({ other }: Pick<LoadedSettings, "other">): string {
  const own = (other.get("autoMode") ?? []).flatMap(({ value, level }) =>
    level !== "project" && level !== "local" && isShape(value) ? [value] : [],
  );
  const sections = PARTS.flatMap(([title, keys]) => {
    const lines = own.flatMap((value) => keys.flatMap((key) => textsIn(value[key])));
    return lines.length === 0 ? [] : [title, ...[...new Set(lines)].map((line) => `- ${line}`)];
  });
  if (sections.length === 0) return "";
  return ["The user's settings add:", ...sections].join("\n").slice(0, MOST_CHARS);
}

function textsIn(value: unknown): string[] {
  const entries = Array.isArray(value) ? (value as unknown[]) : [value];
  return entries.flatMap((entry) =>
    typeof entry === "string" && entry.trim() !== "" && entry !== DEFAULTS
      ? [entry.replaceAll(/\s+/g, " ").trim()]
      : [],
  );
}
