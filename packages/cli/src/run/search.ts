/** Whether the model may search the web with its provider's own search, in place of WebSearch. */

import { type LoadedSettings, type ProviderSearch, createPermissions } from "@runahead/agent";
import { searchProvider } from "@runahead/agent/tools";
import type { World } from "../world.ts";

/** Nobody is asked about such a search, so it is none where a rule would ask, nor where another service is set up. */
export function providerSearch(
  { cwd, home, env }: World,
  settings: LoadedSettings,
): ProviderSearch | undefined {
  if (searchProvider(env) !== undefined) return undefined;
  const { behavior, by } = createPermissions({ settings, cwd, home }).decide(
    "WebSearch",
    { query: "any" },
    cwd,
  );
  const isByRule = behavior !== "allow" && by.type !== "mode";
  return behavior === "deny" || isByRule ? undefined : { inPlaceOf: "WebSearch" };
}
