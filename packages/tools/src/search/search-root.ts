/** The root of a search: its claims, the pinned folder that it runs in, and how found files are named. */

import { basename, dirname, join } from "node:path";
import type { Claim } from "@runahead/engine";
import { type Target, claimFile, judgedPath, targetOf } from "../files/file-path.ts";
import { missingFile } from "../files/nearest.ts";
import { type Pin, withPin } from "../files/pin.ts";
import { Refusal, fileFailure } from "../shared/refusal.ts";

export interface SearchRoot {
  /** The folder that permission was granted for. */
  readonly folder: string;
  /** A path to the same folder that stays valid if it is renamed. */
  readonly cwd: string;
  /** The file to search, if `path` names a file. */
  readonly file: string | undefined;
  /** Returns the path by which a model can read a found file. */
  readonly nameOf: (found: string) => string;
}

export interface SearchInput {
  readonly path?: string | undefined;
}

export const IGNORE_FILES = [".gitignore", ".ignore", ".rgignore"];

/** Claims the tree and the ignore files above it, which ripgrep reads too. */
export function claimTree(input: SearchInput, cwd: string): Claim[] {
  const target = rootTarget(input, cwd);
  const above: Claim[] = [];
  for (let folder = dirname(target.path); ; folder = dirname(folder)) {
    for (const name of IGNORE_FILES) above.push({ mode: "read", place: `fs:${join(folder, name)}` });
    if (folder === dirname(folder)) break;
  }
  return [...claimFile(input, target, { mode: "read", suggests: true }), ...above];
}

/** Runs a search in the folder that permission was granted for, which stays pinned meanwhile. */
export async function withSearchRoot<Value extends object>(
  input: SearchInput,
  cwd: string,
  job: (root: SearchRoot) => Promise<Value>,
): Promise<Value> {
  const target = rootTarget(input, cwd);
  const path = judgedPath(input, target);
  const searched = await withPin(path, "searched", (pinned) => searchIn(target, pinned, job)).catch(
    (error: unknown) => {
      throw fileFailure(error, `search ${path}`);
    },
  );
  if (searched === undefined) throw await missingFile(input, target, path);
  return searched;
}

async function searchIn<Value extends object>(
  target: Target,
  { path, stats, fixed }: Pin,
  job: (root: SearchRoot) => Promise<Value>,
): Promise<Value | undefined> {
  const shown = target.isRelative ? target.named : target.path;
  if (stats.isDirectory())
    return job({ folder: path, cwd: fixed, file: undefined, nameOf: (found) => join(shown, found) });
  if (!stats.isFile())
    throw new Refusal(`Cannot search ${target.named}: it is neither a directory nor a regular file.`);
  return withPin(dirname(path), "searched", (folder) =>
    job({
      folder: folder.path,
      cwd: folder.fixed,
      file: `./${basename(path)}`,
      nameOf: () => join(shown),
    }),
  );
}

export function rootTarget({ path }: SearchInput, cwd: string): Target {
  return targetOf(path === undefined || path === "" ? "." : path, cwd);
}
