/** Permission rules that do less than they seem to: those without effect, and exact rules that allow nothing. */

import { didYouMean } from "@runahead/base";
import { createPermissions } from "@runahead/permissions";
import { CALLED_NAMES, isKnownTool } from "@runahead/permissions/internal";
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
  return [...permissions.warnings, ...idle, ...unknownTools(sources)];
}

/** An allow rule for a tool that does not exist. Rules with a specifier are reported as they are read. */
function unknownTools(sources: LoadedSettings["sources"]): string[] {
  const hintFor = (rule: string): string | undefined => {
    const tool = rule.trim();
    return !/^\w+$/.test(tool) || isKnownTool(tool) || CALLED_NAMES.includes(tool)
      ? undefined
      : didYouMean(tool, CALLED_NAMES);
  };
  return sources.flatMap(({ name, allow }) =>
    allow.flatMap((rule) => {
      const hint = hintFor(rule);
      return hint === undefined
        ? []
        : [`${name}: allow rule ${rule} allows nothing. No tool has this name.${hint}`];
    }),
  );
}

/** The command of a rule without wildcards. Brackets and backslashes can be escaped. */
function exactCommand(rule: string): string | undefined {
  const [, inside] = /^Bash\((.+)\)$/s.exec(rule.trim()) ?? [];
  if (inside === undefined || inside.includes("*")) return undefined;
  return inside.replaceAll(/\\([()\\])/g, "$1");
}
