/** What settings say about the screen: the word while it works, the progress bar, the completion of file names. */

import type { CodingAgent } from "@runahead/harness";
import { type FileSuggester, suggesterOf } from "./input/file-suggestion.ts";
import { trustedValue } from "./status-line.ts";
import type { World } from "../shared/world.ts";

export interface ScreenWishes {
  /** The words of which one is shown while the agent works. */
  readonly verbs: readonly string[];
  readonly hasProgressBar: boolean;
  /** Whether a line after each answer says how long it took. */
  readonly showsDuration: boolean;
  /** Whether the model answers after a command that was typed with `!`. */
  readonly answersCommands: boolean;
  /** Whether files that git ignores are left out of the completion. */
  readonly respectsGitignore: boolean;
  /** The command that completes file names. */
  readonly suggestFiles: FileSuggester | undefined;
}

/** Only settings of trusted files count. */
export function screenWishes(made: Pick<CodingAgent, "settings">, world: World): ScreenWishes {
  const value = (key: string): unknown => trustedValue(made, key);
  return {
    verbs: verbsOf(value("spinnerVerbs")),
    hasProgressBar: value("terminalProgressBarEnabled") === true,
    showsDuration: value("showTurnDuration") === true,
    answersCommands: value("respondToBashCommands") === true,
    respectsGitignore: value("respectGitignore") !== false,
    suggestFiles: suggesterOf(value("fileSuggestion"), made.settings, world),
  };
}

const USUAL = "Working";
const MOST_VERB_CHARS = 40;

/** `{"mode": "append" or "replace", "verbs": […]}`, or only the words. */
function verbsOf(value: unknown): readonly string[] {
  const { mode, verbs } = (Array.isArray(value) ? { mode: "replace", verbs: value } : (value ?? {})) as {
    readonly mode?: unknown;
    readonly verbs?: unknown;
  };
  const given = Array.isArray(verbs) ? verbs.flatMap((verb) => (isVerb(verb) ? [verb.trim()] : [])) : [];
  if (given.length === 0) return [USUAL];
  return mode === "replace" ? given : [USUAL, ...given];
}

function isVerb(verb: unknown): verb is string {
  return typeof verb === "string" && verb.trim() !== "" && verb.length <= MOST_VERB_CHARS;
}
