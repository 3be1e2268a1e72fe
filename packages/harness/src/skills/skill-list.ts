/** The list of skills that the model gets. */

import { dirname, relative } from "node:path";
import { matchesGlob } from "../instructions/globs.ts";
import type { PromptFile } from "../definitions/prompt-file.ts";
import type { LoadedSettings } from "../settings/loaded.ts";
import { valueOfKey } from "../settings/other-values.ts";
import { numberIn } from "../settings/variables.ts";
import type { Surroundings } from "../surroundings.ts";

/** How long the whole list and one description can be. */
const DEFAULT_LIST_CHARS = 12_000;
const ENTRY_CHARS = 1_500;
const SHORTEST = 60;

/** The first line, by which the list is found in the conversation. */
export const SKILLS = "Skills that you can load with the Skill tool.";

/** Instead of the list, if it had skills before and has none now. */
export const NO_SKILLS = `${SKILLS}\nThere are none now.`;

/** The skills that the model can load now: those about certain files only once such a file was used. */
export function offeredSkills(
  files: readonly PromptFile[],
  touched: readonly string[],
  root: string,
): PromptFile[] {
  return files.filter(({ isForModel, paths, kind, description }) => {
    if (!isForModel || (kind === "command" && description === "")) return false;
    if (paths.length === 0) return true;
    return touched.some((file) =>
      paths.some((pattern) => matchesGlob(pattern, pattern.startsWith("/") ? file : relative(root, file))),
    );
  });
}

/** How long the list can be. */
export interface ListLimits {
  /** Of the whole list. */
  readonly listChars?: number;
  /** Of one description. */
  readonly entryChars?: number;
}

/** Characters per token, as an estimate. */
const TOKEN_CHARS = 4;

/** `skillListingMaxDescChars`, and `SLASH_COMMAND_TOOL_CHAR_BUDGET` or `skillListingBudgetFraction` of the context. */
export function listLimits(
  settings: Pick<LoadedSettings, "other">,
  contextTokens: number,
  env: Surroundings["env"] = {},
): ListLimits {
  const chars = numberIn(env, "SLASH_COMMAND_TOOL_CHAR_BUDGET");
  const share = valueOfKey(settings, "skillListingBudgetFraction");
  const most = valueOfKey(settings, "skillListingMaxDescChars");
  return {
    ...(typeof share === "number" && share > 0
      ? { listChars: Math.round(Math.min(share, 1) * contextTokens * TOKEN_CHARS) }
      : {}),
    ...(chars === undefined ? {} : { listChars: chars }),
    ...(typeof most === "number" && most >= 1 ? { entryChars: Math.floor(most) } : {}),
  };
}

/** Returns the list; descriptions are shortened until it fits. Undefined if there are no skills. */
export function skillList(
  files: readonly PromptFile[],
  { listChars = DEFAULT_LIST_CHARS, entryChars = ENTRY_CHARS }: ListLimits = {},
): string | undefined {
  if (files.length === 0) return undefined;
  let limit = entryChars;
  let lines = files.map((file) => lineOf(file, limit));
  while (lines.join("\n").length > listChars && limit > SHORTEST) {
    limit = Math.max(SHORTEST, Math.floor(limit * 0.7));
    lines = files.map((file) => lineOf(file, limit));
  }
  const kept = lines.filter((_, at) => lines.slice(0, at + 1).join("\n").length <= listChars * 2);
  const more = lines.length - kept.length;
  const rest = more === 0 ? [] : [`… and ${more} more (in ${dirname(files[kept.length]?.folder ?? "")})`];
  return [SKILLS, ...kept, ...rest].join("\n");
}

function lineOf({ name, description, whenToUse, argumentHint }: PromptFile, limit: number): string {
  const whole = [description, whenToUse]
    .filter((part) => part !== "")
    .join(" ")
    .replaceAll(/\s+/g, " ");
  const text = whole.length > limit ? `${whole.slice(0, limit - 1)}…` : whole;
  const hint = argumentHint === "" ? "" : ` ${argumentHint.slice(0, 80)}`;
  return text === "" ? `- ${name}${hint}` : `- ${name}${hint}: ${text}`;
}

/** The files that the program names, with or without the plugin; all of them if it names none. */
export function chosenSkills(
  files: readonly PromptFile[],
  names: readonly string[] | undefined,
): readonly PromptFile[] {
  if (names === undefined) return files;
  return files.filter(({ name }) => names.some((one) => one === name || name.endsWith(`:${one}`)));
}
