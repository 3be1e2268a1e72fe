/** Other names of files that rules deny: hard links, which a path pattern does not match. */

import type { Rule } from "../rules/rule.ts";
import { MAX_ENTRIES } from "./disk.ts";
import type { Workspace } from "./paths.ts";
import { deniedBelow, entriesBelow } from "./tree.ts";

/** A search asks about thousands of files, and the denied ones rarely change meanwhile. */
const KNOWN_MS = 1_000;
/** In a larger denied folder, files are not checked for other hard links. */
const MAX_CHECKED = 2_000;

/** Returns whether a file in the workspace is a hard link to a denied one. */
export class Twins {
  readonly #denies: readonly Rule[];
  #known: { readonly at: number; readonly ids: ReadonlySet<string> } | undefined;

  constructor(denies: readonly Rule[]) {
    this.#denies = denies.filter(({ type }) => type === "file");
  }

  has(path: string, workspace: Workspace): boolean {
    if (this.#denies.length === 0) return false;
    const found = workspace.anew(1).look.stat(path);
    return found?.type === "file" && found.links > 1 && this.#ids(workspace).has(found.id);
  }

  #ids(workspace: Workspace): ReadonlySet<string> {
    const now = performance.now();
    if (this.#known === undefined || now - this.#known.at > KNOWN_MS)
      this.#known = { at: now, ids: linkedIds(this.#denies, workspace.anew(MAX_ENTRIES)) };
    return this.#known.ids;
  }
}

function linkedIds(denies: readonly Rule[], workspace: Workspace): Set<string> {
  const ids = new Set<string>();
  const { paths } = deniedBelow(workspace.roots, denies, workspace);
  for (const path of paths)
    for (const file of [path, ...filesIn(path, workspace)]) {
      const found = workspace.look.stat(file);
      if (found?.type === "file" && found.links > 1) ids.add(found.id);
    }
  return ids;
}

function filesIn(path: string, workspace: Workspace): string[] {
  if (workspace.look.stat(path)?.type !== "folder") return [];
  const entries = entriesBelow(path, workspace.anew(MAX_CHECKED)) ?? [];
  return entries.flatMap((entry) => (entry.type === "file" ? [entry.path] : []));
}
