/**
 * Puts new content in the place of a file: the old or the new is there at every moment, never half of one (E06).
 * Names are looked up in the folder that was opened, so that a link that is swapped in above changes nothing (C18).
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
  /** What is to be replaced, as it was when its content was looked at; undefined for a new file. */
  readonly before: Stats | undefined;
  readonly signal: AbortSignal;
}

/** Gives what the file is then. */
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

/** The deepest folder that exists is pinned, and what is missing below it made, each in the one above. */
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
      // Another call may have made it.
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
  const temporary = join(folder.fixed, `.runahead-${randomBytes(6).toString("hex")}.tmp`);
  await checkUnchanged(target, replacement);
  if (before !== undefined) await access(target, constants.W_OK);
  try {
    const stats = await writeTemporary(temporary, replacement);
    signal.throwIfAborted();
    await checkUnchanged(target, replacement);
    await (before === undefined ? create(temporary, target, path) : rename(temporary, target));
    // Not every file system can do this, and the content is safe by now.
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

/** What is there must be what was looked at: another program may have written meanwhile. */
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
      `${path} was changed by someone else in this very moment. Read it again, then change it.`,
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
  // Only root may give a file away; for others it becomes theirs, as with any editor.
  if (uid !== ourUid || gid !== ourGid) await handle.chown(uid, gid).catch(() => {});
  await handle.chmod(mode & 0o7777);
}

/** A link, unlike a rename, never takes the place of a file that came in between; not every file system has them. */
async function create(temporary: string, target: string, path: string): Promise<void> {
  try {
    await link(temporary, target);
  } catch (error) {
    if (codeOf(error) === "EEXIST")
      throw new Refusal(`${path} was made by someone else in this very moment. Read it, then change it.`);
    await rename(temporary, target);
  }
}
