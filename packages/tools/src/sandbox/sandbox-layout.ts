/** Which paths a sandbox shows, hides and opens. They are looked up for every command, because files change. */

import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { matchingPaths } from "./sandbox-globs.ts";
import { type Hiding, hiddenInside, hide, hidingOf } from "./sandbox-hidden.ts";
import { isSocket, withoutLooseLinks } from "./sandbox-opened.ts";
import type { SandboxOptions, SandboxPlace } from "./sandbox-options.ts";
import { isWithin, kindOf, realPath } from "./sandbox-paths.ts";
import { HIDDEN } from "./sandbox-places.ts";

interface Revealed {
  /** In folders around the workspace. */
  readonly around: readonly string[];
  readonly others: readonly string[];
  /** Paths in them that stay hidden. */
  readonly inside: Hiding["all"];
}

export class SandboxLayout {
  /** The real path of the workspace. */
  readonly root: string;
  readonly #options: SandboxOptions;
  readonly #place: SandboxPlace;
  /** Resolved when the agent starts: a command could replace a folder in the workspace with a link. */
  readonly #writable: readonly string[];

  constructor(options: SandboxOptions, place: SandboxPlace) {
    this.#options = options;
    this.#place = place;
    this.root = realPath(place.root);
    const writable = this.places(options.writable);
    this.#writable = withoutLooseLinks(writable, [this.root, ...writable]).map(realPath);
  }

  get #isReading(): boolean {
    return this.#place.profile === "read-only";
  }

  get home(): string {
    return this.#place.env["HOME"] ?? homedir();
  }

  resolve(path: string): string {
    return path.startsWith("~/") ? join(this.home, path.slice(2)) : resolve(this.root, path);
  }

  /** Absolute paths, with patterns replaced by what they match now. */
  places(paths: readonly string[] = []): string[] {
    return matchingPaths(paths.map((path) => this.resolve(path)));
  }

  /** What is readable in hidden folders, and what stays hidden in it. The agent's own folder always does. */
  revealed(files: readonly string[]): Revealed {
    const { around, others } = this.hiding(files);
    const readable = this.#opened(this.#options.readable).filter((path) => kindOf(path) !== "missing");
    const isIn = (path: string, places: Hiding["all"]): boolean =>
      places.some((place) => place.isFolder && isWithin(path, place.path));
    const late = readable.filter((path) => isIn(path, others));
    // Before the workspace is mounted, because it must not be covered.
    const early = readable.filter((path) => isIn(path, around) && !isWithin(path, this.root));
    return { around: early, others: late, inside: hiddenInside(this.#hidden(files), [...early, ...late]) };
  }

  /** Connecting to a socket on a read-only mount is possible. */
  get openSockets(): string[] {
    const { sockets = [] } = this.#options;
    return sockets === "all" ? [] : this.#opened(sockets).filter(isSocket);
  }

  /** The real paths of what the settings open. */
  #opened(paths: readonly string[] = []): string[] {
    const { stateFolder, home } = this.#place;
    const own = [stateFolder, home].map(realPath);
    return withoutLooseLinks(this.places(paths), this.writableFolders)
      .map(realPath)
      .filter((path) => !own.some((folder) => isWithin(path, folder)));
  }

  get writableFolders(): string[] {
    const isSame = (path: string): boolean => kindOf(path) !== "missing" && realPath(path) === path;
    return [...new Set([this.root, ...this.#writable.filter(isSame)])];
  }

  /**
   * The folder of outputs can be read, although the agent's folder is hidden. If the workspace is in it, as the worktree
   * of a sub-agent is, it must be mounted before the workspace.
   */
  output(where: "around" | "beside", files: readonly string[]): string[] {
    const folder = realPath(this.#place.outputFolder);
    const isAround = isWithin(this.root, folder);
    if (kindOf(folder) !== "folder" || isAround !== (where === "around")) return [];
    return ["--ro-bind", folder, folder, ...hide(hiddenInside(this.#hidden(files), [folder]))];
  }

  hiding(files: readonly string[]): Hiding {
    return hidingOf(this.#hidden(files), this.root);
  }

  /**
   * Paths below `/run` (and below `/tmp` for commands that write) are absent in the sandbox anyway, unless in the
   * workspace or opened. The agent's own folder has the sockets by which its questions are answered.
   */
  #hidden(files: readonly string[]): string[] {
    const isRunOpen = this.#options.sockets === "all" && !this.#isReading;
    const covered = this.#isReading ? /^\/run\// : isRunOpen ? /^\/tmp\// : /^\/(?:tmp|run)\//;
    const { stateFolder, home } = this.#place;
    const readable = new Set(this.places(this.#options.readable));
    const named = this.places([...HIDDEN, ...(this.#options.hidden ?? [])]).filter(
      (path) => !readable.has(path),
    );
    const usual = [...named, stateFolder, home].filter(
      (path) => isWithin(path, this.root) || !covered.test(path),
    );
    return [...usual, ...files];
  }
}

export function readOnlyMounts(paths: readonly string[]): string[] {
  return paths.flatMap((path) => ["--ro-bind", path, path]);
}
