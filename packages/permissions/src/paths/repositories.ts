/** Whether git would find another repository than that of the workspace, with settings that nobody has trusted. */

import { posix } from "node:path";
import { isInside, type Workspace } from "./paths.ts";

/** Whether a folder between the working directory and the workspace's root is a repository. */
export function isOtherRepository({ cwd, roots, look }: Workspace): boolean {
  const root = roots
    .filter((one) => isInside(cwd, one))
    .toSorted((one, other) => other.length - one.length)[0];
  if (root === undefined) return false;
  const folders: string[] = [];
  for (let at = cwd; at !== root; at = posix.dirname(at)) folders.push(at);
  return folders.some((folder) => isRepository(folder, look));
}

function isRepository(folder: string, look: Workspace["look"]): boolean {
  const has = (name: string): boolean => look.stat(posix.join(folder, name)) !== undefined;
  return has(".git") || (has("HEAD") && (has("config") || has("commondir") || has("objects")));
}
