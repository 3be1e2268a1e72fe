/**
 * Symbolic links that a sandboxed command leaves in a repository. Git writes to its logs, messages and index through
 * them, so git outside would write wherever the command wants. A link cannot be kept from being made, so new ones are
 * removed when the command has ended.
 */

import { type Dirent, readdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { looked } from "./sandbox-paths.ts";

/** Objects never change, and git writes none of them through a link. Only what holds them matters. */
const OBJECTS = "objects";
const MOST_NAMED = 5;

export class GitLinks {
  readonly #folders: readonly string[];
  readonly #before: ReadonlySet<string>;

  /** `folders` are those of repositories: `.git`. Links that are there already stay. */
  constructor(folders: readonly string[]) {
    this.#folders = folders;
    this.#before = new Set(folders.flatMap(linksIn));
  }

  /** Gives what the model should know. */
  removeNew(): string[] {
    const removed = this.#folders
      .flatMap(linksIn)
      .filter((path) => !this.#before.has(path) && looked(() => unlinkSync(path) ?? true) === true);
    if (removed.length === 0) return [];
    const rest = removed.length > MOST_NAMED ? ` and ${removed.length - MOST_NAMED} more` : "";
    const names = removed.slice(0, MOST_NAMED).join(", ");
    return [
      `(Symbolic links that the command created in the repository's folder were removed: ${names}${rest}.)`,
    ];
  }
}

function linksIn(git: string): string[] {
  return entriesIn(git).flatMap((entry) => linksAt(entry, entry.name === OBJECTS ? 1 : undefined));
}

/** Of the folders in a folder, as deep as `depth` says. */
function linksAt(entry: Dirent, depth = Number.POSITIVE_INFINITY): string[] {
  const path = join(entry.parentPath, entry.name);
  if (entry.isSymbolicLink()) return [path];
  if (!entry.isDirectory() || depth === 0) return [];
  return entriesIn(path).flatMap((inner) => linksAt(inner, depth - 1));
}

function entriesIn(folder: string): Dirent[] {
  return looked(() => readdirSync(folder, { withFileTypes: true })) ?? [];
}
