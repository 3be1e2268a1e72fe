/** The files that a command visibly touches, as paths that rules and protected places can be checked against. */

import { posix } from "node:path";
import { type Touch, touchesOf } from "../bash/files.ts";
import { baseName } from "../bash/inner.ts";
import { looselyWritten } from "../bash/loosely-written.ts";
import { looking } from "../bash/read-only.ts";
import { placesOf } from "../bash/links.ts";
import type { ShellCommand, ShellWord } from "../bash/script.ts";
import { compileName, matchesName } from "../rules/gitignore.ts";
import type { FileAccess } from "../verdict/judge.ts";
import { facesOf, isInWorkspace, type Workspace } from "./paths.ts";
import { linkedFaces, mayBeProtected, type Protected, protectedPlace } from "./protected.ts";

/** Descriptors and the like: no file is touched. */
const FREE = /^\/dev\/(?:null|stdin|stdout|stderr|fd\/\d+)$/;

export interface CommandFile extends FileAccess {
  readonly word: ShellWord;
  readonly path: string;
  readonly removes: boolean;
  /** It is probably written, by an option or an operand that has this meaning in many programs. */
  readonly isLikely?: boolean;
}

export function filesOf(command: ShellCommand, workspace: Workspace): CommandFile[] {
  const redirected = command.redirects.flatMap((redirect): Touch[] => {
    if (redirect.type === "descriptor") return [];
    const modes = redirect.mode === "both" ? (["read", "write"] as const) : [redirect.mode];
    return modes.map((mode) => ({ mode, word: redirect.target, removes: false }));
  });
  // Changing the folder does not show what is in it.
  const isMove = command.words[0]?.value === "cd";
  const looked = isMove ? [] : (looking(command.words, "confined")?.reads ?? []);
  const read = looked.map((word): Touch => ({ mode: "read", word, removes: false }));
  const folders = foldersOf(command, workspace);
  const filesAt = ({ mode, word, removes }: Touch): CommandFile[] =>
    pathsOf(word, folders, workspace)
      .filter((path) => !FREE.test(path))
      .map((path) => ({ mode, word, removes, path, faces: facesFor(mode, path, workspace) }));
  return [
    ...[...touchesOf(command.words), ...read, ...redirected].flatMap(filesAt),
    ...likelyWrites(command).flatMap((touch) => filesAt(touch).map((file) => ({ ...file, isLikely: true }))),
  ];
}

function likelyWrites({ words: [first, ...rest] }: ShellCommand): Touch[] {
  if (first?.type !== "static") return [];
  return looselyWritten(baseName(first.value), rest).map((word) => ({ mode: "write", word, removes: false }));
}

/** The folders that the words of a command are relative to: for `git -C dir`, that folder. */
function foldersOf({ words, folders }: ShellCommand, { realpath }: Workspace): readonly string[] | undefined {
  const [first, option, folder] = words;
  if (baseName(first?.value ?? "") !== "git" || option?.value !== "-C" || folder === undefined)
    return folders;
  return folder.type === "static"
    ? folders?.flatMap((from) => placesOf(folder.value, from, realpath))
    : undefined;
}

/** For a write, also the names by which a protected place knows the file. */
export function facesFor(mode: FileAccess["mode"], path: string, workspace: Workspace): string[] {
  const faces = facesOf(path, workspace);
  return mode === "read" ? faces : [...faces, ...linkedFaces(faces, workspace)];
}

/** Returns the paths that a word can mean; if the folder is unknown, relative to the working directory. */
export function pathsOf(
  word: ShellWord,
  folders: readonly string[] | undefined,
  { cwd, realpath }: Pick<Workspace, "cwd" | "realpath">,
): string[] {
  if (word.value === "-" || word.value === "") return [];
  const value = word.type === "glob" ? upwards(word.value) : word.value;
  return [...new Set((folders ?? [cwd]).flatMap((folder) => placesOf(value, folder, realpath)))];
}

/** In older shells, `.*` matches `..`. */
function upwards(pattern: string): string {
  return pattern
    .split("/")
    .map((name) =>
      name.startsWith(".") && /[*?[]/.test(name) && matchesName(compileName(name), "..") ? ".." : name,
    )
    .join("/");
}

/** Whether each of these words is certainly inside the workspace. */
export function areInWorkspace(
  words: readonly ShellWord[],
  folders: readonly string[] | undefined,
  workspace: Workspace,
): boolean {
  return words.every((word) => {
    if (word.type === "dynamic" || (folders === undefined && !word.value.startsWith("/"))) return false;
    if (/^(?:\\\\|\/\/)/.test(word.value)) return false;
    return pathsOf(word, folders, workspace).every(
      (path) => FREE.test(path) || isInWorkspace(facesOf(path, workspace), workspace),
    );
  });
}

export function runsInWorkspace(folders: readonly string[] | undefined, workspace: Workspace): boolean {
  return folders?.every((folder) => isInWorkspace(facesOf(folder, workspace), workspace)) === true;
}

/**
 * Returns the protected place that a command visibly writes to. Removing something from node_modules does not count.
 */
export function writesProtected(files: readonly CommandFile[]): Protected | undefined {
  for (const { mode, faces, removes, word } of files) {
    if (mode !== "write") continue;
    for (const face of faces) {
      const found = protectedPlace(face) ?? (word.type === "glob" ? mayBeProtected(word.value) : undefined);
      if (found !== undefined && !(removes && found.place === "node_modules")) return found;
    }
  }
  return undefined;
}

/** Whether the target of a redirection is not a file. */
export function isFree(word: ShellWord): boolean {
  return word.type === "static" && FREE.test(posix.normalize(word.value));
}
