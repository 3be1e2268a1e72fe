/** The file operations of the writer as an interface, so that tests can make each of them fail. */

import { constants } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { dirname } from "node:path";
import { isOurs } from "./folder.ts";

export interface JournalFile {
  /** Whether it was empty when it was opened. */
  readonly isNew: boolean;
  /** Appends to the file and returns the number of bytes written. */
  write(bytes: Uint8Array): Promise<number>;
  datasync(): Promise<void>;
  /** Whether its path still refers to this file. */
  isInPlace(): Promise<boolean>;
  close(): Promise<void>;
}

export interface JournalFiles {
  /** Opens the file and creates it if necessary. */
  open(path: string): Promise<JournalFile>;
}

// Do not follow symbolic links, and do not block on a named pipe.
const SAFELY = constants.O_NOFOLLOW | constants.O_NONBLOCK;
const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | SAFELY;
const PRIVATE = 0o600;

export const diskFiles: JournalFiles = {
  async open(path) {
    const handle = await open(path, APPEND, PRIVATE);
    try {
      const { size, mode, ino, dev } = await checkedStat(handle, path);
      if ((mode & 0o777) !== PRIVATE) await handle.chmod(PRIVATE);
      if (size === 0) await syncDirectory(dirname(path));
      return journalFile(handle, size === 0, async () => {
        const found = await lstat(path).catch(() => undefined);
        return found?.ino === ino && found.dev === dev;
      });
    } catch (error) {
      await handle.close().catch(() => {});
      throw error;
    }
  },
};

function journalFile(handle: FileHandle, isNew: boolean, isInPlace: () => Promise<boolean>): JournalFile {
  return {
    isNew,
    isInPlace,
    write: async (bytes) => (await handle.write(bytes)).bytesWritten,
    datasync: () => handle.datasync(),
    close: () => handle.close(),
  };
}

/** Opens a journal for reading. The caller closes the handle. */
export async function openToRead(path: string): Promise<{ handle: FileHandle; size: number }> {
  const handle = await open(path, constants.O_RDONLY | SAFELY);
  try {
    return { handle, size: (await checkedStat(handle, path)).size };
  } catch (error) {
    await handle.close().catch(() => {});
    throw error;
  }
}

async function checkedStat(handle: FileHandle, path: string) {
  const found = await handle.stat();
  if (!found.isFile()) throw new Error(`${path} is not a file`);
  if (!isOurs(found.uid)) throw new Error(`${path} belongs to another user`);
  return found;
}

/** A new file survives a crash only if its directory entry is on disk too. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, constants.O_RDONLY);
  // Some file systems do not sync directories.
  await directory.sync().catch(() => {});
  await directory.close();
}
