/** Describes disk failures. The messages never contain the data that was to be written (E11). */

import { constants } from "node:fs";
import { access, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf, messageOf } from "@runahead/base";

const CAUSES: Readonly<Record<string, string>> = {
  ENOSPC: "no space left on the disk",
  EDQUOT: "disk quota exceeded",
  EROFS: "the file system is read-only",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EIO: "the disk reported an I/O error",
  ENOENT: "the folder does not exist",
  ENAMETOOLONG: "the path is too long",
  EMFILE: "too many open files",
  ENFILE: "too many open files",
  ELOOP: "it is a symbolic link",
};

/** Says why writing failed and, if the disk is full, how full it is. Reads only, so it works on a full disk (E03). */
export async function whyNotSaved(path: string, error: unknown): Promise<string> {
  const found = codeOf(error);
  const code = found === "ENOENT" ? await codeAbove(dirname(path)) : found;
  const cause = CAUSES[code];
  const words = cause === undefined ? messageOf(error) : `${cause} (${code})`;
  const space = code === "ENOSPC" || code === "EDQUOT" ? await spaceAt(dirname(path)) : "";
  return `${path}: ${words}${space}`;
}

/** Creating nested folders on a read-only file system fails with ENOENT: the folder above says what is wrong. */
async function codeAbove(path: string): Promise<string> {
  const parent = dirname(path);
  try {
    await access(path, constants.W_OK);
    return "ENOENT";
  } catch (error) {
    const code = codeOf(error);
    return code === "ENOENT" && parent !== path ? codeAbove(parent) : code;
  }
}

async function spaceAt(path: string): Promise<string> {
  try {
    const { bsize, blocks, bavail } = await statfs(path);
    const megabytes = (count: number): string => `${Math.floor((count * bsize) / 1_000_000)} MB`;
    return `, ${megabytes(bavail)} of ${megabytes(blocks)} free`;
  } catch {
    const parent = dirname(path);
    return parent === path ? "" : spaceAt(parent);
  }
}
