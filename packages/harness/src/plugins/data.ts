/** The folder that a plugin keeps files in: it stays when the plugin is updated. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { runaheadHome } from "../home.ts";
import type { Surroundings } from "../surroundings.ts";

/** Creates `~/.runahead/plugin-data/NAME`, so that scripts can write at once. A plugin works without it too. */
export function pluginData(world: Pick<Surroundings, "home" | "env">, id: string): string {
  const name = id.replaceAll(/[^\w.-]/g, "-").replace(/^\.+/, "-");
  const path = join(runaheadHome(world), "plugin-data", name);
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch {
    // A home folder that cannot be written to is reported by what needs it.
  }
  return path;
}
