/** The steps that turn the files of one snapshot into those of another. */

import { FOLDER_MODE, type Manifest, usualMode } from "./manifest.ts";
import { foldersAbove, shown } from "./path.ts";
import type { Kept, Snapshot } from "./store.ts";

export type Step =
  | { readonly type: "remove"; readonly path: string }
  | { readonly type: "remove-folder"; readonly path: string; readonly wasEmpty: boolean }
  | { readonly type: "make-folder"; readonly path: string; readonly isEmpty: boolean }
  | {
      readonly type: "write";
      readonly path: string;
      readonly kept: Kept;
      readonly mode: number;
      /** Whether it replaces an existing file. */
      readonly replaces: boolean;
    }
  | { readonly type: "set-mode"; readonly path: string; readonly mode: number }
  | {
      readonly type: "set-folder-mode";
      readonly path: string;
      readonly mode: number;
      readonly isNew: boolean;
    };

/** Paths that differ. A folder ends with `/`, and is named only if it is empty. */
export interface WorkspaceChanges {
  /** Paths that did not exist before. */
  readonly added: readonly string[];
  /** Paths whose content or mode changed. */
  readonly changed: readonly string[];
  /** Paths that no longer exist. */
  readonly removed: readonly string[];
}

export const LINK = "120000";
/** The permissions needed to list a folder and change it. */
const OURS = 0o700;

/** Returns the steps in an order in which they can be applied. */
export function stepsBetween(from: Snapshot, to: Snapshot): Step[] {
  const removed = [...from.files.keys()].filter((path) => !to.files.has(path));
  const modes = folderModeSteps(from, to);
  return [
    ...modes.first,
    ...removed.map((path) => ({ type: "remove", path }) as const),
    ...folderSteps(from, to),
    ...[...to.files].flatMap(([path, kept]) => fileStep(path, kept, { from, to })),
    ...modes.last,
  ];
}

function fileStep(path: string, kept: Kept, { from, to }: { from: Snapshot; to: Snapshot }): Step[] {
  const before = from.files.get(path);
  const mode = modeOf(path, kept, to.manifest);
  const isSame = before?.blob === kept.blob && (before.mode === LINK) === (kept.mode === LINK);
  if (!isSame) return [{ type: "write", path, kept, mode, replaces: before !== undefined }];
  return modeOf(path, before, from.manifest) === mode ? [] : [{ type: "set-mode", path, mode }];
}

function modeOf(path: string, { mode }: Kept, { modes }: Manifest): number {
  return modes.get(path) ?? usualMode(mode === "100755");
}

function folderSteps(from: Snapshot, to: Snapshot): Step[] {
  const before = foldersOf(from);
  const after = foldersOf(to);
  const wereEmpty = new Set(from.manifest.emptyFolders);
  const areEmpty = new Set(to.manifest.emptyFolders);
  const gone = [...before.keys()].filter((path) => !after.has(path)).toSorted();
  const made = [...after.keys()].filter((path) => !before.has(path)).toSorted();
  return [
    // Inner folders before outer ones.
    ...gone
      .toReversed()
      .map((path) => ({ type: "remove-folder", path, wasEmpty: wereEmpty.has(path) }) as const),
    ...made.map((path) => ({ type: "make-folder", path, isEmpty: areEmpty.has(path) }) as const),
  ];
}

/** Modes that open a folder come first, outermost first; modes that can close one come last, innermost first. */
function folderModeSteps(from: Snapshot, to: Snapshot): { first: Step[]; last: Step[] } {
  const before = foldersOf(from);
  const steps = [...foldersOf(to)]
    .filter(([path, mode]) => before.get(path) !== mode)
    .map(([path, mode]) => ({ type: "set-folder-mode", path, mode, isNew: !before.has(path) }) as const)
    .toSorted((one, other) => (one.path < other.path ? -1 : 1));
  const lets = (step: (typeof steps)[number]): boolean => !step.isNew && (step.mode & OURS) === OURS;
  return { first: steps.filter(lets), last: steps.filter((step) => !lets(step)).toReversed() };
}

/** Returns all folders with their modes. */
function foldersOf({ files, manifest }: Snapshot): Map<string, number> {
  const folders = new Map<string, number>();
  for (const path of files.keys()) for (const folder of foldersAbove(path)) folders.set(folder, FOLDER_MODE);
  for (const path of [...manifest.emptyFolders, ...manifest.folderModes.keys()])
    for (const folder of [...foldersAbove(path), path]) folders.set(folder, FOLDER_MODE);
  for (const [path, mode] of manifest.folderModes) folders.set(path, mode);
  return folders;
}

/** Returns the changes to show; folders are listed only if no file in them shows the change. */
export function changesOf(steps: readonly Step[]): WorkspaceChanges {
  const added: string[] = [];
  const changed: string[] = [];
  const removed: string[] = [];
  for (const step of steps) {
    const path = shown(step.path);
    if (step.type === "remove") removed.push(path);
    else if (step.type === "write") (step.replaces ? changed : added).push(path);
    else if (step.type === "set-mode") changed.push(path);
    else if (step.type === "make-folder" && step.isEmpty) added.push(`${path}/`);
    else if (step.type === "remove-folder" && step.wasEmpty) removed.push(`${path}/`);
    else if (step.type === "set-folder-mode" && !step.isNew) changed.push(`${path}/`);
  }
  return { added: added.toSorted(), changed: changed.toSorted(), removed: removed.toSorted() };
}
