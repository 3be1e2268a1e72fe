/**
 * Replaces a file atomically: at every moment the old or the new content is there, never a part (E06). Names are
 * resolved in the opened folder, so a link that is swapped in above it has no effect (C18).
 */

import { randomBytes } from "node:crypto";
import { type Stats, constants } from "node:fs";
import { type FileHandle, access, link, lstat, mkdir, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type Pin, isSameFile, movedRefusal, openPinned, pin } from "./pin.ts";
import { Refusal, codeOf, fileFailure, ifThere } from "../shared/refusal.ts";

export interface Replacement {
  /** With its links resolved. */
  readonly path: string;
  readonly bytes: Buffer;
  /** Stats of the file when its content was read; undefined for a new file. */
  readonly before: Stats | undefined;
  readonly signal: AbortSignal;
  /** Called with the path of the temporary file before it is created. */
  readonly onTemporary?: ((path: string) => void) | undefined;
}

/** Resolves with the stats of the new file. */
export async function replaceFile(replacement: Replacement): Promise<Stats> {
  const { path } = replacement;
  try {
    const folder = await pinFolder(dirname(path));
    try {
      return await replaceIn(folder, replacement);
    } finally {
      folder.close();
    }
  } catch (error) {
    throw fileFailure(error, `write ${path}`);
  }
}

/** Pins the deepest existing folder and creates the missing ones below it, each inside its pinned parent. */
async function pinFolder(path: string): Promise<Pin> {
  const missing: string[] = [];
  let at = path;
  let found = pin(at, "written");
  while (found === undefined) {
    missing.unshift(basename(at));
    at = dirname(at);
    found = pin(at, "written");
  }
  let folder = checkFolder(found);
  for (const name of missing) folder = await makeFolder(folder, name);
  return folder;
}

async function makeFolder(above: Pin, name: string): Promise<Pin> {
  try {
    await mkdir(join(above.fixed, name)).catch((error: unknown) => {
      // Another call may have created it.
      if (codeOf(error) !== "EEXIST") throw error;
    });
    const path = join(above.path, name);
    const made = pin(path, "written");
    if (made === undefined) throw movedRefusal(path, "written");
    return checkFolder(made);
  } finally {
    above.close();
  }
}

function checkFolder(folder: Pin): Pin {
  if (folder.stats.isDirectory()) return folder;
  folder.close();
  throw new Refusal(`Cannot write below ${folder.path}: it is not a directory.`);
}

async function replaceIn(folder: Pin, replacement: Replacement): Promise<Stats> {
  const { path, before, signal } = replacement;
  const target = join(folder.fixed, basename(path));
  const name = `.runahead-${randomBytes(6).toString("hex")}.tmp`;
  const temporary = join(folder.fixed, name);
  await checkUnchanged(target, replacement);
  if (before !== undefined) await access(target, constants.W_OK);
  replacement.onTemporary?.(join(dirname(path), name));
  try {
    const stats = await writeTemporary(temporary, replacement);
    signal.throwIfAborted();
    await checkUnchanged(target, replacement);
    await (before === undefined ? create(temporary, target, path) : rename(temporary, target));
    // Not every file system supports this, and the content is already safe.
    await syncFolder(folder).catch(() => {});
    return stats;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function syncFolder(folder: Pin): Promise<void> {
  const handle = await openPinned(folder, "written");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Checks that no other program wrote the file since its content was read. */
async function checkUnchanged(target: string, { path, before }: Replacement): Promise<void> {
  const now = await ifThere(lstat(target));
  const isSame =
    before === undefined
      ? now === undefined
      : now !== undefined &&
        isSameFile(now, before) &&
        now.size === before.size &&
        now.mtimeMs === before.mtimeMs &&
        now.isFile();
  if (!isSame)
    throw new Refusal(
      `${path} was not changed: another program modified it at the same moment. Read it again, then change it.`,
    );
}

async function writeTemporary(temporary: string, { bytes, before }: Replacement): Promise<Stats> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const handle = await open(temporary, flags, before === undefined ? 0o666 : 0o600);
  try {
    await handle.writeFile(bytes);
    if (before !== undefined) await keepOwnerAndMode(handle, before);
    await handle.sync();
    return await handle.stat();
  } finally {
    await handle.close();
  }
}

async function keepOwnerAndMode(handle: FileHandle, { uid, gid, mode }: Stats): Promise<void> {
  const { uid: ourUid, gid: ourGid } = await handle.stat();
  // Only root can change the owner; otherwise the file becomes the current user's, as with any editor.
  if (uid !== ourUid || gid !== ourGid) await handle.chown(uid, gid).catch(() => {});
  await handle.chmod(mode & 0o7777);
}

/** A hard link never overwrites a file that appeared meanwhile, unlike a rename. Not every file system has hard links. */
async function create(temporary: string, target: string, path: string): Promise<void> {
  try {
    await link(temporary, target);
  } catch (error) {
    if (codeOf(error) === "EEXIST")
      throw new Refusal(
        `${path} was not written: another program created it at the same moment. Read it, then change it.`,
      );
    await rename(temporary, target);
  }
}
