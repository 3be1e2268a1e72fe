/** Explains an empty search result: finds a file that would match if .gitignore did not exclude it. */

import { dirname } from "node:path";
import { limitedSignal } from "@runahead/base";
import { ripgrep, withoutDot } from "./ripgrep.ts";
import type { SearchRoot } from "./search-root.ts";
import { type MayShow, ShownFiles } from "./shown-files.ts";
import { filesIn } from "./verify-found.ts";

/** `unknown`: the excluded files were too many to search in time. */
type ExcludedMatch =
  | { readonly type: "none" }
  | { readonly type: "unknown" }
  | {
      readonly type: "found";
      /** A matching file that .gitignore excludes. */
      readonly file: string;
      /** The excluded folder that it is in; undefined if .gitignore excludes only files. */
      readonly folder: string | undefined;
    };

/** An explanation is not worth a long wait. */
const LIMIT_MS = 1_000;

export interface ExcludedSearch {
  readonly root: SearchRoot;
  readonly mayShow: MayShow | undefined;
  /** ripgrep's arguments; it must print the names of files, separated by NUL. */
  readonly args: readonly string[];
  readonly matches: (path: string) => boolean;
}

/** Returns notes for the model about a search that found nothing. */
export async function excludedNotes(search: ExcludedSearch, signal: AbortSignal): Promise<string[]> {
  return notesOn(await excludedMatch(search, signal));
}

async function excludedMatch(search: ExcludedSearch, signal: AbortSignal): Promise<ExcludedMatch> {
  const limit = limitedSignal(signal, LIMIT_MS);
  try {
    return await find(search, limit);
  } catch (error) {
    signal.throwIfAborted();
    if (limit.aborted) return { type: "unknown" };
    throw error;
  }
}

async function find(
  { root, mayShow, args, matches }: ExcludedSearch,
  signal: AbortSignal,
): Promise<ExcludedMatch> {
  const shown = new ShownFiles(mayShow, root.folder);
  const run = { path: "./", cwd: root.cwd, separator: "\0", signal } as const;
  let found: string | undefined;
  await ripgrep({
    ...run,
    // Sorted, so that the same search names the same file.
    args: [...args, "--no-ignore", "--sort=path"],
    take: (records) => {
      found ??= records.map(withoutDot).find((path) => matches(path) && shown.has(path));
      return found === undefined;
    },
  });
  if (found === undefined || (await filesIn(root.folder, [found])).length === 0) return { type: "none" };
  // From the outermost folder inwards; those with a visible file are not excluded themselves.
  const folders = foldersAbove(found);
  let visible = 0;
  await ripgrep({
    ...run,
    args: ["--files", "--null"],
    take: (records) => {
      for (const record of records.map(withoutDot))
        while (visible < folders.length && record.startsWith(`${folders[visible]}/`)) visible++;
      return visible < folders.length;
    },
  });
  const folder = folders[visible];
  return {
    type: "found",
    file: root.nameOf(found),
    folder: folder === undefined ? undefined : root.nameOf(folder),
  };
}

function foldersAbove(path: string): string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) folders.unshift(folder);
  return folders;
}

function notesOn(match: ExcludedMatch): string[] {
  switch (match.type) {
    case "none":
      return [];
    case "unknown":
      return [
        "Files that .gitignore excludes were not searched: to search an excluded folder, pass it as path.",
      ];
    case "found":
      return match.folder === undefined
        ? [`${match.file} matches, but .gitignore excludes it.`]
        : [`Files that .gitignore excludes match: pass path: "${match.folder}" to search there.`];
  }
}
