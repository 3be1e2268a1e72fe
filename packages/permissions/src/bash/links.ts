/** Resolves a path link by link, as the system does: after a link, `..` is a different folder. */

import { posix } from "node:path";

/**
 * Resolves the links of an absolute path, as `fs.realpathSync` does; throws or returns undefined if nothing is there.
 */
export type RealPath = (path: string) => string | undefined;

/** Resolves links as far as the path exists. */
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

/** Returns the places that a path can mean in this folder: by its text, and by its links if that can differ. */
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
