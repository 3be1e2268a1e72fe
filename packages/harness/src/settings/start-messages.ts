/** What the settings show when the interactive program starts: an announcement and a tip. */

import { isShape, wrong } from "@runahead/base";
import type { LoadedSettings } from "./loaded.ts";
import { textsOf, valueOfKey } from "./other-values.ts";

/**
 * Returns the lines that `companyAnnouncements` and `spinnerTipsOverride` ask for: one of each list. Without
 * `spinnerTipsOverride`, or if `spinnerTipsEnabled` is false, there is no tip.
 *
 * @param chance A number from 0 to 1 that chooses the entries. Default: a random one.
 * @example
 * ```ts
 * for (const line of startMessages(await loadSettings({ cwd, home, env }))) console.log(line);
 * ```
 */
export function startMessages(
  settings: Pick<LoadedSettings, "other">,
  chance = Math.random(),
): readonly string[] {
  if (!(settings?.other instanceof Map))
    throw wrong('startMessages: "settings"', "the result of loadSettings()", settings);
  const one = (texts: readonly string[]): string | undefined =>
    texts[Math.min(texts.length - 1, Math.floor(chance * texts.length))];
  const announcement = one(textsOf(settings, "companyAnnouncements"));
  const tip = valueOfKey(settings, "spinnerTipsEnabled") === false ? undefined : one(tipsOf(settings));
  return [
    ...(announcement === undefined ? [] : [announcement]),
    ...(tip === undefined ? [] : [`Tip: ${tip}`]),
  ];
}

function tipsOf(settings: Pick<LoadedSettings, "other">): string[] {
  const value = valueOfKey(settings, "spinnerTipsOverride");
  const tips = isShape(value) ? value["tips"] : undefined;
  return Array.isArray(tips) ? tips.filter((tip) => typeof tip === "string") : [];
}
