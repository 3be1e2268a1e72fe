/** Whether names that differ only in case are the same file, as on a mounted Windows disk. */

import { posix } from "node:path";
import type { Files } from "./disk.ts";

/** Names that most workspaces have, so that the folder need not be listed. */
const USUAL = [
  ".git",
  "package.json",
  "README.md",
  "src",
  "Makefile",
  "pyproject.toml",
  "go.mod",
  "Cargo.toml",
];

/** Looks up a file in the folder, or the folder itself, by a name in other letters. */
export function ignoresCaseAt(folder: string, files: Files): boolean {
  return [...USUAL.map((name) => posix.join(folder, name)), folder].some((path) => {
    const other = posix.join(posix.dirname(path), swapped(posix.basename(path)));
    const found = other === path ? undefined : files.stat(path);
    return found !== undefined && found.type !== "link" && files.stat(other)?.id === found.id;
  });
}

function swapped(name: string): string {
  const lower = name.toLowerCase();
  return lower === name ? name.toUpperCase() : lower;
}
