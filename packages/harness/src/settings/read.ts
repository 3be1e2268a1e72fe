/** Reads a small file: its text, that it is missing, or why it cannot be read. Never blocks on a pipe. */

import { constants } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf, messageOf } from "@runahead/base";

export type FileText =
  | { readonly type: "missing" }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "unreadable"; readonly why: string };

export const MAX_BYTES = 3_000_000;

const CAUSES: Readonly<Record<string, string>> = {
  ELOOP: "its symbolic links form a loop",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "it is a folder",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
  EIO: "I/O error",
  ENAMETOOLONG: "its path is too long",
  ENXIO: "it is not a regular file",
};

export async function readText(path: string, maxBytes = MAX_BYTES): Promise<FileText> {
  try {
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return await contentOf(handle, maxBytes);
    } finally {
      await handle.close();
    }
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return missing(path);
    return unreadable(CAUSES[code] === undefined ? messageOf(error) : `${CAUSES[code]} (${code})`);
  }
}

async function contentOf(handle: FileHandle, maxBytes: number): Promise<FileText> {
  const found = await handle.stat();
  if (found.isDirectory()) return unreadable("it is a folder");
  if (!found.isFile()) return unreadable("it is not a regular file");
  // The size may be stale, so at most one byte more than the limit is read.
  const bytes = Buffer.alloc(Math.min(found.size, maxBytes) + 1);
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await handle.read(bytes, length, bytes.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  if (length > maxBytes) return unreadable(`it is larger than ${maxBytes} bytes`);
  if (length > found.size) return unreadable("it grew while it was read");
  return decoded(bytes.subarray(0, length));
}

function decoded(bytes: Uint8Array): FileText {
  try {
    return { type: "text", text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return unreadable("it is not UTF-8 text");
  }
}

/** A broken link is an error, not a missing file. */
async function missing(path: string): Promise<FileText> {
  for (const link of [path, dirname(path)]) {
    const found = await lstat(link).catch(() => undefined);
    if (found?.isSymbolicLink() === true) return unreadable(`the symbolic link ${link} is broken`);
    if (found !== undefined) break;
  }
  return { type: "missing" };
}

function unreadable(why: string): FileText {
  return { type: "unreadable", why };
}
