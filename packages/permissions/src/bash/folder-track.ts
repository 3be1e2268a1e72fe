/** The folders that the next command of a script can run in, as `cd` and subshells change them. */

import { type Folders, foldersAfter, isSame, searchesFolders, unite } from "./folder.ts";
import type { ShellAssignment, ShellScope, ShellWord } from "./script.ts";
import { plainWord } from "./word.ts";

const CD = plainWord("cd");

export class FolderTrack {
  readonly #scope: ShellScope;
  #now: Folders;
  /** `cd` could find a relative folder elsewhere. */
  #searches = false;

  constructor(scope: ShellScope) {
    this.#scope = scope;
    this.#now = [scope.cwd];
  }

  get now(): Folders {
    return this.#now;
  }

  get hasMoved(): boolean {
    return !isSame(this.#now, [this.#scope.cwd]);
  }

  /** The folder, if there is only one that it can be. */
  get only(): string | undefined {
    return this.#now?.length === 1 ? this.#now[0] : undefined;
  }

  /** After this command. */
  follow(words: readonly ShellWord[], assignments: readonly ShellAssignment[]): void {
    if (searchesFolders(words, assignments)) this.#searches = true;
    const after = foldersAfter(words, this.#now, this.#scope);
    this.#now = this.#searches && after !== this.#now ? undefined : after;
  }

  /** The next command can also run in these folders. */
  addAll(folders: Folders): void {
    this.#now = unite(folders, this.#now);
  }

  /** In a subshell: a change of folder ends with it. */
  apart(visit: () => void): void {
    const before = this.#now;
    visit();
    this.#now = before;
  }

  /** A change of folder counts, and so does the possibility that it fails. */
  perhaps(visit: () => void): void {
    const before = this.#now;
    visit();
    this.addAll(before);
  }

  /** For a command that another one starts in a folder. */
  within(folder: ShellWord | "unknown" | undefined, visit: () => void): void {
    if (folder === undefined) return visit();
    const before = this.#now;
    this.#now = folder === "unknown" ? undefined : foldersAfter([CD, folder], before, this.#scope);
    visit();
    this.#now = before;
  }

  /** For code that can run more than once: after a change of folder in it, the folder is unknown. Returns whether it is. */
  repeated(visit: () => void): boolean {
    const before = this.#now;
    visit();
    const isMoved = !isSame(before, this.#now);
    if (isMoved) this.#now = undefined;
    return isMoved;
  }
}
