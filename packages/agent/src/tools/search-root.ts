/** Where a search begins: what it claims, what it is run on, and how the files in it are named. */

import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Claim } from "@runahead/engine";
import { type Target, claimFile, judgedPath, targetOf } from "./file-path.ts";
import { missingFile } from "./nearest.ts";
import { Refusal, fileFailure, ifThere } from "./refusal.ts";

export interface SearchRoot {
  /** The folder to run in. */
  readonly folder: string;
  /** The file to search, if it is only one. */
  readonly file: string | undefined;
  /** The name by which a model can read a file that was found. */
  readonly nameOf: (found: string) => string;
}

export interface SearchInput {
  readonly path?: string | undefined;
}

const IGNORE_FILES = [".gitignore", ".ignore", ".rgignore"];

/** The tree, and the files above it that say what in it is ignored. */
export function claimTree(input: SearchInput, cwd: string): Claim[] {
  const target = rootTarget(input, cwd);
  const above: Claim[] = [];
  for (let folder = dirname(target.path); ; folder = dirname(folder)) {
    for (const name of IGNORE_FILES) above.push({ mode: "read", place: `fs:${join(folder, name)}` });
    if (folder === dirname(folder)) break;
  }
  return [...claimFile(input, target, { mode: "read", suggests: true }), ...above];
}

export async function searchRoot(input: SearchInput, cwd: string): Promise<SearchRoot> {
  const target = rootTarget(input, cwd);
  const path = judgedPath(input, target);
  const stats = await ifThere(stat(path)).catch((error: unknown) => {
    throw fileFailure(error, `search ${path}`);
  });
  if (stats === undefined) throw await missingFile(input, target);
  if (!stats.isDirectory() && !stats.isFile())
    throw new Refusal(`${target.named} is neither a directory nor a file: it cannot be searched.`);
  const shown = target.isRelative ? target.named : target.path;
  if (stats.isDirectory()) return { folder: path, file: undefined, nameOf: (found) => join(shown, found) };
  return { folder: dirname(path), file: `./${basename(path)}`, nameOf: () => join(shown) };
}

function rootTarget({ path }: SearchInput, cwd: string): Target {
  return targetOf(path === undefined || path === "" ? "." : path, cwd);
}
