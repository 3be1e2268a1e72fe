/**
 * Puts new content in the place of a file: the old or the new is there at every moment, never half of one (E06).
 * Names are looked up in the folder that was opened, so that a link that is swapped in above changes nothing (C18).
 */

import { randomBytes } from "node:crypto";
import { type Stats, constants, existsSync } from "node:fs";
import { type FileHandle, access, link, lstat, mkdir, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isAt } from "./open-file.ts";
import { Refusal, codeOf, fileFailure, ifThere } from "./refusal.ts";

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
    const folder = await openFolder(dirname(path));
    try {
      return await replaceIn(folder, replacement);
    } finally {
      await folder.handle.close();
    }
  } catch (error) {
    throw fileFailure(error, `write ${path}`);
  }
}

interface Folder {
  readonly handle: FileHandle;
  /** Names that are joined to it are looked up in the open folder itself, where the system can do that. */
  readonly base: string;
}

const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const HAS_DESCRIPTORS = process.platform === "linux" && existsSync("/proc/self/fd");

/** The deepest folder that exists is opened, and what is missing below it made, each in the one above. */
async function openFolder(path: string): Promise<Folder> {
  const missing: string[] = [];
  let at = path;
  let handle = await ifThere(open(at, FOLDER_FLAGS));
  while (handle === undefined) {
    missing.unshift(basename(at));
    at = dirname(at);
    handle = await ifThere(open(at, FOLDER_FLAGS));
  }
  let folder = await checked(handle, at);
  for (const name of missing) {
    at = join(at, name);
    folder = await makeFolder(folder, at);
  }
  return folder;
}

async function makeFolder(above: Folder, path: string): Promise<Folder> {
  try {
    const inside = join(above.base, basename(path));
    await mkdir(inside).catch((error: unknown) => {
      // Another call may have made it.
      if (codeOf(error) !== "EEXIST") throw error;
    });
    return await checked(await open(inside, FOLDER_FLAGS), path);
  } finally {
    await above.handle.close();
  }
}

async function checked(handle: FileHandle, path: string): Promise<Folder> {
  if (await isAt(handle, path))
    return { handle, base: HAS_DESCRIPTORS ? `/proc/self/fd/${handle.fd}` : path };
  await handle.close();
  throw new Refusal(`A link on the path of ${path} changed meanwhile. Nothing was written. Try again.`);
}

async function replaceIn({ base, handle }: Folder, replacement: Replacement): Promise<Stats> {
  const { path, before, signal } = replacement;
  const target = join(base, basename(path));
  const temporary = join(base, `.runahead-${randomBytes(6).toString("hex")}.tmp`);
  await checkUnchanged(target, replacement);
  if (before !== undefined) await access(target, constants.W_OK);
  try {
    const stats = await writeTemporary(temporary, replacement);
    signal.throwIfAborted();
    await checkUnchanged(target, replacement);
    await (before === undefined ? create(temporary, target, path) : rename(temporary, target));
    // Not every file system can do this, and the content is safe by now.
    await handle.sync().catch(() => {});
    return stats;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** What is there must be what was looked at: another program may have written meanwhile. */
async function checkUnchanged(target: string, { path, before }: Replacement): Promise<void> {
  const now = await ifThere(lstat(target));
  const isSame =
    before === undefined
      ? now === undefined
      : now?.ino === before.ino && now.size === before.size && now.mtimeMs === before.mtimeMs && now.isFile();
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
