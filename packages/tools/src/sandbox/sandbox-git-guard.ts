/**
 * What sandboxed commands leave in a repository's own folder (`.git`). Mounts keep what is there and is not git's to
 * write; they cannot keep a new name or a link from being created, since git creates and renames files there itself.
 * So new names that git does not write, and new links, through which git would write elsewhere, are removed when a
 * command has ended. A record of how it was lets the next agent do that for one that was killed.
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

/** How the folder of a repository was before commands ran. */
interface Before {
  readonly git: string;
  /** What is there and is not git's to write; undefined where any name can be. */
  readonly names: readonly string[] | undefined;
  /** All links in it, with where they lead. */
  readonly links: Readonly<Record<string, string>>;
  /** Those of the folders that git needs that it has. */
  readonly needed: readonly string[];
  readonly head: string | undefined;
}

interface Guarded {
  readonly path: string;
  /** Whether only git's own names can be new. */
  readonly isStrict: boolean;
}

export interface Kept {
  /** Everything in the folders of repositories that is not git's to write. */
  readonly files: readonly string[];
  /** Folders that can be written, and not moved or deleted. */
  readonly folders: readonly string[];
}

/** Unknown names are kept out of repositories with a working tree, unless the settings say otherwise. */
export function guardedIn({ folders, bare }: Repositories, isStrict: boolean): Guarded[] {
  return [...folders.map((path) => ({ path, isStrict })), ...bare.map((path) => ({ path, isStrict: false }))];
}

export class GitGuard {
  readonly #folder: string;
  readonly #held = new Map<string, { readonly before: Before; count: number }>();

  /** `folder` is the agent's own. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Remembers how these are, unless another command runs there: then it stays as it was before that one. */
  hold(repositories: readonly Guarded[]): void {
    for (const { path, isStrict } of repositories) {
      const known = this.#held.get(path);
      if (known === undefined) this.#held.set(path, { before: lookAt(path, isStrict), count: 1 });
      else known.count++;
    }
    this.#save();
  }

  /** What mounts keep: as it was before any command ran, since one that runs could replace what it made by a link. */
  get kept(): Kept {
    const all = [...this.#held.values()].map(({ before }) => before);
    return {
      files: all.flatMap(({ git, names = [], links }) =>
        names.map((name) => join(git, name)).filter((path) => links[path] === undefined),
      ),
      folders: all.flatMap(({ needed }) => needed),
    };
  }

  /** Puts them right; gives what the model should know. */
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

/** Puts right what the commands of an agent that is gone have left. */
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

/** Those that are not git's to write. */
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

/** Without the names that nothing can be created at, because something stands in for them while a command runs. */
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
 * Without a valid HEAD git does not take `.git` for a repository, and looks for another one that the command could have
 * made around it.
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

/** Objects never change, and git writes none of them through a link. Only what holds them matters. */
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
          `(Removed, because only git's own files can be created in a repository's folder: ${shortened(removed)}.)`,
        ]),
    ...(restored.length === 0
      ? []
      : [`(Restored, because git needs it or does not write it: ${shortened(restored)}.)`]),
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
