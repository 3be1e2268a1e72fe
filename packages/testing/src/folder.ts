/** Copies of a folder, and what changed in one. */

import { createHash } from "node:crypto";
import type { Stats } from "node:fs";
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
    if (folder !== undefined)
      await cp(folder, copy, { recursive: true, verbatimSymlinks: true, filter: canBeCopied });
    return await job(copy);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** Sockets, pipes and devices belong to the programs that use them. */
async function canBeCopied(path: string): Promise<boolean> {
  const stats = await lstat(path);
  return stats.isDirectory() || stats.isFile() || stats.isSymbolicLink();
}

export async function contentOf(folder: string): Promise<Content> {
  const found = new Map<string, string>();
  await collect(folder, "", found);
  return found;
}

async function collect(folder: string, inner: string, found: Map<string, string>): Promise<void> {
  for (const name of (await readdir(join(folder, inner))).toSorted()) {
    const path = join(inner, name);
    const stats = await lstat(join(folder, path)).catch(unlessGone);
    // Something that a call left running has deleted it.
    if (stats === undefined) continue;
    if (stats.isDirectory()) {
      found.set(path, FOLDER);
      await collect(folder, path, found);
    } else found.set(path, `${stats.mode} ${await textAt(join(folder, path), stats)}`);
  }
}

const FOLDER = "folder";
const LINK = "link to ";

/** Whether an entry of a folder's content is a folder. */
export function isFolder(content: string | undefined): boolean {
  return content === FOLDER;
}

/** Whether an entry of a folder's content is a symbolic link. */
export function isLink(content: string | undefined): boolean {
  return content?.replace(/^\d+ /, "").startsWith(LINK) === true;
}

/** Reading a pipe would wait for its writer, so only files are read. */
async function textAt(path: string, stats: Stats): Promise<string> {
  if (stats.isSymbolicLink()) return `${LINK}${await readlink(path)}`;
  if (!stats.isFile()) return "not a file";
  const data = await readFile(path).catch(unlessUnreadable);
  return data === undefined ? "unreadable" : createHash("sha256").update(data).digest("hex");
}

function unlessGone(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
}

function unlessUnreadable(error: unknown): undefined {
  if (!["ENOENT", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
}

/** The paths that differ. */
export function changedPaths(before: Content, after: Content): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).toSorted();
}
