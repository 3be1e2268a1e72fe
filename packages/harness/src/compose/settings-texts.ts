/** What settings add to the system prompt: the language, and the attribution of commits. */

import { isShape } from "@runahead/base";
import type { LoadedSettings } from "../settings/loaded.ts";
import { textOfKey, valueOfKey } from "../settings/other-values.ts";

const CO_AUTHOR = "Co-Authored-By: Runahead <noreply@runahead.dev>";

export function settingsTexts(settings: LoadedSettings): string {
  const language = textOfKey(settings, "language");
  return [
    ...managedInstructions(settings),
    ...(language === undefined ? [] : [`Answer in ${language}.`]),
    ...attributionTexts(settings),
  ].join("\n");
}

/** `claudeMd`, which counts in managed settings only. */
function managedInstructions({ other }: LoadedSettings): string[] {
  const value = other.get("claudeMd")?.find(({ level }) => level === "managed")?.value;
  return typeof value === "string" && value.trim() !== ""
    ? [`Instructions of the organization, which are binding:\n${value.trim()}`]
    : [];
}

/** `attribution` replaces `includeCoAuthoredBy`. Without either, nothing is added to commits. */
function attributionTexts(settings: LoadedSettings): string[] {
  const attribution = valueOfKey(settings, "attribution");
  const isIncluded = valueOfKey(settings, "includeCoAuthoredBy");
  if (isShape(attribution))
    return [
      attributionText("commit message", attribution["commit"]),
      attributionText("pull request description", attribution["pr"]),
    ].flat();
  if (attribution === false || isIncluded === false) return [NO_ATTRIBUTION];
  return isIncluded === true ? attributionText("commit message", CO_AUTHOR) : [];
}

const NO_ATTRIBUTION = "Add no attribution to commit messages and pull requests.";

function attributionText(what: string, value: unknown): string[] {
  if (typeof value !== "string") return [];
  return value.trim() === ""
    ? [`Add no attribution to a ${what}.`]
    : [`End every ${what} with this text:\n${value.trim()}`];
}
