/**
 * Changing a file that other processes change too: under a lock, from what is there now, to a new file that takes its
 * name. Whoever is killed on the way leaves the old or the new content, and the next one clears away the rest.
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
  /** For a new file; 0600 for an old one too. */
  readonly mode: number;
  /** How long to wait for others; 20 s unless told. */
  readonly waitMs?: number;
}

const WAIT_MS = 20_000;

/** `change` gives the new text, or undefined to leave it. Throws `NotSaved` where it cannot be done. */
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
    // Whoever made it chose who may read it; a private file becomes private again.
    await chmod(next, found === undefined || mode === 0o600 ? mode : found.mode & 0o777);
    await rename(next, path);
  } catch (error) {
    await unlink(next).catch(() => {});
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Only the holder of the lock has such a file, so one that is there was left by somebody who was killed. */
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
