/** Places of files are compared as the file system would: after links and, where it ignores case, without case. */

import { lstatSync, readlinkSync } from "node:fs";
import { basename, dirname, isAbsolute, join, sep } from "node:path";

const IGNORES_CASE = process.platform === "darwin" || process.platform === "win32";
const FILE_SCHEME = "fs:/";

/** The same place with every link on the way resolved. Other schemes stay as they are. */
export function resolveFilePlace(place: string): string {
  if (!place.startsWith(FILE_SCHEME) || place === FILE_SCHEME) return place;
  const resolved = realPath(place.slice(FILE_SCHEME.length - 1), 0);
  return `${FILE_SCHEME.slice(0, -1)}${IGNORES_CASE ? resolved.toLowerCase() : resolved}`;
}

/** As many links in a row as Linux follows. */
const MAX_LINKS = 40;

/** Of a file that does not exist yet, the folder is resolved; a link to nowhere is what writing to it would make. */
function realPath(path: string, links: number): string {
  const folder = dirname(path);
  if (folder === path) return path;
  const name = basename(path);
  const real = realFolder(folder, links);
  if (name === "..") return dirname(real);
  if (name === ".") return real;
  const inFolder = join(real, name);
  const target = links < MAX_LINKS ? linkTarget(inFolder) : undefined;
  if (target === undefined) return inFolder;
  // Not normalised: a `..` in the target means the folder above what the part before it leads to.
  return realPath(isAbsolute(target) ? target : `${real}${sep}${target}`, links + 1);
}

/**
 * Calls that come in one piece of a stream mostly touch the same few folders. What is known of those is forgotten
 * as soon as anything else can happen, since anything else can make a link.
 */
const folders = new Map<string, string>();

function realFolder(path: string, links: number): string {
  const known = folders.get(path);
  if (known !== undefined) return known;
  const resolved = realPath(path, links);
  if (folders.size === 0) queueMicrotask(() => folders.clear());
  folders.set(path, resolved);
  return resolved;
}

function linkTarget(path: string): string | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
      ? readlinkSync(path)
      : undefined;
  } catch {
    // Below something that is not a folder, or not ours to see: there is nothing to resolve.
    return undefined;
  }
}
