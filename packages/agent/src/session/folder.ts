/** Where sessions are: private directories, one per project, whose names never meet. */

import { createHash } from "node:crypto";
import { chmod, lstat, mkdir, mkdtemp, realpath } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { codeOf } from "@runahead/base";

const PRIVATE = 0o700;
const WRITABLE_BY_ALL = 0o002;
const STICKY = 0o1000;
const READABLE_CHARS = 60;
/** So many other names are tried beside a directory that is refused. */
const OTHERS = 8;

export type Notice = (message: string) => void;

export function homeOf(home: string | undefined): string {
  const chosen = home ?? process.env["RUNAHEAD_HOME"];
  return chosen === undefined || chosen === "" ? join(homedir(), ".runahead") : resolve(chosen);
}

/** The end of the path for people, and a hash of all of it, so that no two projects share a name (G13). */
export function folderName(path: string): string {
  const readable = path.replaceAll(/[^A-Za-z0-9.]+/g, "-").slice(-READABLE_CHARS);
  const hash = createHash("sha256").update(path).digest("hex").slice(0, 16);
  return `${readable.replace(/^[-.]+/, "") || "root"}-${hash}`;
}

export async function realPathOf(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path));
}

/** The directory of a project's sessions; what is not private on the way there is refused and told (E04). */
export async function projectFolder(home: string, cwd: string, onNotice: Notice): Promise<string> {
  const projects = await privateDirectory(join(await homeDirectory(home, onNotice), "projects"), onNotice);
  return privateDirectory(join(projects, folderName(await realPathOf(cwd))), onNotice);
}

/** The home is a person's choice, so it may be a link and keeps its mode; others may not replace what is in it. */
async function homeDirectory(home: string, onNotice: Notice): Promise<string> {
  await mkdir(home, { recursive: true, mode: PRIVATE });
  const real = await realpath(home);
  const { mode, uid } = await lstat(real);
  const isShared = (mode & WRITABLE_BY_ALL) !== 0 && (mode & STICKY) === 0;
  if (isOurs(uid) && !isShared) return real;
  return instead(real, isShared ? "everybody may write to it" : "it belongs to another user", onNotice);
}

/** This directory, made if it is missing, or another one beside it where this one cannot be trusted. */
export async function privateDirectory(path: string, onNotice: Notice): Promise<string> {
  const problem = await makePrivate(path);
  return problem === undefined ? path : instead(path, problem, onNotice);
}

/** Always the same others first, so that what is saved there is found again. */
async function instead(path: string, problem: string, onNotice: Notice): Promise<string> {
  const chosen = await firstPrivate(path);
  onNotice(`${path} is not used, because ${problem}. Sessions are kept in ${chosen}.`);
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

/** Why it cannot be trusted, if so. What is ours and only too open is closed. */
async function makePrivate(path: string): Promise<string | undefined> {
  await mkdir(path, { mode: PRIVATE }).catch((error: unknown) => {
    if (codeOf(error) !== "EEXIST") throw error;
  });
  const found = await lstat(path);
  if (found.isSymbolicLink()) return "it is a symbolic link";
  if (!found.isDirectory()) return "it is not a directory";
  if (!isOurs(found.uid)) return "it belongs to another user";
  if ((found.mode & WRITABLE_BY_ALL) !== 0) return "everybody may write to it";
  if ((found.mode & 0o777) !== PRIVATE && isPosix()) await chmod(path, PRIVATE);
  return undefined;
}

function isPosix(): boolean {
  return process.getuid !== undefined;
}

/** Where there are no user ids, the system's own rules must do. */
export function isOurs(uid: number): boolean {
  return process.getuid === undefined || process.getuid() === uid;
}
