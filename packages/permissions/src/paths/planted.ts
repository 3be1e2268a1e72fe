/** Links that a command moves, copies or creates, and that another command of the same text could then go through. */

import { posix } from "node:path";
import { copiesOf } from "../bash/files.ts";
import { baseName } from "../bash/inner.ts";
import { maySay } from "../bash/options.ts";
import { recursionOf } from "../bash/recursion.ts";
import type { ShellCommand, ShellWord } from "../bash/script.ts";
import { nameInside } from "../bash/written.ts";
import { type CommandFile, pathsOf } from "./command-files.ts";
import { printable } from "../verdict/file-tools.ts";
import { isInside, resolveThrough, type Workspace } from "./paths.ts";
import { takesTrees } from "./trees.ts";

/** What is at `origin` now will be at `target`. */
interface Plant {
  readonly by: ShellCommand;
  readonly target: string;
  /** Undefined if it is unknown. */
  readonly origin: string | undefined;
  /** `target` is the folder that it is moved into. */
  readonly isInside: boolean;
}

/** The maximum number of steps from a path back to its origin; beyond it, the origin is unknown. */
const MAX_STEPS = 500;
const MAX_PLANTS = 200;
/** The maximum number of `..` steps that are followed in one path. */
const MAX_LEFT = 32;

export function plantsOf(commands: readonly ShellCommand[], workspace: Workspace): Plant[] {
  const plants: Plant[] = [];
  for (const by of commands) {
    const makesLinks = isLinker(by.words);
    for (const { source, target } of copiesOf(by.words)) {
      if (plants.length >= MAX_PLANTS)
        return [...plants, { by, target: "/", origin: undefined, isInside: true }];
      const paths = (word: ShellWord): string[] => pathsOf(word, by.folders, workspace);
      const known = makesLinks ? [undefined] : originsOf(source, paths);
      const folders = paths({ ...target, type: "static" });
      plants.push(
        ...known.flatMap((origin) =>
          folders.flatMap((folder) => plant({ by, source, target }, folder, origin)),
        ),
      );
    }
  }
  return plants;
}

/** `ln`, `link`, `cp -l`, `cp --symbolic-link`. */
function isLinker([first, ...rest]: readonly ShellWord[]): boolean {
  const name = baseName(first?.value ?? "");
  const isAsked = rest.some(
    ({ value }) => /^-[a-zA-Z]*[ls]/.test(value) || maySay(value, ["link", "symbolic-link"]),
  );
  return name === "ln" || name === "link" || (name === "cp" && isAsked);
}

function originsOf(source: ShellWord, paths: (word: ShellWord) => string[]): (string | undefined)[] {
  const [folder, name] = [posix.dirname(source.value), posix.basename(source.value)];
  if (source.type === "static") return paths(source);
  // All matching names are in this folder.
  return source.type === "glob" && !/[*?[]/.test(folder) && !/\.\./.test(name)
    ? paths({ ...source, type: "static", value: folder })
    : [undefined];
}

interface Copied {
  readonly by: ShellCommand;
  readonly source: ShellWord;
  readonly target: ShellWord;
}

function plant({ by, source, target }: Copied, folder: string, origin: string | undefined): Plant[] {
  const isFolder = /(?:^|\/)\.{0,2}$/.test(target.value);
  const named = { by, target: folder, isInside: false };
  if (source.type !== "static")
    return isFolder ? [{ ...named, origin, isInside: true }] : [{ ...named, origin: undefined }];
  const inside = posix.join(folder, posix.basename(nameInside(source, target)));
  return [...(isFolder ? [] : [{ ...named, origin }]), { by, target: inside, origin, isInside: false }];
}

interface Around {
  /** Created by other commands, or by this one if it runs more than once. */
  readonly plants: readonly Plant[];
  readonly workspace: Workspace;
}

/** Why this command could go through such a link; undefined if it cannot. */
export function unsurePlace(
  command: ShellCommand,
  files: readonly CommandFile[],
  around: Around,
): string | undefined {
  if (around.plants.length === 0) return undefined;
  const what = linkedWord(command, files, around) ?? walkedWord(command, around);
  return what === undefined
    ? undefined
    : `${printable(what)} could be reached through a link that the command creates.`;
}

function linkedWord(
  command: ShellCommand,
  files: readonly CommandFile[],
  around: Around,
): string | undefined {
  const folders = command.moved ? (command.folders ?? []) : [];
  const isUnsure = (path: string): boolean => mayBeLink(path, around);
  const targets = command.redirects.flatMap((one) => (one.type === "file" ? [one.target] : []));
  const crossed = [...command.words, ...targets].find((word) => {
    const left = foldersLeft(word.value);
    return (
      left.length > MAX_LEFT ||
      left.some((value) => pathsOf({ ...word, value }, command.folders, around.workspace).some(isUnsure))
    );
  });
  return files.find(({ path }) => isUnsure(path))?.word.raw ?? crossed?.raw ?? folders.find(isUnsure);
}

/** Finds a pattern, a copied folder or a recursive reader that could reach what another command put there. */
function walkedWord({ words, folders }: ShellCommand, { plants, workspace }: Around): string | undefined {
  const recursion = recursionOf(words);
  const follows = recursion?.follows === true;
  const trees = takesTrees(words) ? copiesOf(words).map(({ source }) => source) : [];
  const isWalked = (word: ShellWord): boolean =>
    word.type === "glob" || (follows && recursion.roots.includes(word)) || trees.includes(word);
  const here = follows && recursion.isHere ? [{ raw: "The folder", paths: folders ?? [workspace.cwd] }] : [];
  const walked = words.slice(1).filter(isWalked);
  const all = [
    ...here,
    ...walked.map((word) => ({
      raw: word.raw,
      paths: pathsOf({ ...word, value: beforePattern(word) }, folders, workspace),
    })),
  ];
  return all.find(({ paths }) => paths.some((path) => meetsPlant(path, { plants, workspace })))?.raw;
}

/** The folder that a pattern starts in. */
function beforePattern({ type, value }: ShellWord): string {
  if (type !== "glob") return value;
  const names = value.split("/");
  const before = names
    .slice(
      0,
      names.findIndex((name) => /[*?[]/.test(name)),
    )
    .join("/");
  return before === "" ? (value.startsWith("/") ? "/" : ".") : before;
}

function meetsPlant(path: string, { plants, workspace }: Around): boolean {
  return plants.some(({ target, origin }) => {
    if (!isInside(target, path) && !isInside(path, target)) return false;
    if (origin === undefined) return true;
    const found = workspace.look.stat(origin)?.type;
    return found === "link" || found === "folder";
  });
}

/** The folders that a path enters and leaves again: `a/b` in `a/b/../c`. */
function foldersLeft(path: string): string[] {
  return [...path.matchAll(/\/\.\.(?=\/|$)/g)].map(({ index }) => path.slice(0, index));
}

function mayBeLink(start: string, { plants, workspace }: Around): boolean {
  const paths = new Set([start]);
  let steps = 0;
  for (const path of paths)
    for (const one of plants) {
      if (!isInside(path, one.target) || (one.isInside && path === one.target)) continue;
      if (one.origin === undefined || ++steps > MAX_STEPS) return true;
      const before = posix.join(one.origin, path.slice(one.target.length));
      if (isLinked(before, one.isInside ? one.origin : posix.dirname(one.origin), workspace)) return true;
      paths.add(before);
    }
  return false;
}

/** Whether there is a link between this folder and the path. */
function isLinked(path: string, folder: string, { realpath }: Workspace): boolean {
  const real = resolveThrough(folder, realpath);
  return resolveThrough(path, realpath) !== posix.join(real, path.slice(folder.length));
}
