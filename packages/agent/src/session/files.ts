/** The file operations that the writer needs, so that tests can make each of them fail. */

import { constants } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { dirname } from "node:path";
import { isOurs } from "./folder.ts";

export interface JournalFile {
  /** Whether there was nothing in it when it was opened. */
  readonly isNew: boolean;
  /** At the end of the file; gives how many bytes were written. */
  write(bytes: Uint8Array): Promise<number>;
  datasync(): Promise<void>;
  /** Whether its path still leads to it. */
  isInPlace(): Promise<boolean>;
  close(): Promise<void>;
}

export interface JournalFiles {
  /** Makes it if it is missing. */
  open(path: string): Promise<JournalFile>;
}

// Never through a link, and never waiting for the other end of a pipe.
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

/** For reading; the caller closes it. */
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

/** The name of a new file is safe only when its directory is. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, constants.O_RDONLY);
  // Some file systems do not sync directories.
  await directory.sync().catch(() => {});
  await directory.close();
}
