/** `sandbox.excludedCommands`: commands that run outside of the sandbox. */

import { createPermissions } from "@runahead/permissions";

/** Returns whether a command runs outside. The verdict and the Bash tool both use it, so they agree. */
export type RunsOutside = (command: string, cwd: string) => boolean;

/**
 * A command runs outside if an allow rule for each pattern would allow all of it: every part of a command line must
 * match. A command that needs no rule, because it only reads, stays inside.
 */
export function excludedCommands(patterns: readonly string[], home: string): RunsOutside {
  if (patterns.length === 0) return () => false;
  const allow = patterns.map((pattern) => `Bash(${prefixOf(pattern.trim())})`);
  return (command, cwd) => isAllowed(allow, { command, cwd, home }) && !isAllowed([], { command, cwd, home });
}

/** `docker` stands for every command that begins with this word. */
function prefixOf(pattern: string): string {
  return pattern.includes("*") ? pattern : `${pattern}:*`;
}

interface Command {
  readonly command: string;
  readonly cwd: string;
  readonly home: string;
}

function isAllowed(allow: readonly string[], { command, cwd, home }: Command): boolean {
  const permissions = createPermissions({
    settings: { allow, rulesFrom: "user", mode: "dontAsk" },
    cwd,
    home,
  });
  return permissions.decide("Bash", { command }, cwd).behavior === "allow";
}
