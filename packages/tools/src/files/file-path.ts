/**
 * Resolves the paths that a model passes, declares the claims of a call on them, and checks that they still lead to
 * the file that permission was granted for (C18).
 */

import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { type Claim, resolveFilePlace } from "@runahead/engine";
import { clearanceOf } from "@runahead/permissions/internal";
import { Refusal } from "../shared/refusal.ts";

const IGNORES_CASE = process.platform === "darwin" || process.platform === "win32";

export interface Target {
  /** As the model wrote it. */
  readonly named: string;
  readonly path: string;
  /** Whether it depends on the working directory. */
  readonly isRelative: boolean;
  readonly cwd: string;
}

export function targetOf(named: string, cwd: string): Target {
  if (named.includes("\0")) throw new Refusal("A path cannot contain a NUL character.");
  if (/^~(?:\/|$)/.test(named))
    return { named, path: resolve(homedir(), named.slice(2)), isRelative: false, cwd };
  if (named.startsWith("~"))
    throw new Refusal(`${named} refers to another user's home directory. Pass an absolute path.`);
  return { named, path: resolve(cwd, named), isRelative: !isAbsolute(named), cwd };
}

interface Claimed {
  /** Where the path led when the claims were made. */
  readonly path: string;
  /** Whether the claims let the call list the names next to the file. */
  readonly seesFolder: boolean;
  /** Where the file is if the path is relative to a folder above the working directory; claimed too. */
  readonly above: string | undefined;
}

const claimed = new WeakMap<object, Claimed>();

export interface Wanted {
  readonly mode: Claim["mode"];
  /** Whether to suggest similar names if the file is missing, which needs a read claim on its folder. */
  readonly suggests: boolean;
}

/** Returns the claims on a file and remembers the resolved path, so that the call can check that it did not change. */
export function claimFile(input: object, target: Target, { mode, suggests }: Wanted): Claim[] {
  const path = realPath(target.path);
  // Names next to the target of a symbolic link are unrelated to the link's own name.
  const seesFolder = suggests && !existsSync(target.path) && basename(path) === basename(target.path);
  const above = seesFolder ? pathAbove(target) : undefined;
  claimed.set(input, { path, seesFolder, above });
  const folder: Claim[] = seesFolder ? [{ mode: "read", place: `fs:${dirname(target.path)}` }] : [];
  const elsewhere: Claim[] = above === undefined ? [] : [{ mode: "read", place: `fs:${above}` }];
  return [{ mode, place: `fs:${target.path}` }, ...folder, ...elsewhere, ...claimCwd(target)];
}

/**
 * After a `cd`, a model often still writes paths relative to the folder before. Only folders of the same repository
 * count.
 */
function pathAbove({ named, isRelative, cwd }: Target): string | undefined {
  if (!isRelative) return undefined;
  const candidates: string[] = [];
  let folder = cwd;
  while (!existsSync(join(folder, ".git"))) {
    if (dirname(folder) === folder) return undefined;
    folder = dirname(folder);
    candidates.push(resolve(folder, named));
  }
  return candidates.find((path) => path.startsWith(`${folder}/`) && existsSync(path));
}

function claimCwd({ isRelative }: Target): Claim[] {
  return isRelative ? [{ mode: "read", place: "context:/cwd" }] : [];
}

/**
 * Returns the path with its links resolved, which is the only path that the call opens. Throws if the claims or the
 * verdict were for another file.
 */
export function judgedPath(input: object, target: Target): string {
  const real = realPath(target.path);
  const before = claimed.get(input)?.path;
  if (before !== undefined && !isSamePath(before, real)) throw leadsElsewhere(target, real, before);
  const judged = clearanceOf(input)?.files;
  if (judged !== undefined && !judged.some((path) => isSamePath(path, real)))
    throw leadsElsewhere(target, real, judged.at(-1) ?? "nothing");
  return real;
}

function leadsElsewhere({ named }: Target, now: string, before: string): Refusal {
  return new Refusal(
    `${named} now resolves to ${now}, but permission was checked for ${before}: a symbolic link on the path changed. ` +
      "Nothing was done. Call again if you still want this.",
  );
}

function isSamePath(one: string, other: string): boolean {
  return one === other || (IGNORES_CASE && comparable(one) === comparable(other));
}

/** Compares names the way the file systems of macOS and Windows do. */
function comparable(path: string): string {
  return path.normalize("NFC").toLowerCase();
}

/** Whether the call's claims include the folder of the file. True if no claims were requested. */
export function maySeeFolder(input: object): boolean {
  return claimed.get(input)?.seesFolder ?? true;
}

/** Where a missing file is relative to a folder above the working directory, if the call's claims include it. */
export function foundAbove(input: object, target: Target): string | undefined {
  const known = claimed.get(input);
  return known === undefined ? pathAbove(target) : known.above;
}

/** Like the resolution of places, but keeps the case of names on file systems that ignore it. */
function realPath(path: string): string {
  if (process.platform === "linux") return resolveFilePlace(`fs:${path}`).slice("fs:".length);
  try {
    return realpathSync.native(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(realPath(folder), basename(path));
  }
}
