/**
 * Cleans up `.git` folders after sandboxed commands. Mounts protect existing files that git does not write, but they
 * cannot prevent new names or links, because git itself creates and renames files there. So new names that git does not
 * write, and new links, through which git would write elsewhere, are removed when a command has ended. A record of the
 * state before lets the next agent clean up after one that was killed.
 */

import { mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isShape } from "@runahead/base";
import { type Repositories, entriesIn } from "./sandbox-git-folders.ts";
import { ALTERNATES, NEEDED_FOLDERS, isWrittenByGit } from "./sandbox-git-names.ts";
import { kindOf, looked } from "./sandbox-paths.ts";
import { PROTECTED_GIT_FILES, PROTECTED_GIT_FOLDERS } from "./sandbox-places.ts";
import { removeBelow } from "./sandbox-remove.ts";

const RECORD = "repositories";
const MOST_NAMED = 5;

/** The state of a `.git` folder before commands ran. */
interface Before {
  readonly git: string;
  /** Existing names that git does not write; undefined if any name is allowed. */
  readonly names: readonly string[] | undefined;
  /** All links in it and their targets. */
  readonly links: Readonly<Record<string, string>>;
  /** The existing folders that git needs. */
  readonly needed: readonly string[];
  readonly head: string | undefined;
}

interface Guarded {
  readonly path: string;
  /** Whether only names that git writes can be created. */
  readonly isStrict: boolean;
}

export interface Kept {
  /** Everything in `.git` folders that git does not write. */
  readonly files: readonly string[];
  /** Folders that can be written but not moved or deleted. */
  readonly folders: readonly string[];
}

/** Unknown names are removed from repositories with a working tree, unless the settings say otherwise. */
export function guardedIn({ folders, bare }: Repositories, isStrict: boolean): Guarded[] {
  return [...folders.map((path) => ({ path, isStrict })), ...bare.map((path) => ({ path, isStrict: false }))];
}

export class GitGuard {
  readonly #folder: string;
  readonly #held = new Map<string, { readonly before: Before; count: number }>();

  /** `folder` is the agent's private folder. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Records the state of the repositories, unless another command is running there: then the earlier record stays. */
  hold(repositories: readonly Guarded[]): void {
    for (const { path, isStrict } of repositories) {
      const known = this.#held.get(path);
      if (known === undefined) this.#held.set(path, { before: lookAt(path, isStrict), count: 1 });
      else known.count++;
    }
    this.#save();
  }

  /** What mounts protect. From before any command ran, because a running command could replace its own files with links. */
  get kept(): Kept {
    const all = [...this.#held.values()].map(({ before }) => before);
    return {
      files: all.flatMap(({ git, names = [], links }) =>
        names.map((name) => join(git, name)).filter((path) => links[path] === undefined),
      ),
      folders: all.flatMap(({ needed }) => needed),
    };
  }

  /** Restores the repositories and returns notes for the model. */
  release(repositories: readonly Guarded[]): string[] {
    const notes = repositories.flatMap(({ path }) => {
      const known = this.#held.get(path);
      if (known === undefined) return [];
      if (--known.count === 0) this.#held.delete(path);
      return restore(known.before);
    });
    this.#save();
    return words(notes);
  }

  releaseAll(): void {
    for (const { before } of this.#held.values()) restore(before);
    this.#held.clear();
  }

  #save(): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const lines = [...this.#held.values()].map(({ before }) => `${JSON.stringify(before)}\n`);
    writeFileSync(join(this.#folder, RECORD), lines.join(""), { mode: 0o600 });
  }
}

/** Restores repositories after an agent that was killed. */
export function restoreRepositories(folder: string): void {
  for (const before of readRecord(folder)) restore(before);
}

interface Change {
  readonly type: "removed" | "restored";
  readonly path: string;
}

function lookAt(git: string, isStrict: boolean): Before {
  const links = linksIn(git).map((path) => [path, readlinkSync(path)] as const);
  const head = join(git, "HEAD");
  return {
    git,
    names: isStrict ? unlisted(git) : undefined,
    links: Object.fromEntries(links),
    needed: NEEDED_FOLDERS.map((name) => join(git, name)).filter((path) => kindOf(path) === "folder"),
    head: isHead(head) ? readFileSync(head, "utf8") : undefined,
  };
}

function restore(before: Before): Change[] {
  const { git, names, links } = before;
  const added = [
    ...linksIn(git).filter((path) => links[path] !== targetOf(path)),
    ...(names === undefined ? [] : newIn(git, names)),
  ];
  const removed = [...new Set(added)].filter((path) => removeBelow(git, path));
  const restored = [...restoreLinks(before), ...restoreHead(before)];
  return [
    ...removed.map((path) => ({ type: "removed", path }) as const),
    ...restored.map((path) => ({ type: "restored", path }) as const),
  ];
}

/** Restores links that git does not write and returns their paths. */
function restoreLinks({ git, names = [], links }: Before): string[] {
  const own = Object.entries(links).filter(
    ([path]) => dirname(path) === git && names.includes(basename(path)),
  );
  return own.flatMap(([path, target]) => {
    if (targetOf(path) === target) return [];
    removeBelow(git, path);
    return looked(() => symlinkSync(target, path) ?? true) === true ? [path] : [];
  });
}

function targetOf(path: string): string | undefined {
  return kindOf(path) === "link" ? looked(() => readlinkSync(path)) : undefined;
}

function newIn(git: string, names: readonly string[]): string[] {
  const had = new Set(names);
  return unlisted(git)
    .filter((name) => !had.has(name))
    .map((name) => join(git, name));
}

/** Leaves out names that cannot be created, because a stand-in occupies them while a command runs. */
function unlisted(git: string): string[] {
  const top = entriesIn(git)
    .map(({ name }) => name)
    .filter((name) => !isWrittenByGit(name) && !isStoodFor(name));
  return [...top, ...ALTERNATES.filter((name) => kindOf(join(git, name)) !== "missing")];
}

function isStoodFor(name: string): boolean {
  return PROTECTED_GIT_FOLDERS.includes(name) || PROTECTED_GIT_FILES.has(name);
}

/**
 * Without a valid HEAD, git does not recognise `.git` as a repository and looks for another one around it, which the
 * command could have created.
 */
function restoreHead({ git, head }: Before): string[] {
  const path = join(git, "HEAD");
  if (head === undefined || isHead(path)) return [];
  removeBelow(git, path);
  return looked(() => writeFileSync(path, head, { flag: "wx" }) ?? true) === true ? [path] : [];
}

const HEAD = /^(?:ref: refs\/[^\s\0]+|[0-9a-f]{40}(?:[0-9a-f]{24})?)\s*$/;
const HEAD_CHARS = 4_096;

function isHead(path: string): boolean {
  if (kindOf(path) !== "file") return false;
  const text = looked(() => readFileSync(path, "utf8")) ?? "";
  return text.length < HEAD_CHARS && HEAD.test(text);
}

/** Git never changes objects or writes them through a link, so only the folder itself is checked. */
const OBJECTS = "objects";

function linksIn(git: string): string[] {
  const walk = (folder: string, depth: number): string[] =>
    entriesIn(folder).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isSymbolicLink()) return [path];
      if (!entry.isDirectory() || depth === 0) return [];
      return walk(path, folder === git && entry.name === OBJECTS ? 1 : depth - 1);
    });
  return walk(git, Number.POSITIVE_INFINITY);
}

function words(changes: readonly Change[]): string[] {
  const of = (type: Change["type"]): string[] =>
    changes.filter((one) => one.type === type).map(({ path }) => path);
  const [removed, restored] = [of("removed"), of("restored")];
  return [
    ...(removed.length === 0
      ? []
      : [
          `(Removed ${shortened(removed)}: in a .git folder, commands can create only files that git itself writes.)`,
        ]),
    ...(restored.length === 0
      ? []
      : [`(Restored ${shortened(restored)}: git needs it or does not write it itself.)`]),
  ];
}

function shortened(paths: readonly string[]): string {
  const rest = paths.length > MOST_NAMED ? ` and ${paths.length - MOST_NAMED} more` : "";
  return `${paths.slice(0, MOST_NAMED).join(", ")}${rest}`;
}

function readRecord(folder: string): Before[] {
  const path = join(folder, RECORD);
  if (kindOf(path) !== "file") return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line) => {
      try {
        const value: unknown = JSON.parse(line);
        return isBefore(value) ? [value] : [];
      } catch {
        // The agent was killed while it wrote.
        return [];
      }
    });
}

function isBefore(value: unknown): value is Before {
  if (!isShape(value)) return false;
  const { git, names, links, head } = value;
  return (
    typeof git === "string" &&
    (names === undefined || (Array.isArray(names) && names.every((name) => typeof name === "string"))) &&
    Array.isArray(value["needed"]) &&
    isShape(links) &&
    Object.values(links).every((target) => typeof target === "string") &&
    ["undefined", "string"].includes(typeof head)
  );
}
