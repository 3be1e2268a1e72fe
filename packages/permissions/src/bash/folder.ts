/** Where a command runs: the folders that `cd` could have led to. */

import { placesOf } from "./links.ts";
import type { ShellAssignment, ShellScope, ShellWord } from "./script.ts";

export type Folders = readonly string[] | undefined;

const MAX_FOLDERS = 16;
const CHANGES = new Set(["cd", "pushd", "popd", "chdir"]);

/** Returns the folders after this command; unchanged if it does not change the folder. */
export function foldersAfter(words: readonly ShellWord[], before: Folders, scope: ShellScope): Folders {
  const at = words.findIndex(({ value }) => value !== "command" && value !== "builtin");
  const name = words[at]?.value;
  if (name === undefined || !CHANGES.has(name)) return before;
  const rest = words.slice(at + 1).filter(({ value }) => !/^(?:-[LPe@]+|--)$/.test(value));
  if (name === "popd" || rest.length > 1) return undefined;
  const target = rest[0];
  if (target === undefined) return name === "cd" ? [scope.home] : undefined;
  if (target.type !== "static" || /^[-+]/.test(target.value) || target.value === "") return undefined;
  // First by name, then by links with -P or if the name leads nowhere.
  const led = (folder: string): string[] => placesOf(target.value, folder, scope.realpath);
  const all = target.value.startsWith("/") ? led("/") : before?.flatMap(led);
  return all === undefined || all.length > MAX_FOLDERS ? undefined : [...new Set(all)];
}

/** Whether later commands `cd dir` could lead to a folder elsewhere: by `CDPATH`, or by options of the shell. */
export function searchesFolders(
  words: readonly ShellWord[],
  assignments: readonly ShellAssignment[],
): boolean {
  return (
    assignments.some(({ name }) => name === "CDPATH") ||
    words.some(({ value }) => /^(?:cdable_vars|cdspell|autocd|CDPATH)$|^CDPATH=/.test(value))
  );
}

export function unite(one: Folders, other: Folders): Folders {
  if (one === undefined || other === undefined) return undefined;
  const all = [...new Set([...one, ...other])];
  return all.length > MAX_FOLDERS ? undefined : all;
}

export function isSame(one: Folders, other: Folders): boolean {
  return one === other || (one !== undefined && one.join("\0") === other?.join("\0"));
}
