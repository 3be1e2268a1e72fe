/** Finds a file that a command writes and then runs: its content is unknown when the verdict is reached. */

import { baseName, isShell } from "../bash/inner.ts";
import { isInterpreter } from "../bash/runners.ts";
import type { ShellCommand } from "../bash/script.ts";
import type { CommandFile } from "../paths/command-files.ts";

interface Seen {
  readonly command: ShellCommand;
  readonly files: readonly CommandFile[];
}

/** Files that a program loads by itself. */
const LOOKED_FOR: readonly (readonly [program: RegExp, file: RegExp])[] = [
  [/^g?make$/, /^(?:GNUmakefile|[mM]akefile)$|\.mk$/],
  [/^(?:npm|npx|yarn|pnpm|bun)$/, /^package\.json$/],
  [/^cargo$/, /^build\.rs$/],
];

export function runsWritten(seen: readonly Seen[]): string | undefined {
  const written = new Set(
    seen
      .filter(({ command }) => !/^ch(?:mod|own|grp)$/.test(command.words[0]?.value ?? ""))
      .flatMap(({ files }) => files.filter(({ mode, isLikely }) => mode === "write" && isLikely !== true))
      .map(({ word }) => baseName(word.value)),
  );
  if (written.size === 0) return undefined;
  return (
    seen.flatMap(({ command }) => runBy(command)).find((name) => written.has(name)) ??
    lookedFor(seen, written)
  );
}

/** The files that a command runs: the program itself, or the script of a shell or interpreter. */
function runBy({ words }: ShellCommand): string[] {
  const [first, ...rest] = words;
  if (first === undefined) return [];
  const name = baseName(first.value);
  const isScript =
    /^g?(?:sed|awk)$|^[mn]awk$/.test(name) && rest.some(({ value }) => /^(?:-\w*f|--file)/.test(value));
  const isRunner = isScript || isShell(name) || isInterpreter(name) || name === "source" || name === ".";
  return [
    ...(first.value.includes("/") ? [name] : []),
    ...(isRunner ? rest.map(({ value }) => baseName(value)) : []),
  ];
}

function lookedFor(seen: readonly Seen[], written: ReadonlySet<string>): string | undefined {
  const names = seen.map(({ command }) => baseName(command.words[0]?.value ?? ""));
  return [...written].find((file) =>
    LOOKED_FOR.some(([program, pattern]) => pattern.test(file) && names.some((name) => program.test(name))),
  );
}
