/** Where sessions are stored: one private directory per project, with a unique name. */

import { createHash } from "node:crypto";
import { chmod, lstat, mkdir, mkdtemp, realpath } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { codeOf } from "@runahead/base";

const PRIVATE = 0o700;
const WRITABLE_BY_ALL = 0o002;
const STICKY = 0o1000;
const READABLE_CHARS = 60;
/** How many alternative names are tried if a directory is refused. */
const OTHERS = 8;

export type Notice = (message: string) => void;

export function homeOf(home: string | undefined): string {
  const chosen = home ?? process.env["RUNAHEAD_HOME"];
  return chosen === undefined || chosen === "" ? join(homedir(), ".runahead") : resolve(chosen);
}

/** A readable part of the path plus a hash of the whole path, so that no two projects share a name (G13). */
export function folderName(path: string): string {
  const readable = path.replaceAll(/[^A-Za-z0-9.]+/g, "-").slice(-READABLE_CHARS);
  const hash = createHash("sha256").update(path).digest("hex").slice(0, 16);
  return `${readable.replace(/^[-.]+/, "") || "root"}-${hash}`;
}

export async function realPathOf(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path));
}

/** Returns the directory of a project's sessions. Refuses and reports any directory on the way that is not private (E04). */
export async function projectFolder(home: string, cwd: string, onNotice: Notice): Promise<string> {
  const projects = await privateDirectory(join(await homeDirectory(home, onNotice), "projects"), onNotice);
  return privateDirectory(join(projects, folderName(await realPathOf(cwd))), onNotice);
}

/** The user chose the home, so it can be a link and keeps its mode, but other users must not be able to replace its content. */
async function homeDirectory(home: string, onNotice: Notice): Promise<string> {
  await mkdir(home, { recursive: true, mode: PRIVATE });
  const real = await realpath(home);
  const { mode, uid } = await lstat(real);
  const isShared = (mode & WRITABLE_BY_ALL) !== 0 && (mode & STICKY) === 0;
  if (isOurs(uid) && !isShared) return real;
  return instead(real, isShared ? "it is world-writable" : "it belongs to another user", onNotice);
}

/** Creates the directory if it is missing. Returns another one next to it if this one cannot be trusted. */
export async function privateDirectory(path: string, onNotice: Notice): Promise<string> {
  const problem = await makePrivate(path);
  return problem === undefined ? path : instead(path, problem, onNotice);
}

/** Creates the directory if it is missing. Throws if it cannot be trusted. */
export async function makePrivateFolder(path: string, onNotice: Notice = () => {}): Promise<void> {
  if ((await privateDirectory(path, onNotice)) !== path) throw new Error(`${path} is not private`);
}

/** Tries the alternatives in a fixed order, so that saved sessions are found again. */
async function instead(path: string, problem: string, onNotice: Notice): Promise<string> {
  const chosen = await firstPrivate(path);
  onNotice(`Cannot use ${path}: ${problem}. Sessions are stored in ${chosen} instead.`);
  return chosen;
}

async function firstPrivate(path: string): Promise<string> {
  for (let number = 1; number <= OTHERS; number++) {
    const other = join(dirname(path), `${basename(path)}.private-${number}`);
    try {
      if ((await makePrivate(other)) === undefined) return other;
    } catch (error) {
      if (codeOf(error) !== "EACCES" && codeOf(error) !== "EPERM") throw error;
    }
  }
  return mkdtemp(join(tmpdir(), "runahead-"));
}

/** Returns why the directory cannot be trusted, if so. Fixes the mode of a directory that belongs to us. */
async function makePrivate(path: string): Promise<string | undefined> {
  await mkdir(path, { mode: PRIVATE }).catch((error: unknown) => {
    if (codeOf(error) !== "EEXIST") throw error;
  });
  const found = await lstat(path);
  if (found.isSymbolicLink()) return "it is a symbolic link";
  if (!found.isDirectory()) return "it is not a directory";
  if (!isOurs(found.uid)) return "it belongs to another user";
  if ((found.mode & WRITABLE_BY_ALL) !== 0) return "it is world-writable";
  if ((found.mode & 0o777) !== PRIVATE && isPosix()) await chmod(path, PRIVATE);
  return undefined;
}

function isPosix(): boolean {
  return process.getuid !== undefined;
}

/** True on systems without user ids, which have access rules of their own. */
export function isOurs(uid: number): boolean {
  return process.getuid === undefined || process.getuid() === uid;
}
