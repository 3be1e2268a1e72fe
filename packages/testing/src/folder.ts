/** Copies of a folder, and what changed in one. */

import { createHash } from "node:crypto";
import { cp, lstat, mkdtemp, readFile, readdir, readlink, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Every path in a folder with its content. */
export type Content = ReadonlyMap<string, string>;

/** Runs a job in a copy of a folder, then removes it. An undefined folder is an empty one. */
export async function inCopy<Value>(
  folder: string | undefined,
  job: (copy: string) => Promise<Value>,
): Promise<Value> {
  const copy = await realpath(await mkdtemp(join(tmpdir(), "runahead-simulate-")));
  try {
    if (folder !== undefined) await cp(folder, copy, { recursive: true, verbatimSymlinks: true });
    return await job(copy);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

export async function contentOf(folder: string): Promise<Content> {
  const found = new Map<string, string>();
  await collect(folder, "", found);
  return found;
}

async function collect(folder: string, inner: string, found: Map<string, string>): Promise<void> {
  for (const name of (await readdir(join(folder, inner))).toSorted()) {
    const path = join(inner, name);
    const stats = await lstat(join(folder, path));
    if (stats.isDirectory()) {
      found.set(path, "folder");
      await collect(folder, path, found);
    } else found.set(path, `${stats.mode} ${await textAt(join(folder, path), stats.isSymbolicLink())}`);
  }
}

async function textAt(path: string, isLink: boolean): Promise<string> {
  if (isLink) return `link to ${await readlink(path)}`;
  return createHash("sha256")
    .update(await readFile(path))
    .digest("hex");
}

/** The paths that differ. */
export function changedPaths(before: Content, after: Content): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).toSorted();
}
