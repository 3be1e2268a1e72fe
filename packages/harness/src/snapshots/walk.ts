/** Finds the files, links and folders of the workspace that go into a snapshot. */

import { type Stats, accessSync, constants, lstatSync, readdirSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { SnapshotFailure } from "./failure.ts";
import type { Ignored } from "./ignored.ts";
import { below, bytesOf, foldersAbove, isKeptOut, nameOf, shown } from "./path.ts";

/** Limits of a snapshot. */
export interface SnapshotLimits {
  /** A larger file is left out and reported. Default: 10 MB. */
  readonly fileBytes: number;
  /** With more files, no snapshot is taken. Default: 50,000. */
  readonly files: number;
  /** With more bytes, no snapshot is taken. Default: 1 GB. */
  readonly totalBytes: number;
}

/** A path that exists but is not in the snapshot, with everything below it. */
export interface LeftOut {
  /** Path below the workspace. */
  readonly path: string;
  /** The reason, as text for the user. */
  readonly reason: string;
}

export interface Found {
  /** Files and links. */
  readonly files: Map<string, Stats>;
  readonly folders: Map<string, Stats>;
  readonly leftOut: LeftOut[];
}

export interface WalkOptions {
  readonly workspace: string;
  readonly ignored: Ignored;
  readonly isProtected: (path: string) => boolean;
  readonly limits: SnapshotLimits;
  readonly signal: AbortSignal;
}

const FOLDERS_PER_FILE = 2;
/** After this many files, other work gets a turn. */
const AT_A_TIME = 500;

export class Walk {
  readonly found: Found = { files: new Map(), folders: new Map(), leftOut: [] };
  readonly #options: WalkOptions;
  #bytes = 0;
  #looks = 0;

  constructor(options: WalkOptions) {
    this.#options = options;
  }

  async all(): Promise<Found> {
    const { ignored } = this.#options;
    for (let level = [""]; level.length > 0; ) {
      const paths: string[] = [];
      for (const folder of level) {
        await this.#breathe();
        paths.push(...this.#list(folder));
      }
      const answers = await ignored.of(paths);
      level = await this.#look(paths.filter((_, at) => answers[at] === false));
    }
    return this.found;
  }

  /** Adds these files if they exist: those of a snapshot are compared even if they are ignored now. */
  async also(paths: Iterable<string>): Promise<void> {
    for (const path of paths) {
      if (this.found.files.has(path) || this.#isKeptOut(path)) continue;
      await this.#breathe();
      const isPlain = foldersAbove(path).every((folder) => this.#stat(folder)?.isDirectory() === true);
      const stats = isPlain ? this.#stat(path) : undefined;
      if (stats !== undefined && !stats.isDirectory()) this.#take(path, stats);
    }
  }

  #isKeptOut(path: string): boolean {
    return isKeptOut(path) || [...foldersAbove(path), path].some(this.#options.isProtected);
  }

  /** Lists a folder; returns nothing if it was deleted meanwhile. */
  #list(folder: string): string[] {
    try {
      return readdirSync(this.#full(folder), "latin1")
        .map((name) => below(folder, name))
        .filter((path) => !isKeptOut(path) && !this.#options.isProtected(path));
    } catch (error) {
      if (folder === "") throw error;
      if (this.#stat(folder)?.isDirectory() === true) this.#leaveOut(folder, "it cannot be read");
      return [];
    }
  }

  /** Returns the folders among them. */
  async #look(paths: readonly string[]): Promise<string[]> {
    const folders: string[] = [];
    for (const path of paths) {
      await this.#breathe();
      const stats = this.#stat(path);
      if (stats?.isDirectory() === true) {
        this.found.folders.set(path, stats);
        folders.push(path);
      } else if (stats !== undefined) this.#take(path, stats);
    }
    this.#checkLimits();
    return folders;
  }

  #take(path: string, stats: Stats): void {
    if (!stats.isFile() && !stats.isSymbolicLink()) return;
    const reason = this.#whyNot(path, stats);
    if (reason !== undefined) return this.#leaveOut(path, reason);
    this.found.files.set(path, stats);
    this.#bytes += stats.size;
    if (this.found.files.size % AT_A_TIME === 0) this.#checkLimits();
  }

  #whyNot(path: string, stats: Stats): string | undefined {
    const { fileBytes } = this.#options.limits;
    // Git refuses such a link.
    if (stats.isSymbolicLink())
      return nameOf(path).toLowerCase() === ".gitmodules"
        ? "it is a link with a name that git reserves"
        : undefined;
    if (stats.size > fileBytes) return `it is larger than ${fileBytes} bytes`;
    return this.#canRead(path, stats) ? undefined : "it cannot be read";
  }

  #canRead(path: string, { mode, uid }: Stats): boolean {
    if ((mode & 0o400) !== 0 && uid === process.getuid?.()) return true;
    try {
      accessSync(this.#full(path), constants.R_OK);
      return true;
    } catch {
      return false;
    }
  }

  #leaveOut(path: string, reason: string): void {
    this.found.leftOut.push({ path, reason });
  }

  #checkLimits(): void {
    const { files, totalBytes } = this.#options.limits;
    const tooMany = `the workspace has more than ${files} files`;
    if (this.found.files.size > files) throw new SnapshotFailure(tooMany);
    if (this.found.folders.size > files * FOLDERS_PER_FILE)
      throw new SnapshotFailure(`the workspace has more than ${files * FOLDERS_PER_FILE} folders`);
    if (this.#bytes > totalBytes)
      throw new SnapshotFailure(`the workspace has more than ${totalBytes} bytes in files`);
  }

  #stat(path: string): Stats | undefined {
    try {
      return lstatSync(this.#full(path));
    } catch {
      return undefined;
    }
  }

  #full(path: string): Buffer {
    return Buffer.concat([Buffer.from(`${this.#options.workspace}/`), bytesOf(path)]);
  }

  async #breathe(): Promise<void> {
    if (++this.#looks % AT_A_TIME !== 0) return;
    await setImmediate();
    this.#options.signal.throwIfAborted();
  }
}

export function shownLeftOut({ path, reason }: LeftOut): LeftOut {
  return { path: shown(path), reason };
}
