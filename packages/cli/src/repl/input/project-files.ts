/** The files of a folder for completion: those that git tracks or would add, otherwise all of them. */

import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { ownGit } from "@runahead/harness";

const run = promisify(execFile);
const MOST_FILES = 50_000;
const MOST_BYTES = 16_000_000;
const GIT_MS = 5_000;
const FRESH_MS = 5_000;
const PASSED_OVER = new Set([".git", "node_modules"]);

export class ProjectFiles {
  readonly #cwd: string;
  #listed: Promise<readonly string[]> | undefined;
  #listedMs = Number.NEGATIVE_INFINITY;

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  /** Files, and folders with a final slash: at most 50,000, cached for a few seconds. */
  list(): Promise<readonly string[]> {
    const now = performance.now();
    if (this.#listed === undefined || now - this.#listedMs > FRESH_MS) {
      this.#listedMs = now;
      this.#listed = this.#read();
    }
    return this.#listed;
  }

  async #read(): Promise<readonly string[]> {
    const files = (await filesOfGit(this.#cwd)) ?? (await filesBelow(this.#cwd));
    const folders = new Set(files.flatMap(foldersOf));
    return [...folders, ...files].slice(0, MOST_FILES);
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

function foldersOf(file: string): string[] {
  const parts = file.split("/").slice(0, -1);
  return parts.map((_, at) => `${parts.slice(0, at + 1).join("/")}/`);
}
