/** Compares places of files as the file system does: after resolving links and, if it ignores case, in lower case. */

import { fs, ignoresCase, paths } from "./platform.ts";
import { wrongType } from "./shapes.ts";

const FILE_SCHEME = "fs:/";

/**
 * Resolves every link in an `fs:` place, so that two names of one file are the same place.
 *
 * A file that does not exist yet gets the resolved path of its folder. On systems that ignore case the result is in
 * lower case. Places of other schemes are returned as they are. Without a file system (in browsers, or in workerd
 * without `nodejs_compat`) `fs:` places are returned as they are too: `.` and `..` in them still work, links do not.
 *
 * This is the default of {@link ExecutorOptions.resolvePlace}. Never throws.
 *
 * @param place - A place such as `fs:/repo/src/a.ts`, with an absolute path after the scheme.
 *
 * @example
 * ```ts
 * import { resolveFilePlace } from "@runahead/engine";
 *
 * // On macOS, /tmp is a link to /private/tmp.
 * console.log(resolveFilePlace("fs:/tmp/notes.txt")); // fs:/private/tmp/notes.txt
 * console.log(resolveFilePlace("db:/users/7")); // db:/users/7
 * ```
 */
export function resolveFilePlace(place: string): string {
  if (typeof place !== "string")
    throw wrongType("resolveFilePlace: place", 'a string such as "fs:/a.ts"', place);
  if (fs === undefined || !place.startsWith(FILE_SCHEME) || place === FILE_SCHEME) return place;
  const resolved = realPath(place.slice(FILE_SCHEME.length - 1), 0);
  return `${FILE_SCHEME.slice(0, -1)}${ignoresCase ? resolved.toLowerCase() : resolved}`;
}

/** How many links in a row are followed, as in Linux. */
const MAX_LINKS = 40;

/**
 * For a file that does not exist yet, the folder is resolved. A broken link resolves to the file that a write would
 * create.
 */
function realPath(path: string, links: number): string {
  const folder = paths.dirname(path);
  if (folder === path) return path;
  const name = paths.basename(path);
  const real = realFolder(folder, links);
  if (name === "..") return paths.dirname(real);
  if (name === ".") return real;
  const inFolder = paths.join(real, name);
  const target = links < MAX_LINKS ? linkTarget(inFolder) : undefined;
  if (target === undefined) return inFolder;
  // Not normalised: a `..` in the target is relative to what the part before it resolves to.
  return realPath(paths.isAbsolute(target) ? target : `${real}${paths.sep}${target}`, links + 1);
}

/**
 * Calls that arrive together mostly touch the same few folders. The cache is cleared as soon as other code can run,
 * because that code could create a link.
 */
const folders = new Map<string, string>();

/** For when a tool was called: it can have changed links before it returned. */
export function forgetFolders(): void {
  if (folders.size > 0) folders.clear();
}

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
    return fs?.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
      ? fs.readlinkSync(path)
      : undefined;
  } catch {
    // The parent is not a folder or cannot be read, so there is nothing to resolve.
    return undefined;
  }
}
