/** Commands in a loop, with the values of the loop variable substituted. */

import { touchesOf } from "../bash/files.ts";
import { baseName } from "../bash/inner.ts";
import type { ShellCommand, ShellScript, ShellWord } from "../bash/script.ts";
import { expandCommand } from "../paths/globs.ts";
import type { Workspace } from "../paths/paths.ts";

const MAX_VALUES = 500;
/** They plant nothing, or their writes are judged by separate rules. */
const HARMLESS_WRITERS = new Set("git mkdir touch chmod chown chgrp tar".split(" "));

/** Returns one command for each value; empty if no word of the command is a loop variable. */
export function variantsOf(
  command: ShellCommand,
  loops: ShellScript["loops"],
  workspace: Workspace,
): ShellCommand[] {
  const targets = command.redirects.flatMap((one) => (one.type === "file" ? [one.target] : []));
  const text = [...command.words, ...targets]
    .map(({ type, value }) => (type === "dynamic" ? value : ""))
    .join(" ");
  const used = [...loops].find(([name]) => variable(name).test(text));
  if (used === undefined) return [];
  const [name, words] = used;
  return (valuesOf(words, command, workspace) ?? []).map((value) => ({
    ...command,
    words: command.words.map((word) => filledIn(word, name, value)),
    redirects: command.redirects.map((one) =>
      one.type === "file" ? { ...one, target: filledIn(one.target, name, value) } : one,
    ),
  }));
}

function variable(name: string): RegExp {
  return new RegExp(`\\$(?:${name}(?!\\w)|\\{${name}\\})`, "g");
}

/** Undefined if some value is unknown. */
function valuesOf(
  words: readonly ShellWord[] | undefined,
  command: ShellCommand,
  workspace: Workspace,
): string[] | undefined {
  if (words === undefined || words.some(({ type }) => type === "dynamic")) return undefined;
  const expanded = expandCommand({ ...command, words }, workspace);
  if (expanded?.type === "unknown") return undefined;
  const values = (expanded?.command.words ?? words).map(({ value }) => value);
  return values.length > MAX_VALUES ? undefined : values;
}

function filledIn(word: ShellWord, name: string, given: string): ShellWord {
  if (word.type !== "dynamic") return word;
  const value = word.value.replaceAll(variable(name), () => given);
  // Without quotes, the shell splits the value at spaces and expands patterns in it.
  const isPattern = word.splits && /[*?[\\]/.test(given) && value !== word.value;
  const isKnown = !/[$`]/.test(value) && !/\s/.test(given) && !isPattern;
  if (!isKnown) return { ...word, value, type: "dynamic", ...(isPattern ? { expands: true } : {}) };
  const { expands, ...known } = word;
  return { ...known, value, type: expands === true ? "glob" : "static" };
}

/** Whether it writes a file with an unknown name, which could be in a protected place. */
export function hasUnknownTarget(
  { words }: Pick<ShellCommand, "words">,
  variants: readonly ShellCommand[],
): boolean {
  if (HARMLESS_WRITERS.has(baseName(words[0]?.value ?? ""))) return false;
  const all = variants.length > 0 ? variants.map((one) => one.words) : [words];
  return all.some((one) =>
    touchesOf(one).some(({ mode, removes, word }) => mode === "write" && !removes && word.type === "dynamic"),
  );
}
