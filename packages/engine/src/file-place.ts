/** Places of files are compared as the file system would: after links and, where it ignores case, without case. */

import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";

const IGNORES_CASE = process.platform === "darwin" || process.platform === "win32";
const FILE_SCHEME = "fs:/";

/** The same place with every link on the way resolved. Other schemes stay as they are. */
export function resolveFilePlace(place: string): string {
  if (!place.startsWith(FILE_SCHEME)) return place;
  const resolved = realPath(place.slice(FILE_SCHEME.length - 1));
  return `${FILE_SCHEME.slice(0, -1)}${IGNORES_CASE ? resolved.toLowerCase() : resolved}`;
}

/** Of a file that does not exist yet, the folder is resolved. */
function realPath(path: string): string {
  const missing: string[] = [];
  let existing = path;
  for (;;) {
    try {
      return join(realpathSync.native(existing), ...missing);
    } catch {
      const parent = dirname(existing);
      if (parent === existing) return path;
      missing.unshift(basename(existing));
      existing = parent;
    }
  }
}
