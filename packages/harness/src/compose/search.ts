/** Whether the model may search the web with its provider's own search, in place of WebSearch. */

import { type LoadedSettings } from "../settings/loaded.ts";
import { type ProviderSearch } from "@runahead/agent";
import { createPermissions } from "@runahead/permissions";
import { searchProvider } from "@runahead/tools";
import type { Surroundings } from "../surroundings.ts";

/** Nobody is asked about such a search, so it is none where a rule would ask, nor where another service is set up. */
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
