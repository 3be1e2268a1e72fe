/** Links that a command moves, copies or makes, and that another command of the same text may then go through. */

import { posix } from "node:path";
import { copiesOf, nameInside } from "../shell/files.ts";
import { baseName } from "../shell/inner.ts";
import type { ShellCommand, ShellWord } from "../shell/script.ts";
import { type CommandFile, pathsOf } from "./command-files.ts";
import { isInside, resolveThrough, type Workspace } from "./paths.ts";

/** What will be at `target` is what is at `origin` now. */
interface Plant {
  readonly by: ShellCommand;
  readonly target: string;
  /** Undefined where it is not known. */
  readonly origin: string | undefined;
  /** `target` is the folder that it comes into. */
  readonly isInside: boolean;
}

/** From a path to where it came from; above this, nobody knows. */
const MAX_STEPS = 500;
const MAX_PLANTS = 200;
/** Of folders that one path leaves; nobody needs more. */
const MAX_LEFT = 32;

export function plantsOf(commands: readonly ShellCommand[], workspace: Workspace): Plant[] {
  const plants: Plant[] = [];
  for (const by of commands) {
    const makesLinks = baseName(by.words[0]?.value ?? "") === "ln";
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

function originsOf(source: ShellWord, paths: (word: ShellWord) => string[]): (string | undefined)[] {
  const [folder, name] = [posix.dirname(source.value), posix.basename(source.value)];
  if (source.type === "static") return paths(source);
  // Each of the names comes from this folder.
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
  readonly plants: readonly Plant[];
  readonly workspace: Workspace;
}

/** What of this command may be behind such a link; undefined where nothing may. */
export function unsurePlace(
  command: ShellCommand,
  files: readonly CommandFile[],
  { plants, workspace }: Around,
): string | undefined {
  const others = plants.filter(({ by }) => by !== command || command.isRepeated);
  if (others.length === 0) return undefined;
  const folders = command.moved ? (command.folders ?? []) : [];
  const isUnsure = (path: string): boolean => mayBeLink(path, { plants: others, workspace });
  const targets = command.redirects.flatMap((one) => (one.type === "file" ? [one.target] : []));
  const crossed = [...command.words, ...targets].find((word) => {
    const left = foldersLeft(word.value);
    return (
      left.length > MAX_LEFT ||
      left.some((value) => pathsOf({ ...word, value }, command.folders, workspace).some(isUnsure))
    );
  });
  return files.find(({ path }) => isUnsure(path))?.word.raw ?? crossed?.raw ?? folders.find(isUnsure);
}

/** The folders that a path goes through and leaves again: `a/b` of `a/b/../c`. */
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
