/**
 * Creates empty files and folders in place of protected ones that do not exist. A mount needs an existing path, so a
 * name can only be blocked by something that has it. Stand-ins exist while a sandboxed command runs and are removed
 * afterwards if nothing used them. Each agent records those that it needs, so that other agents keep them, and so that
 * those of a killed agent are removed later.
 */

import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { codeOf, isShape } from "@runahead/base";
import { sharedGitFolder } from "./sandbox-git-folders.ts";
import { kindOf } from "./sandbox-paths.ts";
import type { ProtectedPlace } from "./sandbox-protected.ts";

const RECORD = "stand-ins";

export class StandIns {
  readonly #folder: string;
  readonly #held = new Map<string, { readonly place: ProtectedPlace; count: number }>();

  /** `folder` is the agent's private folder; those of other agents are next to it. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Creates the missing ones and returns all stand-ins. */
  hold(places: readonly ProtectedPlace[]): ProtectedPlace[] {
    const others = recordsBeside(this.#folder);
    const held: ProtectedPlace[] = [];
    try {
      for (const place of places) if (this.#hold(place, others)) held.push(place);
    } catch (error) {
      this.release(held);
      throw error;
    }
    return held;
  }

  release(places: readonly ProtectedPlace[]): void {
    const over: ProtectedPlace[] = [];
    for (const { path } of places) {
      const known = this.#held.get(path);
      if (known === undefined || --known.count > 0) continue;
      this.#held.delete(path);
      over.push(known.place);
    }
    if (over.length === 0) return;
    this.#save();
    removeUnused(over, recordsBeside(this.#folder));
  }

  releaseAll(): void {
    for (const known of this.#held.values()) known.count = 1;
    this.release([...this.#held.values()].map(({ place }) => place));
  }

  #hold(place: ProtectedPlace, others: ReadonlySet<string>): boolean {
    const { path } = place;
    const known = this.#held.get(path);
    const isThere = kindOf(path) !== "missing";
    if (isThere && known === undefined && !others.has(path)) return false;
    if (known === undefined) {
      // Recorded first: from then on no other agent removes it.
      this.#held.set(path, { place, count: 1 });
      this.#save();
    } else known.count++;
    try {
      make(place);
      return true;
    } catch (error) {
      this.release([place]);
      if (FORBIDDEN.has(codeOf(error))) return false;
      throw error;
    }
  }

  #save(): void {
    const lines = [...this.#held.values()].map(({ place }) => `${JSON.stringify(place)}\n`);
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(this.#folder, RECORD), lines.join(""), { mode: 0o600 });
  }
}

/** Options that prevent git in the sandbox from adding stand-ins. `copy` is the path of its exclude file. */
export function excludes(
  made: readonly ProtectedPlace[],
  { root, copy }: { readonly root: string; readonly copy: string },
): string[] {
  const names = made
    .filter(({ path, text }) => text !== undefined && dirname(path) === root)
    .map(({ path }) => `/${basename(path)}\n`);
  const git = names.length === 0 ? undefined : sharedGitFolder(root);
  if (git === undefined) return [];
  const list = join(git, "info/exclude");
  if (kindOf(list) !== "file") return [];
  const text = `${readFileSync(list, "utf8")}\n${names.join("")}`;
  // Another command may have mounted it.
  if (kindOf(copy) === "missing" || readFileSync(copy, "utf8") !== text)
    writeFileSync(copy, text, { mode: 0o600 });
  return ["--ro-bind", copy, list];
}

/** If the agent cannot create it, a command cannot either. */
const FORBIDDEN = new Set(["EACCES", "EPERM", "EROFS"]);

/** Removes the stand-ins of an agent that was killed. */
export function removeStandIns(folder: string): void {
  removeUnused(readRecord(folder), recordsBeside(folder));
}

function make({ path, text }: ProtectedPlace): void {
  try {
    if (text === undefined) mkdirSync(path);
    else makeFile(path, text);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

function makeFile(path: string, text: string): void {
  const file = openSync(path, "wx", 0o444);
  try {
    if (text !== "") writeFileSync(file, text);
  } finally {
    closeSync(file);
  }
}

function removeUnused(places: readonly ProtectedPlace[], needed: ReadonlySet<string>): void {
  for (const { path, text } of places) {
    if (needed.has(path)) continue;
    try {
      if (text === undefined) rmdirSync(path);
      else if (kindOf(path) === "file" && readFileSync(path, "utf8") === text) unlinkSync(path);
    } catch {
      // It is gone, or another program put something there, which then stays.
    }
  }
}

/** Returns the paths that other agents need. */
function recordsBeside(folder: string): Set<string> {
  const others = dirname(folder);
  const names = namesIn(others).filter((name) => name !== basename(folder));
  return new Set(names.flatMap((name) => readRecord(join(others, name)).map(({ path }) => path)));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readRecord(folder: string): ProtectedPlace[] {
  let text: string;
  try {
    text = readFileSync(join(folder, RECORD), "utf8");
  } catch {
    return [];
  }
  return text.split("\n").flatMap((line) => {
    try {
      const place: unknown = JSON.parse(line);
      return isPlace(place) ? [place] : [];
    } catch {
      return [];
    }
  });
}

function isPlace(value: unknown): value is ProtectedPlace {
  return (
    isShape(value) &&
    typeof value["path"] === "string" &&
    ["undefined", "string"].includes(typeof value["text"])
  );
}
