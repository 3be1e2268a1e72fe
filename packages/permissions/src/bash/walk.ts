/** Reads a command's text: the commands in it, at any depth, and the remaining doubts. */

import type { ShellScope, ShellScript } from "./script.ts";
import { Walker } from "./walker.ts";

/**
 * Reads a shell command and returns every simple command in it, with decoded words, as bash would run them. Runs and
 * changes nothing. What cannot be determined is listed in `doubts`; what cannot be parsed has `isUnreadable` set.
 *
 * @throws TypeError if `scope` has no `cwd` or no `home`. No command throws.
 *
 * @example
 * ```ts
 * const { commands } = readShell("cd src && rm 'a b'", { cwd: "/repo", home: "/home/me" });
 * console.log(commands.map(({ words }) => words.map(({ value }) => value))); // [["cd", "src"], ["rm", "a b"]]
 * ```
 */
export function readShell(source: string, scope: ShellScope): ShellScript {
  checkScope(scope);
  const script = walk(source, scope);
  if (typeof source !== "string" || !source.includes("\\\n") || script.isUnreadable) return script;
  // Bash removes line continuations first, so it can find commands that the grammar did not.
  const joined = walk(
    source.replaceAll(/\\([^])/g, (pair) => (pair === "\\\n" ? "" : pair)),
    scope,
  );
  if (outline(script) === outline(joined)) return script;
  return {
    ...script,
    commands: [...script.commands, ...joined.commands],
    doubts: [...script.doubts, ...joined.doubts, "a line continuation changes its meaning"],
    isOpaque: true,
    isUnreadable: true,
  };
}

/** Throws a TypeError if the folders are missing in which a command is read. */
export function checkScope(scope: ShellScope): void {
  if (typeof scope?.cwd !== "string" || typeof scope.home !== "string")
    throw new TypeError("A shell command is read in a folder: the second argument must be { cwd, home }.");
}

/** Summarizes what a script does, without line continuations in quoted text. */
function outline({ commands, doubts, isOpaque }: ShellScript): string {
  const shown = commands.map(({ words, redirects, assignments, isInner }) => ({
    words: words.map(({ value, type }) => [value, type]),
    redirects: redirects.map((one) => (one.type === "file" ? [one.mode, one.target.value] : [])),
    assignments: assignments.map(({ name, value }) => [name, value]),
    isInner,
  }));
  return JSON.stringify([shown, doubts, isOpaque]).replaceAll("\\\\\\n", "");
}

function walk(source: string, scope: ShellScope): ShellScript {
  const walker = new Walker(scope);
  try {
    walker.source(source);
  } catch (error) {
    // The grammar parses words lazily and throws on deep nesting.
    if (!(error instanceof RangeError) && !(error instanceof Error)) throw error;
    walker.unreadable("it is too deeply nested");
  }
  return walker.result();
}
