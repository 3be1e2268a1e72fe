/** Decides whether the model uses its provider's web search in place of WebSearch. */

import { type LoadedSettings } from "../../settings/loaded.ts";
import { type ProviderSearch } from "@runahead/agent";
import { createPermissions } from "@runahead/permissions";
import { searchProvider } from "@runahead/tools";
import type { Surroundings } from "../../surroundings.ts";

/** The provider's search cannot be approved per call, so it is off if a rule would ask, or if another service is configured. */
export function providerSearch(
  { cwd, home, env }: Surroundings,
  settings: LoadedSettings,
): ProviderSearch | undefined {
  if (searchProvider(env) !== undefined) return undefined;
  const { mode, sources } = settings;
  const { behavior, by } = createPermissions({ settings: { mode, sources }, cwd, home }).decide(
    "WebSearch",
    { query: "any" },
    cwd,
  );
  const isByRule = behavior !== "allow" && by.type !== "mode";
  return behavior === "deny" || isByRule ? undefined : { inPlaceOf: "WebSearch" };
}
