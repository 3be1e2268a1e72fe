/** Looks for files with certain extensions in the upper levels of a folder. */

import { readdir } from "node:fs/promises";
import { extname, join } from "node:path";

const MOST_LEVELS = 3;
const MOST_ENTRIES = 3_000;
const SKIPPED = new Set(["node_modules", "target", "dist", "build", "vendor", "venv", "__pycache__"]);

/** Extensions are in lower case, with the dot. */
export async function hasFiles(root: string, extensions: ReadonlySet<string>): Promise<boolean> {
  let folders = [root];
  let left = MOST_ENTRIES;
  for (let level = 0; level < MOST_LEVELS && folders.length > 0; level++) {
    const below: string[] = [];
    for (const folder of folders) {
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
      left -= entries.length;
      for (const entry of entries) {
        if (entry.isFile() && extensions.has(extname(entry.name).toLowerCase())) return true;
        if (entry.isDirectory() && !entry.name.startsWith(".") && !SKIPPED.has(entry.name))
          below.push(join(folder, entry.name));
      }
      if (left <= 0) return false;
    }
    folders = below;
  }
  return false;
}
