/** The files of a folder for completion: those that git tracks or would add, otherwise all of them. */

import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTick } from "node:timers/promises";
import { promisify } from "node:util";
import { ownGit } from "@runahead/harness";
import { type FileIndex, indexOf } from "./file-match.ts";

const run = promisify(execFile);
const MOST_FILES = 200_000;
const MOST_BYTES = 64_000_000;
const GIT_MS = 10_000;
const SLICE = 10_000;
const FRESH_MS = 5_000;
const PASSED_OVER = new Set([".git", "node_modules"]);

export class ProjectFiles {
  readonly #cwd: string;
  #listed: Promise<FileIndex> | undefined;
  #listedMs = Number.NEGATIVE_INFINITY;
  #isReading = false;
  /** Whether files that git ignores are left out. */
  respectsGitignore = true;

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  /**
   * Files, and folders with a final slash: at most 200,000. An older list is returned at once, and read again for the
   * next time.
   */
  list(): Promise<FileIndex> {
    const isOld = performance.now() - this.#listedMs > FRESH_MS;
    if (this.#listed === undefined) this.#listed = this.#read();
    else if (isOld && !this.#isReading) {
      const next = this.#read();
      void next.then(() => (this.#listed = next));
    }
    return this.#listed;
  }

  async #read(): Promise<FileIndex> {
    this.#isReading = true;
    const ofGit = this.respectsGitignore ? await filesOfGit(this.#cwd) : undefined;
    const files = ofGit ?? (await filesBelow(this.#cwd));
    const index = await indexOf([...(await foldersOf(files)), ...files].slice(0, MOST_FILES));
    this.#isReading = false;
    this.#listedMs = performance.now();
    return index;
  }
}

/** Returns undefined if git cannot list the files. */
async function filesOfGit(cwd: string): Promise<readonly string[] | undefined> {
  try {
    const git = await ownGit(cwd, process.env);
    if (git === undefined) return undefined;
    const args = [...git.options, "ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    const { stdout } = await run(git.program, args, {
      cwd,
      env: git.env,
      maxBuffer: MOST_BYTES,
      timeout: GIT_MS,
    });
    return stdout.split("\0").filter((name) => name !== "");
  } catch {
    return undefined;
  }
}

async function filesBelow(cwd: string): Promise<readonly string[]> {
  const files: string[] = [];
  const folders = [""];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    const entries = await readdir(join(cwd, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (PASSED_OVER.has(entry.name)) continue;
      const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) folders.push(name);
      else files.push(name);
    }
    if (files.length >= MOST_FILES || folders.length >= MOST_FILES) break;
  }
  return files;
}

/** Stops at the first folder that is known, because those above it are known too. */
async function foldersOf(files: readonly string[]): Promise<ReadonlySet<string>> {
  const folders = new Set<string>();
  for (const [at, file] of files.entries()) {
    for (let end = file.lastIndexOf("/"); end > 0; end = file.lastIndexOf("/", end - 1)) {
      const folder = file.slice(0, end + 1);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
    if (at % SLICE === SLICE - 1) await nextTick();
  }
  return folders;
}
