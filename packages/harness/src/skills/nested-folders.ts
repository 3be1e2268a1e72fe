/** Folders with skills inside of a project, which are found when the agent works with a file near them. */

import { lstat, stat } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { skillFolders } from "../definitions/prompt-files.ts";
import type { DefinitionFolder } from "../settings/agents.ts";
import { isOutside } from "../instructions/collector.ts";

export class NestedFolders {
  readonly #root: string;
  readonly #found: DefinitionFolder[] = [];
  /** Folders that were looked at, and whether the way leads on. */
  readonly #visited = new Map<string, boolean>();
  #seen = 0;

  /** Folders whose skills are used anyway are left out. */
  constructor(root: string, known: readonly string[]) {
    this.#root = root;
    for (const folder of known) this.#visited.set(folder, true);
  }

  /** All that were found so far. */
  get folders(): readonly DefinitionFolder[] {
    return this.#found;
  }

  /** Looks near the files that are new in this list, which only grows. Returns whether folders were found. */
  async look(files: readonly string[]): Promise<boolean> {
    const before = this.#found.length;
    const added = files.slice(this.#seen);
    this.#seen = files.length;
    for (const file of added) if (!isOutside(this.#root, file)) await this.#visit(dirname(file));
    return this.#found.length > before;
  }

  async #visit(folder: string): Promise<boolean> {
    const known = this.#visited.get(folder);
    if (known !== undefined) return known;
    const leads = folder !== this.#root && (await this.#visit(dirname(folder))) && (await isOwn(folder));
    this.#visited.set(folder, leads);
    if (!leads) return false;
    for (const path of skillFolders(folder))
      if ((await stat(path).catch(() => undefined))?.isDirectory() === true)
        this.#found.push({ path, prefix: "", ifTaken: `${relative(this.#root, folder)}:` });
    return true;
  }
}

/** Packages and other repositories are not part of the folder that the user trusts. */
async function isOwn(folder: string): Promise<boolean> {
  if (basename(folder) === "node_modules") return false;
  return (await lstat(join(folder, ".git")).catch(() => undefined)) === undefined;
}
