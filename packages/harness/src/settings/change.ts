/**
 * Changes a file that other processes change too: under a lock, from its current content, by renaming a new file over it.
 * A process that is killed leaves the old or the new content, and the next one removes its temporary file.
 */

import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { chmod, open, readdir, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf, messageOf } from "@runahead/base";
import { NotSaved } from "./error.ts";
import { takeLock } from "./lock.ts";

interface FileToChange {
  readonly path: string;
  /** Mode of a new file; 0600 is set on an existing one too. */
  readonly mode: number;
  /** How long to wait for the lock, in milliseconds. Default: 20,000. */
  readonly waitMs?: number;
}

const WAIT_MS = 20_000;

/** `change` returns the new text, or undefined to keep the file. Throws `NotSaved` if the file cannot be changed. */
export async function changeFile(
  { path, mode, waitMs = WAIT_MS }: FileToChange,
  change: () => Promise<string | undefined>,
): Promise<void> {
  try {
    const release = await takeLock(path, waitMs);
    try {
      await clearAway(path);
      const text = await change();
      if (text !== undefined) await replace(path, mode, text);
    } finally {
      await release();
    }
  } catch (error) {
    if (error instanceof NotSaved || codeOf(error) === "") throw error;
    throw new NotSaved(path, messageOf(error));
  }
}

async function replace(path: string, mode: number, text: string): Promise<void> {
  const next = `${path}.${randomUUID()}.next`;
  const found = await stat(path).catch(() => undefined);
  try {
    const handle = await open(next, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, mode);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    // The mode that the user chose is kept; a private file becomes private again.
    await chmod(next, found === undefined || mode === 0o600 ? mode : found.mode & 0o777);
    await rename(next, path);
  } catch (error) {
    await unlink(next).catch(() => {});
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Only the holder of the lock has such a file, so an existing one was left by a process that was killed. */
async function clearAway(path: string): Promise<void> {
  const start = `${basename(path)}.`;
  const names = await readdir(dirname(path));
  const left = names.filter((name) => name.startsWith(start) && name.endsWith(".next"));
  for (const name of left) await unlink(join(dirname(path), name)).catch(() => {});
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY).catch(() => undefined);
  // Some file systems do not sync folders.
  await folder?.sync().catch(() => {});
  await folder?.close();
}
