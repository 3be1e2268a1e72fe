/** Failures of the disk, in words. Nothing of what was to be written is in them (E11). */

import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf, messageOf } from "@runahead/base";

const CAUSES: Readonly<Record<string, string>> = {
  ENOSPC: "there is no space left",
  EDQUOT: "the disk quota is used up",
  EROFS: "its file system is read-only",
  EACCES: "permission is denied",
  EPERM: "permission is denied",
  EIO: "the disk reports an error",
  ENOENT: "its folder is gone",
  ENAMETOOLONG: "its path is too long",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
  ELOOP: "it is a symbolic link",
};

/** The cause, and where the disk is full, how full: asked of the file system itself, which needs no writing (E03). */
export async function whyNotSaved(path: string, error: unknown): Promise<string> {
  const code = codeOf(error);
  const cause = CAUSES[code];
  const words = cause === undefined ? messageOf(error) : `${cause} (${code})`;
  const space = code === "ENOSPC" || code === "EDQUOT" ? await spaceAt(dirname(path)) : "";
  return `${path}: ${words}${space}`;
}

async function spaceAt(path: string): Promise<string> {
  try {
    const { bsize, blocks, bavail } = await statfs(path);
    const megabytes = (count: number): string => `${Math.floor((count * bsize) / 1_000_000)} MB`;
    return `, ${megabytes(bavail)} of the ${megabytes(blocks)} of its file system are free`;
  } catch {
    const parent = dirname(path);
    return parent === path ? "" : spaceAt(parent);
  }
}
