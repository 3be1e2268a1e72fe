/** What a shell command touches, so that commands that touch different places can run side by side. */

import { posix } from "node:path";
import type { CommandNode, PipelineNode, Statement } from "unbash";
import { hasOnlySafeVariables } from "./command-text.ts";
import { isFree } from "../paths/command-files.ts";
import { type DiskEntry, type Files, FILES_ON_DISK } from "../paths/disk.ts";
import { isInside, realPathOnDisk } from "../paths/paths.ts";
import { type KnownEffect, type KnownWrite, knownEffect } from "../bash/access-table.ts";
import { attempt } from "../bash/links.ts";
import { parseShell } from "../bash/parse.ts";
import type { ShellCommand, ShellRedirect, ShellScope } from "../bash/script.ts";
import { checkScope, readShell } from "../bash/walk.ts";

/**
 * What a shell command reads and writes.
 *
 * - `everything`: it could touch anything.
 * - `places`: it reads and writes only these files and everything below these folders.
 */
export type CommandAccess =
  | {
      /** Whether the places are known. */
      readonly type: "everything";
    }
  | {
      readonly type: "places";
      /** Absolute paths that it reads. */
      readonly reads: readonly string[];
      /** Absolute paths that it writes, creates or removes. */
      readonly writes: readonly string[];
      /** Whether it depends on the working directory. */
      readonly usesCwd: boolean;
    };

const EVERYTHING: CommandAccess = { type: "everything" };
/** A folder with more entries is not searched for links. */
const MOST_ENTRIES = 2_000;

/**
 * Returns what a shell command touches, if its words show it: redirections to files, `mkdir`, `touch`, `cp`, `mv`, `rm`,
 * `ln -s`, `sed -i` and formatters on named files, and commands that only print. Anything else touches everything: an
 * unknown program or option, a pattern, an expansion, a `cd`, a loop, a job in the background, and a symbolic link in a
 * place where it matters. Looks at the disk.
 *
 * @throws TypeError if `scope` has no `cwd` or no `home`. No command throws.
 *
 * @example
 * ```ts
 * commandAccess("sort a.txt > b.txt", { cwd: "/repo", home: "/home/me" });
 * // { type: "places", reads: ["/repo/a.txt"], writes: ["/repo/b.txt"], usesCwd: true }
 * commandAccess("npm test", { cwd: "/repo", home: "/home/me" }); // { type: "everything" }
 * ```
 */
export function commandAccess(command: string, scope: ShellScope): CommandAccess {
  checkScope(scope);
  return accessOf(command, scope, FILES_ON_DISK);
}

function accessOf(command: string, scope: ShellScope, files: Files): CommandAccess {
  if (!isPlain(command)) return EVERYTHING;
  const { commands, doubts, hides, isOpaque, isUnreadable } = readShell(command, scope);
  if (isUnreadable || isOpaque || doubts.length > 0 || hides.length > 0) return EVERYTHING;
  const effects = commands.map(effectOf);
  if (effects.length === 0 || effects.some((effect) => effect === undefined)) return EVERYTHING;
  return new Places(scope.cwd, files).of(effects as KnownEffect[]);
}

/** Whether the text is only simple commands, one after the other or in pipelines, none of them in the background. */
function isPlain(command: string): boolean {
  const parsed = parseShell(command);
  if (parsed.type !== "script" || (parsed.script.errors ?? []).length > 0) return false;
  return parsed.script.commands.every(
    ({ command: one, background }: Statement) => background !== true && isPlainList(one),
  );
}

function isPlainList(node: Statement["command"]): boolean {
  return node.type === "AndOr" ? node.commands.every(isPlainPipeline) : isPlainPipeline(node);
}

function isPlainPipeline(node: PipelineNode | CommandNode): boolean {
  return node.type === "Pipeline"
    ? node.commands.every((one) => one.type === "Command")
    : node.type === "Command";
}

function effectOf(command: ShellCommand): KnownEffect | undefined {
  const { words, assignments, redirects, isInner, moved } = command;
  if (isInner || moved || !hasOnlySafeVariables(command)) return undefined;
  if (words.length === 0 && assignments.length > 0) return undefined;
  if (words.some(({ type }) => type !== "static")) return undefined;
  const own = knownEffect(words);
  const files = redirects.flatMap((one) => (one.type === "file" && !isFree(one.target) ? [one] : []));
  if (own === undefined || files.some(({ target }) => target.type !== "static")) return undefined;
  return {
    ...own,
    reads: [...own.reads, ...redirected(files, "read")],
    writes: [...own.writes, ...written(files)],
  };
}

type FileRedirect = Extract<ShellRedirect, { type: "file" }>;

function redirected(files: readonly FileRedirect[], mode: "read" | "write"): string[] {
  return files.flatMap((one) => (one.mode === mode || one.mode === "both" ? [one.target.value] : []));
}

function written(files: readonly FileRedirect[]): KnownWrite[] {
  return redirected(files, "write").map((path) => ({ type: "file", path, mayLink: false }));
}

/** A place that cannot be determined. */
class Unknown extends Error {}

/** Turns words into absolute paths. */
class Places {
  readonly #cwd: string;
  readonly #files: Files;
  #usesCwd = false;

  constructor(cwd: string, files: Files) {
    this.#cwd = cwd;
    this.#files = files;
  }

  of(effects: readonly KnownEffect[]): CommandAccess {
    try {
      const reads = effects.flatMap((effect) => this.#read(effect));
      const writes = effects.flatMap((effect) => effect.writes.flatMap((write) => this.#written(write)));
      // The command could remove its own working directory.
      if (writes.some((path) => isInside(this.#cwd, path))) return EVERYTHING;
      const writing = effects.filter((effect) => effect.writes.length > 0);
      // A link that one command creates can lead the next one anywhere.
      if (
        writing.length > 1 &&
        writing.some((effect) => effect.writes.some((one) => this.#mayLink(one, effect)))
      )
        return EVERYTHING;
      const usesCwd = this.#usesCwd || effects.some((effect) => effect.usesCwd);
      return { type: "places", reads: unique(reads), writes: unique(writes), usesCwd };
    } catch (error) {
      if (error instanceof Unknown) return EVERYTHING;
      throw error;
    }
  }

  #read({ reads, writes, configs = [] }: KnownEffect): string[] {
    const own = reads.map((path) => this.#path(path));
    if (configs.length === 0) return own;
    const folders = writes.flatMap(({ path }) => foldersAbove(this.#path(path)));
    return [...own, ...folders.flatMap((folder) => configs.map((name) => posix.join(folder, name)))];
  }

  /** A single file that is moved is not a link, because links are refused. */
  #mayLink(write: KnownWrite, { reads }: KnownEffect): boolean {
    if (!write.mayLink) return false;
    const isOfFiles = reads.length > 0 && reads.every((path) => this.#stat(this.#path(path)) === "file");
    return !(write.type === "into" && !write.isDeep && isOfFiles);
  }

  #written(write: KnownWrite): string[] {
    const path = this.#path(write.path);
    this.#refuseLink(path);
    switch (write.type) {
      case "existing":
        if (this.#stat(path) !== "file") throw new Unknown();
        return [path];
      case "file":
        return [path];
      case "made":
        return [this.#firstMissing(path)];
      case "into":
        return [this.#target(path, write)];
    }
  }

  #target(path: string, { name, isExact, isDeep }: Extract<KnownWrite, { type: "into" }>): string {
    const isFolder = this.#stat(path) === "folder";
    const isPlainName = name !== "" && name !== "." && name !== "..";
    const target = isFolder && !isExact && isPlainName ? posix.join(path, name) : path;
    this.#refuseLink(target);
    if (isDeep) this.#refuseLinksBelow(target);
    return target;
  }

  #path(path: string): string {
    if (path === "" || hasInnerUp(path)) throw new Unknown();
    if (!path.startsWith("/")) this.#usesCwd = true;
    // The system goes up from the real folder, whatever its name is.
    const base = path.startsWith("..") ? attempt(this.#cwd, realPathOnDisk) : this.#cwd;
    if (base === undefined) throw new Unknown();
    const full = posix.resolve(base, path);
    // Devices and files of the kernel are more than files.
    if (/^\/(?:dev|proc|sys)(?:\/|$)/.test(full) || full === "/") throw new Unknown();
    return full;
  }

  #stat(path: string): DiskEntry["type"] | undefined {
    return this.#files.stat(path)?.type;
  }

  /** What happens to a link depends on the command: it can be followed, replaced or removed. A hard link has other names. */
  #refuseLink(path: string): void {
    const found = this.#files.stat(path);
    if (found?.type === "link" || (found?.type === "file" && found.links > 1)) throw new Unknown();
  }

  /** A recursive copy writes through links that are already there. */
  #refuseLinksBelow(target: string): void {
    if (this.#stat(target) !== "folder") return;
    let left = MOST_ENTRIES;
    const folders = [target];
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      const entries = this.#files.list(folder, left + 1);
      left -= entries?.length ?? 0;
      if (entries === undefined || left < 0) throw new Unknown();
      for (const { name, type } of entries) {
        const path = posix.join(folder, name);
        this.#refuseLink(path);
        if (type === "folder") folders.push(path);
      }
    }
  }

  #firstMissing(path: string): string {
    let first = path;
    for (let at = path; this.#stat(at) === undefined && at !== "/"; at = posix.dirname(at)) first = at;
    return first;
  }
}

/** After a name, which could be a link, `..` is another folder than the text says. */
function hasInnerUp(path: string): boolean {
  const names = path.split("/");
  const first = names.findIndex((name) => name !== "..");
  return first >= 0 && names.slice(first).includes("..");
}

function foldersAbove(path: string): string[] {
  const folders: string[] = [];
  for (let at = posix.dirname(path); ; at = posix.dirname(at)) {
    folders.push(at);
    if (at === "/") return folders;
  }
}

function unique(paths: readonly string[]): string[] {
  return [...new Set(paths)];
}
