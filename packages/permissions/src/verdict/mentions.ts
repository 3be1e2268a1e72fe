/** Finds files with a Read deny that are named in a command whose use of its arguments is unknown. */

import { posix } from "node:path";
import { subcommandAt } from "../bash/git-content.ts";
import { baseName } from "../bash/inner.ts";
import { longOption } from "../bash/options.ts";
import { isOrdinary } from "../bash/ordinary.ts";
import { looking } from "../bash/read-only.ts";
import type { ShellCommand, ShellWord } from "../bash/script.ts";
import { pathsOf } from "../paths/command-files.ts";
import { mayTouch } from "../paths/glob-touch.ts";
import { coversFile } from "./judge.ts";
import { isLeftOut, piecesOf } from "../paths/named-places.ts";
import { facesOf, type Workspace } from "../paths/paths.ts";
import type { Rule } from "../rules/rule.ts";

/** Commands whose files are known or that show no file: their other arguments are patterns or text. */
const KNOWN = new Set(
  (
    "echo printf test [ cd pushd popd : true false which type command mkdir rmdir rm unlink touch chmod chown chgrp ls dir " +
    "stat find fd fdfind tree du basename dirname readlink realpath grep egrep fgrep zgrep rg awk gawk mawk sed cat head tail " +
    "cp mv ln diff kill pkill pgrep"
  ).split(" "),
);
/** Git subcommands that only use the name of a file; the content they show is judged elsewhere. */
const GIT_NAMES = new Set(
  (
    "add rm status log check-ignore check-attr ls-files ls-tree reset restore checkout switch stash commit clean rev-parse " +
    "rev-list update-index cherry shortlog branch tag merge rebase push pull fetch show diff grep blame mv clone"
  ).split(" "),
);
/** Options whose value is a file that git reads. */
const GIT_READS = /^(?:-[a-zA-Z]*[Ft]|--(?:file|template|pathspec-from-file))$/;
const GIT_READS_LONG = /^--(?:file|template|pathspec-from-file)=/;

/** Returns the word that names such a file; undefined if there is none. */
export function mentionedFile(
  command: ShellCommand,
  kept: readonly Rule[],
  workspace: Workspace,
): ShellWord | undefined {
  const { words, folders } = command;
  const [first, ...rest] = words;
  const name = baseName(first?.value ?? "");
  if (first === undefined || KNOWN.has(name) || (name !== "git" && looking(words, "confined") !== undefined))
    return undefined;
  const given = name === "git" ? ofGit(rest) : rest.filter((_, at) => !isLeftOut(rest, at));
  const isCode = !isOrdinary(words);
  return given.find((word) =>
    namesIn(word, isCode).some((value) => isKept({ ...word, value }, { folders, kept, workspace })),
  );
}

function ofGit(words: readonly ShellWord[]): readonly ShellWord[] {
  const at = subcommandAt(words);
  const before = words.slice(0, at);
  if (!GIT_NAMES.has(words[at]?.value ?? "")) return [...before, ...words.slice(at + 1)];
  const named = words.filter(
    (word, place) =>
      place > at && (GIT_READS_LONG.test(word.value) || GIT_READS.test(words[place - 1]?.value ?? "")),
  );
  return [...before, ...named];
}

/** The parts of a word that can be paths, each once; for code, everything that looks like one. */
function namesIn(word: ShellWord, isCode: boolean): string[] {
  const url = /^file:\/\/[^/]*(\/.*)$/s.exec(word.value)?.[1];
  const option = longOption(word.value)?.value;
  const names = [...piecesOf(word), ...[url, option].flatMap((one) => one ?? [])];
  return [...new Set(isCode ? [...names, ...word.value.split(/[^\w./~+-]+/)] : names)];
}

interface Keeping {
  readonly folders: readonly string[] | undefined;
  readonly kept: readonly Rule[];
  readonly workspace: Workspace;
}

function isKept(word: ShellWord, { folders, kept, workspace }: Keeping): boolean {
  const { value } = word;
  if (value === "" || /^[./]+$/.test(value) || value.startsWith("-")) return false;
  return pathsOf(value.startsWith("~/") ? atHome(word, workspace) : word, folders, workspace).some((path) => {
    // A plain word is more often text than a file.
    if (!/[./]/.test(value) && workspace.look.stat(path) === undefined) return false;
    const file = { mode: "read" as const, faces: facesOf(path, workspace), word };
    return kept.some((rule) => coversFile(rule, file) || mayTouch(rule, file) !== undefined);
  });
}

function atHome(word: ShellWord, { home }: Workspace): ShellWord {
  return { ...word, value: posix.join(home, word.value.slice(2)) };
}
