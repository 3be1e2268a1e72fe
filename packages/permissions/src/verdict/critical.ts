/**
 * Removals that are almost certainly mistakes: `/`, its folders, the home folder, the working directory and its
 * parents.
 */

import { baseName } from "../bash/inner.ts";
import { placesOf } from "../bash/links.ts";
import type { ShellCommand, ShellWord } from "../bash/script.ts";
import { isInside, resolveThrough, type Workspace } from "../paths/paths.ts";

/** Describes the critical removal in this command; undefined if there is none. */
export function criticalRemoval({ words, folders }: ShellCommand, workspace: Workspace): string | undefined {
  const [first, ...rest] = words;
  const name = first === undefined ? "" : baseName(first.value);
  if (name === "find") return criticalFind(rest, folders, workspace);
  if (name !== "rm" && name !== "rmdir") return undefined;
  const end = rest.findIndex(({ value }) => value === "--");
  const options = end < 0 ? rest : rest.slice(0, end);
  const isRecursive = options.some(({ value, splits }) => splits || /^(?:-[a-zA-Z]*[rR]|--r)/.test(value));
  const targets = rest.filter((word, at) => (end >= 0 && at > end) || !word.value.startsWith("-"));
  return targets
    .map((word) => criticalTarget(word, { isRecursive, folders }, workspace))
    .find((why) => why !== undefined);
}

interface Where {
  readonly isRecursive: boolean;
  readonly folders: readonly string[] | undefined;
}

function criticalTarget(
  word: ShellWord,
  { isRecursive, folders }: Where,
  workspace: Workspace,
): string | undefined {
  const { value, type } = word;
  if (type === "dynamic") {
    if (isRecursive || /^[^/]*\/(?:\*|\.\*)?$/.test(value.replace(/^["']|["']$/g, "")))
      return `it removes ${word.raw}, whose value is unknown`;
    return undefined;
  }
  const isRelative = !value.startsWith("/");
  if (isRelative && folders === undefined)
    return isRecursive ? `it removes ${word.raw} in an unknown folder` : undefined;
  // `folder/*` means everything in the folder.
  const whole =
    type === "glob" ? value.replace(/(?:^|\/)(?:\*|\.\*|\.\?\*|\.\[!\.\]\*|\*\*|\*\.\*|\/)+$/, "") : value;
  const path = whole === "" && !isRelative ? "/" : whole;
  if (type === "glob" && whole === value && !/^\/[^/]*$/.test(value)) return undefined;
  const targets = (folders ?? ["/"]).flatMap((folder) => placesOf(path, folder, workspace.realpath));
  return targets.some((target) => isCritical(target, workspace)) ? `it removes ${word.raw}` : undefined;
}

function isCritical(target: string, { cwd, home, roots, realpath }: Workspace): boolean {
  return [target, resolveThrough(target, realpath)].some(
    (face) =>
      /^\/[^/]*$/.test(face) ||
      isInside(home, face) ||
      isInside(cwd, face) ||
      roots.some((root) => isInside(root, face)),
  );
}

/** `find / -delete` removes files too. */
function criticalFind(
  words: readonly ShellWord[],
  folders: Where["folders"],
  workspace: Workspace,
): string | undefined {
  if (!words.some(({ value }) => value === "-delete")) return undefined;
  const starts = words.slice(
    0,
    words.findIndex(({ value }) => /^[-(!]/.test(value)),
  );
  const isFiltered = words.some(({ value }) =>
    /^-(?:i?name|i?path|i?regex|[mac]time|newer|empty|size|user|type)$/.test(value),
  );
  if (isFiltered) return undefined;
  return starts
    .map((word) => criticalTarget(word, { isRecursive: true, folders }, workspace))
    .find((why) => why !== undefined);
}
