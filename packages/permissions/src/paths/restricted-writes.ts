/** Commands that could write, move or copy a file although a rule restricts it. */

import { touchesOf } from "../bash/files.ts";
import { baseName } from "../bash/inner.ts";
import { isSharp } from "../bash/sharp.ts";
import type { ShellCommand } from "../bash/script.ts";
import type { CommandFile } from "./command-files.ts";
import { keptEntry } from "./trees.ts";
import type { Judge, RuleBook } from "../verdict/judge.ts";
import type { Rule } from "../rules/rule.ts";
import { mayCoverSomewhere } from "./unknown-folder.ts";

interface Writing {
  readonly command: ShellCommand;
  readonly files: readonly CommandFile[];
  /** The command with each value of a loop variable. */
  readonly variants: readonly unknown[];
}

/** Rules that deny or ask about a file. */
function fileRules({ deny, ask, ordered }: RuleBook): Rule[] {
  return [...deny, ...ask, ...ordered].filter(({ type, action }) => type === "file" && action !== "allow");
}

/** Why the command could do something with a file that a rule restricts; undefined if it cannot, as far as known. */
export function restrictedUse(one: Writing, judge: Judge): string | undefined {
  const rules = fileRules(judge.book);
  if (rules.length === 0) return undefined;
  const { command, files } = one;
  return (
    inUnknownFolder(command, files, rules, judge) ??
    keptEntry(command, rules, judge.workspace) ??
    (rules.some((rule) => rule.type === "file" && rule.mode === "write") ? unknownWrite(one) : undefined)
  );
}

function inUnknownFolder(
  { folders }: ShellCommand,
  files: readonly CommandFile[],
  rules: readonly Rule[],
  { workspace }: Judge,
): string | undefined {
  if (folders !== undefined) return undefined;
  const found = files.find(
    ({ word, mode }) =>
      word.type !== "dynamic" && rules.some((rule) => mayCoverSomewhere(rule, mode, word.value, workspace)),
  );
  return found === undefined ? undefined : `the folder of ${found.word.raw} is unknown until it runs`;
}

/** A file that the command writes, but that its words do not name. */
function unknownWrite({ command, variants }: Writing): string | undefined {
  if (variants.length > 0) return undefined;
  const { words, redirects } = command;
  const target = redirects.find(
    (one) => one.type === "file" && one.mode !== "read" && one.target.type === "dynamic",
  );
  const word =
    target?.type === "file"
      ? target.target
      : touchesOf(words).find((touch) => touch.mode === "write" && touch.word.type === "dynamic")?.word;
  // The output of a process substitution goes to a command that is judged itself.
  if (word !== undefined && !word.raw.startsWith(">(")) return `${word.raw} is unknown until it runs`;
  const name = baseName(words[0]?.value ?? "");
  const isHidden =
    (UNPACKS.test(name) && isSharp(words)) ||
    (name === "find" && words.some(({ value }) => value === "-delete")) ||
    (name === "git" && words.some(({ value }) => /^(?:apply|am)$/.test(value)) && isSharp(words));
  return isHidden ? `the files that ${name} changes are not visible` : undefined;
}

/** Some of their calls write files with names from an archive or a patch. */
const UNPACKS = /^(?:patch|tar|bsdtar|cpio|bsdcpio|pax|unzip|7z|7za|7zr|7zz|unrar|unar)$/;
