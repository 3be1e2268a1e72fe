/** Permission rules that do less than they seem to: those without effect, and exact rules that allow nothing. */

import { createPermissions } from "@runahead/permissions";
import { type LoadedSettings, checkLoaded } from "./loaded.ts";

/**
 * Returns what permission rules of the settings do not do, each in words: rules that are ignored, and rules for one exact
 * command that needs approval anyway, for example because the rule is only a part of a shell loop.
 *
 * @example
 * ```ts
 * for (const note of ruleNotes(await loadSettings({ cwd, home, env }))) console.log(note);
 * ```
 */
export function ruleNotes(loaded: LoadedSettings): string[] {
  checkLoaded(loaded, "ruleNotes");
  const { cwd, sources } = loaded;
  const permissions = createPermissions({ settings: { mode: "default", sources }, cwd });
  const idle = sources
    .filter(({ trusted }) => trusted)
    .flatMap(({ name, allow }) =>
      allow.flatMap((rule) => {
        const command = exactCommand(rule);
        if (command === undefined) return [];
        const { behavior, reason } = permissions.decide("Bash", { command }, cwd);
        return behavior === "allow" ? [] : [`${name}: allow rule ${rule} allows nothing. ${reason}`];
      }),
    );
  return [...permissions.warnings, ...idle];
}

/** The command of a rule without wildcards. Brackets and backslashes can be escaped. */
function exactCommand(rule: string): string | undefined {
  const [, inside] = /^Bash\((.+)\)$/s.exec(rule.trim()) ?? [];
  if (inside === undefined || inside.includes("*")) return undefined;
  return inside.replaceAll(/\\([()\\])/g, "$1");
}
