/**
 * Paths that a model gives: what they mean, what a call on them claims, and that they still lead where they led when
 * the call was judged (C18).
 */

import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { type Claim, resolveFilePlace } from "@runahead/engine";
import { Refusal } from "./refusal.ts";

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

/** Where each input led when its call was judged, and whether its folder may be looked into. */
const judged = new WeakMap<object, { readonly place: string; readonly seesFolder: boolean }>();

export interface Wanted {
  readonly mode: Claim["mode"];
  /** Where the file is missing, names beside it are suggested: so its folder is read too. */
  readonly suggests: boolean;
}

/** The claims on a file. It is remembered where the path leads, so that the call can see whether it still does. */
export function claimFile(input: object, target: Target, { mode, suggests }: Wanted): Claim[] {
  const place = `fs:${target.path}`;
  const seesFolder = suggests && !existsSync(target.path);
  judged.set(input, { place: resolveFilePlace(place), seesFolder });
  const folder: Claim[] = seesFolder ? [{ mode: "read", place: `fs:${dirname(target.path)}` }] : [];
  return [{ mode, place }, ...folder, ...claimCwd(target)];
}

function claimCwd({ isRelative }: Target): Claim[] {
  return isRelative ? [{ mode: "read", place: "context:/cwd" }] : [];
}

/** The path with its links resolved; refused where it leads elsewhere than when the call was judged. */
export function judgedPath(input: object, target: Target): string {
  const real = realPath(target.path);
  const known = judged.get(input)?.place;
  if (known !== undefined && known !== resolveFilePlace(`fs:${real}`)) {
    throw new Refusal(
      `${target.named} now leads to ${real}, and led to ${known.slice("fs:".length)} when this call was judged: ` +
        "a link on its path has changed. Nothing was done. Call again if that is meant.",
    );
  }
  return real;
}

/** Whether the call's claims let it look at the names beside a file; also where nobody asked for claims. */
export function maySeeFolder(input: object): boolean {
  return judged.get(input)?.seesFolder ?? true;
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
