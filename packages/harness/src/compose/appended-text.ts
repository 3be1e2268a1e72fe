/** The text at the end of the system prompt: of flags and of settings. */

import type { LoadedSettings } from "../settings/loaded.ts";
import type { Around } from "./around.ts";
import { settingsTexts } from "./settings-texts.ts";
import { askForSchema, schemaOf } from "./structured.ts";

export function appendedText({ world, flags }: Around, settings: LoadedSettings): string {
  const { appendSystemPrompt = "", jsonSchema } = flags;
  const asked = jsonSchema === undefined ? "" : askForSchema(schemaOf(jsonSchema, world.cwd));
  return [appendSystemPrompt, asked, settingsTexts(settings)].filter((part) => part !== "").join("\n\n");
}
