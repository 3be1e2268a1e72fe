/** Walks the disk below a folder, for verdicts on commands that read, copy or remove whole trees. */

import { posix } from "node:path";
import type { EntryType } from "./disk.ts";
import { mayMatchBelow } from "./glob-touch.ts";
import { coversFile } from "../verdict/judge.ts";
import { facesOf, isInWorkspace, resolveThrough, type Workspace } from "./paths.ts";
import type { Rule } from "../rules/rule.ts";

export interface TreeEntry {
  readonly path: string;
  readonly type: EntryType;
}

/** Returns everything below a folder without following links; undefined if there are too many entries. */
export function entriesBelow(folder: string, { look }: Workspace): TreeEntry[] | undefined {
  const found: TreeEntry[] = [];
  const folders = [folder];
  for (const at of folders) {
    const entries = look.list(at);
    if (entries === "too many") return undefined;
    for (const { name, type } of entries ?? []) {
      const path = posix.join(at, name);
      found.push({ path, type });
      if (type === "folder") folders.push(path);
    }
  }
  return found;
}

export type Leading =
  | { readonly type: "inside"; readonly folders: readonly string[] }
  | { readonly type: "outside"; readonly link: string }
  | { readonly type: "too many" };

/** Where a reader that follows links gets to below a folder. */
export function followedBelow(folder: string, workspace: Workspace): Leading {
  const folders = new Set([resolveThrough(folder, workspace.realpath)]);
  for (const at of folders) {
    const entries = workspace.look.list(at);
    if (entries === "too many") return { type: "too many" };
    for (const { name, type } of entries ?? []) {
      const path = posix.join(at, name);
      if (type === "folder") folders.add(path);
      if (type !== "link") continue;
      if (name.includes("\uFFFD") || !isInWorkspace(facesOf(path, workspace), workspace))
        return { type: "outside", link: path };
      folders.add(resolveThrough(path, workspace.realpath));
    }
  }
  return { type: "inside", folders: [...folders] };
}

interface Place {
  readonly named: string;
  readonly real: string;
}

export interface DeniedFiles {
  /** Resolved paths; a folder that is denied as a whole stands for its contents. */
  readonly paths: readonly string[];
  /** Why there can be other ways to a denied file; undefined if there are none. */
  readonly gap: string | undefined;
}

/** In a larger denied folder, files are not checked for other hard links. */
const MAX_CHECKED = 2_000;

/** Returns the denied files below these folders. Links are followed as long as they stay in the workspace. */
export function deniedBelow(
  folders: readonly string[],
  denies: readonly Rule[],
  workspace: Workspace,
): DeniedFiles {
  const { realpath, look } = workspace;
  const found = new Set<string>();
  const links = new Set<string>();
  const seen = new Set<string>();
  const places: Place[] = folders.map((named) => ({ named, real: resolveThrough(named, realpath) }));
  let gap: string | undefined;
  for (const { named, real } of places) {
    const key = `${named}\0${real}`;
    if (seen.has(key) || !mayHold([named, real], denies)) continue;
    seen.add(key);
    const entries = look.list(real);
    if (entries === "too many") return { paths: [...found], gap: "there are too many files to check" };
    for (const { name, type } of entries ?? []) {
      const path = posix.join(named, name);
      const place = posix.join(real, name);
      const target = type === "link" ? resolveThrough(place, realpath) : place;
      if (denies.some((rule) => coversFile(rule, { mode: "read", faces: [path, place, target] }))) {
        found.add(target);
        if (hasOtherName(target, workspace)) gap ??= `${path} is denied and has another hard link`;
      } else if (type === "folder") places.push({ named: path, real: place });
      else if (type === "link" && !links.has(place) && isInWorkspace([target], workspace)) {
        links.add(place);
        places.push({ named: path, real: target });
      }
    }
  }
  return { paths: [...found], gap };
}

function mayHold(paths: readonly string[], denies: readonly Rule[]): boolean {
  return denies.some(
    (rule) => rule.type === "file" && paths.some((path) => mayMatchBelow(rule.pattern, path)),
  );
}

function hasOtherName(path: string, workspace: Workspace): boolean {
  const found = workspace.look.stat(path);
  if (found?.type === "file") return found.links > 1;
  if (found?.type !== "folder") return false;
  const inside = entriesBelow(path, workspace.anew(MAX_CHECKED)) ?? [];
  return inside.some((entry) => entry.type === "file" && (workspace.look.stat(entry.path)?.links ?? 1) > 1);
}
