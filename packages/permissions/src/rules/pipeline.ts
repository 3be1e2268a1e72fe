/** Deny and ask rules about several commands: `Bash(curl * | sh)`. */

import { type BashPattern, compileBash } from "./bash-pattern.ts";

/** The commands that a rule names, in order; undefined if it names one. */
export function pipelineOf(inside: string): readonly BashPattern[] | undefined {
  const parts = [...inside.matchAll(/(?:'[^']*'|"(?:[^"\\]|\\[^])*"|\\[^]|[^'"\\|&;\n]|['"\\])+/g)].map(
    ([part]) => part.trim(),
  );
  const named = parts.filter((part) => part !== "");
  if (named.length < 2) return undefined;
  // A command after a pipe is meant with any arguments: `| sh` also covers `| sh -s`.
  return named.map((part, at) => compileBash(at === 0 || /[*]$/.test(part) ? part : `${part} *`));
}
