/** Compares two loads, by the keys that `explain` shows. */

import type { LoadedSettings } from "./loaded.ts";
import { keyOf, valueOfSetting } from "./setting.ts";

export function changedKeys(before: LoadedSettings, after: LoadedSettings): string[] {
  const [old, now] = [textByKey(before), textByKey(after)];
  const keys = new Set([...old.keys(), ...now.keys()]);
  return [...keys].filter((key) => old.get(key) !== now.get(key)).sort();
}

/** Everything under a key as one text, for comparison. */
function textByKey({ entries, isTrusted, isIncomplete, problems }: LoadedSettings): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { setting, file, status } of entries) {
    const key = keyOf(setting);
    const entry = JSON.stringify([valueOfSetting(setting), file.path, status]);
    texts.set(key, `${texts.get(key) ?? ""}${entry}\n`);
  }
  texts.set("trust", String(isTrusted));
  texts.set("isIncomplete", String(isIncomplete));
  return texts.set("problems", JSON.stringify(problems));
}
