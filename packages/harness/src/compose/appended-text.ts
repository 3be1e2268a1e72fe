/** The text at the end of the system prompt: of flags and of settings. */

import type { LoadedSettings } from "../settings/loaded.ts";
import type { Around } from "./around.ts";
import { settingsTexts } from "./settings-texts.ts";

export function appendedText({ flags }: Around, settings: LoadedSettings): string {
  const { appendSystemPrompt = "" } = flags;
  return [appendSystemPrompt, settingsTexts(settings)].filter((part) => part !== "").join("\n\n");
}
