/** Where a path leads when its links are followed one by one, as the system does: after a link, `..` is somewhere else. */

import { posix } from "node:path";

/** Resolves the links of an absolute path, as `fs.realpathSync` does; throws or returns undefined if nothing is there. */
export type RealPath = (path: string) => string | undefined;

/** With links resolved as far as the path exists. */
export function resolveThrough(path: string, realpath: RealPath): string {
  const rest: string[] = [];
  for (let at = path; ; at = posix.dirname(at)) {
    const real = attempt(at, realpath);
    if (real !== undefined) return posix.resolve(real, ...rest);
    if (at === "/") return path;
    rest.unshift(posix.basename(at));
  }
}

export function attempt(path: string, realpath: RealPath): string | undefined {
  try {
    const real = realpath(path);
    return typeof real === "string" && real.startsWith("/") ? real : undefined;
  } catch {
    return undefined;
  }
}

/** What a path may be in this folder: by its letters, and by its links where that may differ. */
export function placesOf(path: string, folder: string, realpath: RealPath | undefined): string[] {
  const named = posix.resolve(folder, path);
  if (realpath === undefined || !/(?:^|\/)\.\.(?:\/|$)/.test(path)) return [named];
  let at = path.startsWith("/") ? "/" : resolveThrough(folder, realpath);
  for (const name of path.split("/"))
    if (name === "..") at = posix.dirname(at);
    else if (name !== "" && name !== ".")
      at = attempt(posix.join(at, name), realpath) ?? posix.join(at, name);
  return resolveThrough(named, realpath) === at ? [named] : [named, at];
}
