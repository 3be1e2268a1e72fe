/** Values of settings that other parts interpret. Only those of trusted files count. */

import type { LoadedSettings, OtherValue } from "./loaded.ts";

type WithOther = Pick<LoadedSettings, "other">;

/** The value of the file with the highest precedence; undefined if no trusted file has the key. */
export function valueOfKey({ other }: WithOther, key: string): unknown {
  return usable(other.get(key))[0]?.value;
}

/** The text of the file with the highest precedence. */
export function textOfKey(settings: WithOther, key: string): string | undefined {
  const value = valueOfKey(settings, key);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** The strings of all files. */
export function textsOf({ other }: WithOther, key: string): string[] {
  return usable(other.get(key)).flatMap(({ value }) =>
    Array.isArray(value) ? value.filter((entry) => typeof entry === "string") : [],
  );
}

function usable(values: readonly OtherValue[] | undefined): readonly OtherValue[] {
  return (values ?? []).filter(({ trusted }) => trusted);
}
