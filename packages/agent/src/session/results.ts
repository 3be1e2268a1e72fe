/** Large results, in files of the session: whole or not there (E06), private, and never one in another's place (E09). */

import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { open, rename, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Results } from "@runahead/engine";
import { type Notice, privateDirectory } from "./folder.ts";

const SAFE_CHARS = 60;
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** `directory` is the session's own; what goes wrong is thrown, and the engine then shortens the result (E01). */
export function fileResults(directory: string, onNotice: Notice): Results {
  const told = new Set<string>();
  const tellOnce = (message: string): void => {
    if (!told.has(message)) onNotice(message);
    told.add(message);
  };
  return {
    async store({ callId, text }) {
      const own = await privateDirectory(directory, tellOnce);
      const folder = await privateDirectory(join(own, "results"), tellOnce);
      const path = join(folder, `${safeName(callId)}-${randomUUID()}.txt`);
      await writeWhole(path, text);
      return path;
    },
  };
}

/** For people; what makes the name unique stands behind it. */
function safeName(callId: string): string {
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
