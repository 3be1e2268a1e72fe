/** `pluginConfigs` of the settings: the options of plugins. */

import { isShape } from "@runahead/base";
import { scalarText } from "../definitions/plugin-manifest.ts";
import type { LoadedSettings } from "../settings/loaded.ts";

/**
 * Returns the options of a plugin, highest precedence first. They become parts of commands, so the files of a repository
 * do not count.
 */
export function pluginOptions(
  id: string,
  { other }: Pick<LoadedSettings, "other">,
): Readonly<Record<string, string>> {
  const [name = id] = id.split("@", 1);
  const found = (other.get("pluginConfigs") ?? []).flatMap(({ value, level }) => {
    if (level === "project" || level === "local" || !isShape(value)) return [];
    const entry = value[id] ?? Object.entries(value).find(([key]) => key.split("@", 1)[0] === name)?.[1];
    const options = isShape(entry) ? entry["options"] : undefined;
    return isShape(options) ? [options] : [];
  });
  const texts = found.toReversed().flatMap((options) =>
    Object.entries(options).flatMap(([key, value]) => {
      const text = scalarText(value);
      return text === undefined ? [] : [[key, text] as const];
    }),
  );
  return Object.fromEntries(texts);
}
