/** Stores large results in files of the session: complete or not at all (E06), private, never overwriting each other (E09). */

import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { open, rename, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Results } from "@runahead/engine";
import { type Notice, privateDirectory } from "./folder.ts";

const SAFE_CHARS = 60;
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** `directory` belongs to the session. Throws on failure; the engine then shortens the result instead (E01). */
export function fileResults(directory: string, onNotice: Notice): Results {
  const reported = new Set<string>();
  const reportOnce = (message: string): void => {
    if (!reported.has(message)) onNotice(message);
    reported.add(message);
  };
  return {
    async store({ callId, text }) {
      const own = await privateDirectory(directory, reportOnce);
      const folder = await privateDirectory(join(own, "results"), reportOnce);
      const path = join(folder, `${safeName(callId)}-${randomUUID()}.txt`);
      await writeWhole(path, text);
      return path;
    },
  };
}

/** The readable part of the file name; a UUID after it makes the name unique. */
export function safeName(callId: string): string {
  return callId.replaceAll(/[^A-Za-z0-9_-]+/g, "_").slice(0, SAFE_CHARS) || "call";
}

async function writeWhole(path: string, text: string): Promise<void> {
  const unfinished = join(dirname(path), `.${randomUUID()}.unfinished`);
  try {
    const handle = await open(unfinished, CREATE, 0o600);
    try {
      await handle.writeFile(text);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await rename(unfinished, path);
  } catch (error) {
    await unlink(unfinished).catch(() => {});
    throw error;
  }
}
