/**
 * Paths that a model gives: what they mean, what a call on them claims, and that they still lead where they led when
 * the call was judged (C18).
 */

import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { type Claim, resolveFilePlace } from "@runahead/engine";
import { clearanceOf } from "@runahead/permissions/internal";
import { Refusal } from "../shared/refusal.ts";

const IGNORES_CASE = process.platform === "darwin" || process.platform === "win32";

export interface Target {
  /** As the model named it. */
  readonly named: string;
  readonly path: string;
  /** Depends on the working directory. */
  readonly isRelative: boolean;
}

export function targetOf(named: string, cwd: string): Target {
  if (named.includes("\0")) throw new Refusal("A path cannot contain a NUL character.");
  if (/^~(?:\/|$)/.test(named)) return { named, path: resolve(homedir(), named.slice(2)), isRelative: false };
  if (named.startsWith("~"))
    throw new Refusal(`${named} is relative to the home of someone else: give an absolute path.`);
  return { named, path: resolve(cwd, named), isRelative: !isAbsolute(named) };
}

interface Claimed {
  /** Where the path led when the claims were made. */
  readonly path: string;
  /** Whether the claims let the call list the names beside the file. */
  readonly seesFolder: boolean;
}

const claimed = new WeakMap<object, Claimed>();

export interface Wanted {
  readonly mode: Claim["mode"];
  /** Where the file is missing, names beside it are suggested: so its folder is read too. */
  readonly suggests: boolean;
}

/** The claims on a file. Where the path leads is remembered, so that the call can check that it still leads there. */
export function claimFile(input: object, target: Target, { mode, suggests }: Wanted): Claim[] {
  const path = realPath(target.path);
  // Names beside the target of a link are not what was meant by the name of the link.
  const seesFolder = suggests && !existsSync(target.path) && basename(path) === basename(target.path);
  claimed.set(input, { path, seesFolder });
  const folder: Claim[] = seesFolder ? [{ mode: "read", place: `fs:${dirname(target.path)}` }] : [];
  return [{ mode, place: `fs:${target.path}` }, ...folder, ...claimCwd(target)];
}

function claimCwd({ isRelative }: Target): Claim[] {
  return isRelative ? [{ mode: "read", place: "context:/cwd" }] : [];
}

/**
 * The path with its links resolved: the one path that the call opens. Refused if the claims were made for another
 * file, or if the verdict was.
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
    `${named} now leads to ${now}, and led to ${before} when this call was judged: ` +
      "a link on its path has changed. Nothing was done. Call again if that is meant.",
  );
}

function isSamePath(one: string, other: string): boolean {
  return one === other || (IGNORES_CASE && comparable(one) === comparable(other));
}

/** As the file systems of macOS and Windows compare names. */
function comparable(path: string): string {
  return path.normalize("NFC").toLowerCase();
}

/** Whether the call's claims let it look at the names beside a file; also where nobody asked for claims. */
export function maySeeFolder(input: object): boolean {
  return claimed.get(input)?.seesFolder ?? true;
}

/** As places are resolved, but with the case of the names, which the file system may keep and not compare. */
function realPath(path: string): string {
  if (process.platform === "linux") return resolveFilePlace(`fs:${path}`).slice("fs:".length);
  try {
    return realpathSync.native(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(realPath(folder), basename(path));
  }
}
