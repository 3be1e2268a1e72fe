/** Copies of the workspace, such as the git worktrees of sub-agents. The rules about a file apply to its copies. */

import { isInside } from "./paths.ts";

/** A folder that contains the same files as a folder of the workspace. */
export interface WorkspaceCopy {
  /** The absolute path of the copy, without symbolic links. */
  readonly path: string;
  /** The absolute path of the folder that it is a copy of. */
  readonly of: string;
}

/** Returns the path and, if it is in a copy, the paths that it is a copy of; the last one is in no copy. */
export function withOriginals(path: string, copies: readonly WorkspaceCopy[]): readonly string[] {
  const found = [path];
  // A copy can be made of a copy. Each is used once, so that copies of each other do not make this endless.
  const left = new Set(copies);
  for (const one of found)
    for (const copy of left)
      if (isInside(one, copy.path)) {
        left.delete(copy);
        found.push(copy.of + one.slice(copy.path.length));
      }
  return found;
}

/** Like {@link withOriginals}, for what can be below a folder: a folder around a copy contains the copied files too. */
export function withOriginalsBelow(folder: string, copies: readonly WorkspaceCopy[]): readonly string[] {
  const inside = copies.flatMap(({ path, of }) => (path !== folder && isInside(path, folder) ? [of] : []));
  return [...withOriginals(folder, copies), ...inside];
}
