/** Patterns in lists of paths: what they stand for when a command starts. */

import { type Dirent, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { globPattern } from "../search/glob-pattern.ts";
import { Refusal } from "../shared/refusal.ts";
import { looked } from "./sandbox-paths.ts";

/** A list that cannot be completed must not be used: something would stay readable that should be hidden. */
const MOST_ENTRIES = 100_000;
/** Folders with code of others, where a pattern for any depth does not look. */
const SKIPPED = new Set([".git", "node_modules"]);

/** Returns the absolute paths, with each pattern replaced by the paths that match it now. */
export function matchingPaths(paths: readonly string[]): string[] {
  return paths.flatMap((path) => (isPattern(path) ? found(path) : [path]));
}

function isPattern(path: string): boolean {
  return /[*?]|\[[^/]*\]/.test(path);
}

function found(path: string): string[] {
  const names = path.split("/");
  const first = names.findIndex(isPattern);
  const root = names.slice(0, first).join("/") || "/";
  const rest = names.slice(first);
  const { matches } = globPattern(rest.join("/"));
  const isDeep = rest.some((name) => name.includes("**"));
  const search: Search = {
    root,
    matches,
    depth: isDeep ? Number.POSITIVE_INFINITY : rest.length,
    left: MOST_ENTRIES,
  };
  // `globPattern` looks at any depth for a name without a slash; a path means its own folder.
  const all = below(search, root, 1, path);
  return rest.length === 1 && !isDeep ? all.filter((one) => !relative(root, one).includes("/")) : all;
}

interface Search {
  readonly root: string;
  readonly matches: (path: string) => boolean;
  readonly depth: number;
  left: number;
}

function below(search: Search, folder: string, depth: number, pattern: string): string[] {
  const entries: Dirent[] = looked(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  search.left -= entries.length;
  if (search.left < 0)
    throw new Refusal(
      `Not run: the pattern ${pattern} in the sandbox settings covers more than ${MOST_ENTRIES} files. Ask the user to name a folder instead.`,
    );
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (search.matches(relative(search.root, path))) return [path];
    const isEntered = entry.isDirectory() && depth < search.depth && !SKIPPED.has(entry.name);
    return isEntered ? below(search, path, depth + 1, pattern) : [];
  });
}
