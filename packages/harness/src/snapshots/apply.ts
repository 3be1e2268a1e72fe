/**
 * Applies one step of a restore without following links: names are looked up in the open parent folder, and every parent
 * must be a real folder. At every moment, a file has either its old or its new content.
 */

import { randomBytes } from "node:crypto";
import {
  type Stats,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { codeOf } from "@runahead/base";
import { LINK, type Step } from "./difference.ts";
import { SnapshotFailure } from "./failure.ts";
import { bytesOf, nameOf } from "./path.ts";

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const FILE = constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const HAS_DESCRIPTORS = process.platform === "linux" && existsSync("/proc/self/fd");

export interface ApplyPorts {
  readonly workspace: string;
  readonly read: (blob: string) => Promise<Buffer>;
  /** The files at the time the snapshot of the current state was taken. */
  readonly before: ReadonlyMap<string, Stats>;
}

/** Returns false if there was nothing to do. Throws if the step cannot be applied. */
export async function apply(step: Step, ports: ApplyPorts): Promise<boolean> {
  const { workspace } = ports;
  const { path } = step;
  switch (step.type) {
    case "remove":
      return inFolderOf(workspace, path, (place) => {
        checkUnchanged(place, ports.before.get(path));
        unlinkSync(place);
        return true;
      });
    case "remove-folder":
      return inFolderOf(workspace, path, removeFolder);
    case "make-folder":
      return inFolderOf(workspace, path, makeFolder);
    case "write": {
      const bytes = await ports.read(step.kept.blob);
      return inFolderOf(workspace, path, (place, folder) => {
        checkUnchanged(place, ports.before.get(path));
        write(place, folder, { ...step, bytes });
        return true;
      });
    }
    case "set-mode":
      return setMode(step, workspace, FILE & ~constants.O_WRONLY);
    case "set-folder-mode":
      return setMode(step, workspace, FOLDER);
  }
}

function setMode(
  { path, mode }: { readonly path: string; readonly mode: number },
  workspace: string,
  flags: number,
): boolean {
  return inFolderOf(workspace, path, (place) => {
    const handle = openSync(place, flags);
    try {
      fchmodSync(handle, mode);
    } finally {
      closeSync(handle);
    }
    return true;
  });
}

/** An existing folder contains only files that are not in a snapshot. */
function makeFolder(place: Buffer): boolean {
  if (lstatSync(place, { throwIfNoEntry: false })?.isDirectory() === true) return false;
  mkdirSync(place);
  return true;
}

/** A folder with files that are not in a snapshot stays. */
function removeFolder(place: Buffer): boolean {
  try {
    rmdirSync(place);
    return true;
  } catch (error) {
    if (["ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR"].includes(codeOf(error))) return false;
    throw error;
  }
}

/** Only a file that the snapshot of the current state contains can be replaced or removed, so that it can be restored. */
function checkUnchanged(place: Buffer, before: Stats | undefined): void {
  const now = lstatSync(place, { throwIfNoEntry: false });
  if (before === undefined && now === undefined) return;
  if (before === undefined) throw new SnapshotFailure("a file that is not in any snapshot is in its place");
  const isSame =
    now?.ino === before.ino &&
    now.size === before.size &&
    now.mtimeMs === before.mtimeMs &&
    now.mode === before.mode;
  if (!isSame) throw new SnapshotFailure("it changed during the restore");
}

interface Content {
  readonly bytes: Buffer;
  readonly kept: { readonly mode: string };
  readonly mode: number;
  readonly replaces: boolean;
}

const TEMPORARY = /^\.runahead-[0-9a-f]{12}\.tmp$/;

/** Removes the temporary files that a restore which was killed left beside the files at these paths. */
export function removeTemporaries(workspace: string, paths: Iterable<string>): void {
  const oneOfEach = new Map([...paths].map((path) => [path.slice(0, path.lastIndexOf("/") + 1), path]));
  for (const path of oneOfEach.values()) {
    try {
      inFolderOf(workspace, path, (_place, folder) => {
        for (const name of readdirSync(folder))
          if (TEMPORARY.test(name)) unlinkSync(Buffer.concat([folder, Buffer.from(`/${name}`)]));
      });
    } catch {
      // The folder was never created, or is no longer one.
    }
  }
}

function write(place: Buffer, folder: Buffer, { bytes, kept, mode, replaces }: Content): void {
  const name = `/.runahead-${randomBytes(6).toString("hex")}.tmp`;
  const temporary = Buffer.concat([folder, Buffer.from(name)]);
  try {
    if (kept.mode === LINK) symlinkSync(bytes, temporary);
    else writeNew(temporary, bytes, mode);
    if (replaces) return renameSync(temporary, place);
    // Unlike a rename, a hard link never replaces a file that was created meanwhile; some file systems lack it.
    try {
      linkSync(temporary, place);
    } catch (error) {
      if (codeOf(error) === "EEXIST") throw error;
      renameSync(temporary, place);
    }
  } finally {
    rmSync(temporary, { force: true });
  }
}

function writeNew(place: Buffer, bytes: Buffer, mode: number): void {
  const handle = openSync(place, NEW_FILE, 0o600);
  try {
    writeFileSync(handle, bytes);
    fchmodSync(handle, mode);
  } finally {
    closeSync(handle);
  }
}

/** Runs the job with the path of the file and of its folder, both safe from links that are created meanwhile. */
function inFolderOf<Result>(
  workspace: string,
  path: string,
  job: (place: Buffer, folder: Buffer) => Result,
): Result {
  const handles = [openSync(workspace, FOLDER)];
  let at = Buffer.from(workspace);
  const here = (): Buffer =>
    HAS_DESCRIPTORS ? Buffer.from(`/proc/self/fd/${handles.at(-1) as number}`) : at;
  const inside = (name: string): Buffer => Buffer.concat([here(), Buffer.from("/"), bytesOf(name)]);
  try {
    for (const name of path.split("/").slice(0, -1)) {
      handles.push(openFolder(inside(name)));
      at = Buffer.concat([at, Buffer.from("/"), bytesOf(name)]);
    }
    return job(inside(nameOf(path)), here());
  } finally {
    for (const handle of handles) closeSync(handle);
  }
}

function openFolder(place: Buffer): number {
  try {
    return openSync(place, FOLDER);
  } catch (error) {
    if (codeOf(error) === "ELOOP" || codeOf(error) === "ENOTDIR")
      throw new SnapshotFailure("a parent folder is now a link or a file");
    throw error;
  }
}
