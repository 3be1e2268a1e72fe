/** The text of a file, for a language server. */

import { readFile, stat } from "node:fs/promises";

/** Larger files are not sent to servers. */
export const MOST_BYTES = 2_000_000;

/** Resolves with undefined if the file is missing, not a regular file or too large. */
export async function textOf(path: string): Promise<string | undefined> {
  try {
    const stats = await stat(path);
    return stats.isFile() && stats.size <= MOST_BYTES ? await readFile(path, "utf8") : undefined;
  } catch {
    return undefined;
  }
}
