/**
 * Commands that can show a file although a rule restricts reading it: by recursion, from git's object store, or
 * through an unknown word.
 */

import { touchesOf } from "../bash/files.ts";
import { showsContent } from "../bash/git-content.ts";
import { baseName } from "../bash/inner.ts";
import { type Recursion, recursionOf } from "../bash/recursion.ts";
import type { ShellCommand, ShellWord } from "../bash/script.ts";
import { type CommandFile, pathsOf } from "./command-files.ts";
import { MAX_ENTRIES } from "./disk.ts";
import { mayMatchBelow } from "./glob-touch.ts";
import { mentionedFile } from "../verdict/mentions.ts";
import type { Judge, RuleBook } from "../verdict/judge.ts";
import { facesOf, type Workspace } from "./paths.ts";
import type { Rule } from "../rules/rule.ts";
import { deniedBelow, followedBelow } from "./tree.ts";
import { hasOtherNames } from "./trees.ts";

export interface Exposure {
  readonly why: string;
  /** The folders that are read, if hiding the denied files in them is enough. */
  readonly folders: readonly string[] | undefined;
  /** No such file is in the folders now. The sandbox still hides those that appear before the command starts. */
  readonly isEmpty?: boolean;
}

type FileRule = Extract<Rule, { type: "file" }>;

/** Rules that deny or ask about reading a file. */
export function keptFiles({ deny, ask, ordered }: RuleBook): FileRule[] {
  return [...deny, ...ask, ...ordered].filter(
    (rule): rule is FileRule => rule.type === "file" && rule.mode === "read" && rule.action !== "allow",
  );
}

interface Reading {
  readonly command: ShellCommand;
  readonly files: readonly CommandFile[];
}

/** Undefined if the command shows only the files that it names. */
export function exposureOf(
  { command, files }: Reading,
  kept: readonly FileRule[],
  { workspace }: Judge,
): Exposure | undefined {
  const { words } = command;
  const [first, ...rest] = words;
  if (kept.length === 0) return undefined;
  const input = command.redirects.find(
    (one) => one.type === "file" && one.mode !== "write" && isUnknownFile(one.target),
  );
  if (input?.type === "file")
    return { why: `${input.target.raw} is unknown until the command runs`, folders: undefined };
  if (first === undefined) return undefined;
  const name = baseName(first.value);
  if (name === "git" && showsContent(rest))
    return { why: "git can show any version of any file in the repository", folders: undefined };
  if (SHOW_FILES.has(name)) {
    const unknown = touchesOf(words).find(({ mode, word }) => mode === "read" && isUnknownFile(word));
    if (unknown !== undefined)
      return { why: `${unknown.word.raw} is unknown until the command runs`, folders: undefined };
  }
  const mentioned = mentionedFile(command, kept, workspace);
  if (mentioned !== undefined)
    return { why: `${name} gets ${mentioned.raw} as an argument`, folders: undefined };
  if (name.endsWith("awk") && rest.some(({ value }) => /\b(?:getline|ARGV|ARGC)\b/.test(value)))
    return { why: "the program opens files that its arguments do not name", folders: undefined };
  const list = rest.find(({ value }) => LISTS_FILES.test(value));
  if (list !== undefined) return { why: `${list.raw} takes file names from a list`, folders: undefined };
  if (INPUT_LISTS.test(name) && !rest.some(({ value }) => /^-[a-zA-Z]*[it]|^--(?:extract|list)/.test(value)))
    return { why: `${name} takes file names from its input`, folders: undefined };
  const twin = files.find(({ mode, faces }) => mode === "read" && mayBeDeniedTwin(faces, kept, workspace));
  if (twin !== undefined)
    return { why: `${twin.word.raw} could be a hard link to such a file`, folders: undefined };
  return ofRecursion(command, kept, workspace);
}

/** Whether this file has other hard links, and a denied file has too. */
export function mayBeDeniedTwin(
  faces: readonly string[],
  kept: readonly FileRule[],
  workspace: Workspace,
): boolean {
  if (kept.length === 0 || !hasOtherNames(faces, workspace)) return false;
  return deniedBelow(workspace.roots, kept, workspace).gap !== undefined;
}

/** Programs that print or copy the files they are given. */
const SHOW_FILES = new Set(
  (
    "cat head tail less more bat batcat nl od xxd hexdump hd strings base64 base32 sort uniq cut paste diff cmp comm tac " +
    "rev jq yq grep egrep fgrep zgrep rg awk gawk mawk sed zcat bzcat xzcat fold fmt pr column expand unexpand shuf " +
    "iconv look sdiff cp mv dd install basenc join diff3 ptx ul tsort gzip bzip2 xz zstd openssl curl hexyl"
  ).split(" "),
);

/** Options that take the names of files from another file. */
const LISTS_FILES = /^--?(?:files0?-from|files-from-stdin|names-stdin)(?:=|$)/;

/** Programs that read the names of the files they copy from their input. */
const INPUT_LISTS = /^(?:cpio|bsdcpio|pax|sftp|ftp|lftp)$/;

/** Unknown until it runs; the output of a substitution is judged by the commands in it. */
function isUnknownFile({ type, value, raw }: ShellWord): boolean {
  return (type === "dynamic" && !raw.startsWith("<(")) || value.includes("{}");
}

function ofRecursion(
  command: ShellCommand,
  kept: readonly FileRule[],
  workspace: Workspace,
): Exposure | undefined {
  const recursion = recursionOf(command.words);
  if (recursion?.shows !== "content") return undefined;
  const { roots, isHere, follows } = recursion;
  const { folders } = command;
  const why = "it reads a folder that could contain such a file";
  if (folders === undefined && (isHere || roots.some(({ value }) => !value.startsWith("/"))))
    return { why, folders: undefined };
  const starts = startsOf(command, recursion, workspace);
  const read = new Set(starts.flatMap((path) => readBelow(path, follows, workspace)));
  const reached = kept.filter((rule) => [...read].some((path) => mayMatchBelow(rule.pattern, path)));
  if (reached.length === 0) return undefined;
  const isHideable = reached.every(({ action }) => action === "deny");
  return {
    why,
    folders: isHideable ? [...read] : undefined,
    isEmpty: holdsNone([...read], reached, workspace),
  };
}

/** Whether these folders have files now, but none that a rule restricts. An empty folder is one that something fills. */
function holdsNone(folders: readonly string[], rules: readonly FileRule[], workspace: Workspace): boolean {
  const { look } = workspace;
  const isFilled = folders.every((folder) => {
    const entries = look.list(folder);
    return entries !== "too many" && entries !== undefined && entries.length > 0;
  });
  if (!isFilled) return false;
  const { paths, gap } = deniedBelow(folders, rules, workspace);
  return paths.length === 0 && gap === undefined;
}

/** Why a command that only reads does not stay in the workspace: it follows links, and one of them leads out. */
export function readProblem(command: ShellCommand, workspace: Workspace): string | undefined {
  const recursion = recursionOf(command.words);
  if (recursion?.follows !== true) return undefined;
  for (const path of startsOf(command, recursion, workspace)) {
    const led = followedBelow(path, workspace);
    if (led.type === "too many") return "follows links in a folder that has too many files to check";
    if (led.type === "outside") return `follows the link ${led.link}, which leads out of the workspace`;
  }
  return undefined;
}

function startsOf({ folders }: ShellCommand, { roots, isHere }: Recursion, workspace: Workspace): string[] {
  return [
    ...roots.flatMap((word) => pathsOf(word, folders, workspace)),
    ...(isHere ? (folders ?? []) : []),
  ].filter((path) => isFolder(path, workspace));
}

/** A path that does not exist could be a folder when the command runs. */
function isFolder(path: string, { look, realpath }: Workspace): boolean {
  const type = look.stat(realpath(path) ?? path)?.type;
  return type !== "file" && type !== "other";
}

function readBelow(path: string, follows: boolean, workspace: Workspace): string[] {
  const led = follows ? followedBelow(path, workspace) : undefined;
  return [...facesOf(path, workspace), ...(led?.type === "inside" ? led.folders : [])];
}

/** The number of workspace entries that are inspected for a command that reads no whole folder. */
const MAX_GLANCED = 2_000;

/**
 * Returns the files that the sandbox hides: every denied file below the folders that the command reads (throws if that
 * is impossible), and those denied files of the workspace that are found quickly, because a link can be replaced after
 * the verdict.
 */
export function hiddenFiles(
  folders: readonly string[],
  denies: readonly Rule[],
  workspace: Workspace,
): readonly string[] {
  if (denies.length === 0) return [];
  const read = deniedBelow(folders, denies, workspace.anew(MAX_ENTRIES));
  if (read.gap !== undefined)
    throw new Error(
      `Cannot hide the files that must not be read: ${read.gap}. Read fewer folders, or name the files.`,
    );
  const others = deniedBelow(workspace.roots, denies, workspace.anew(MAX_GLANCED));
  return [...new Set([...read.paths, ...others.paths])];
}
