/** Deletes sessions that were not used for a long time, and what killed processes left behind. */

import type { Dirent } from "node:fs";
import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Check, aNumberFromZero, aString, checkOptions, required } from "@runahead/base";
import { homeOf } from "./folder.ts";
import { isSessionId } from "./id.ts";
import { takeLock } from "./lock.ts";

/** Options of {@link cleanUpSessions}. */
export interface CleanUpOptions {
  /** Where sessions are stored. Default: `RUNAHEAD_HOME`, then `~/.runahead`. */
  readonly home?: string;
  /** Sessions that were not used for this many days are deleted. 0: no session is deleted. */
  readonly days: number;
}

/** What {@link cleanUpSessions} deleted. */
export interface CleanedUp {
  /** How many sessions, with their results and timelines. */
  readonly sessions: number;
  /** How many files that a killed process had not finished. */
  readonly unfinished: number;
}

const OPTIONS: Readonly<Record<keyof CleanUpOptions, Check>> = {
  home: aString,
  days: required(aNumberFromZero),
};

const DAY_MS = 86_400_000;
/** A copy of a session can be in progress for this long; nothing else says whose it is. */
const COPYING_MS = 3_600_000;
const JOURNAL = ".jsonl";
const UNFINISHED = /^\..*\.unfinished$/;

/**
 * Deletes the sessions of all projects that were not used for `days` days, with their results and timelines, and files
 * that killed processes left unfinished. Sessions that a process uses are not touched, nor are sessions with git
 * worktrees of sub-agents. Files that cannot be deleted are skipped.
 *
 * @throws {TypeError} if an option is missing or invalid.
 * @example
 * ```ts
 * import { cleanUpSessions } from "@runahead/agent";
 *
 * const { sessions } = await cleanUpSessions({ days: 30 });
 * console.log(`${sessions} old sessions deleted`);
 * ```
 */
export async function cleanUpSessions(options: CleanUpOptions): Promise<CleanedUp> {
  checkOptions(options, OPTIONS, "cleanUpSessions");
  const { home, days } = options;
  const projects = join(homeOf(home), "projects");
  const before = days === 0 ? Number.NEGATIVE_INFINITY : Date.now() - days * DAY_MS;
  const work = new CleanUp(before);
  for (const entry of await entriesOf(projects))
    if (entry.isDirectory()) await work.project(join(projects, entry.name));
  return { sessions: work.sessions, unfinished: work.unfinished };
}

class CleanUp {
  sessions = 0;
  unfinished = 0;
  readonly #before: number;

  constructor(before: number) {
    this.#before = before;
  }

  async project(folder: string): Promise<void> {
    const entries = await entriesOf(folder);
    await this.#unfinishedIn(folder, entries, Date.now() - COPYING_MS);
    for (const id of idsOf(entries)) await this.#session(folder, id);
  }

  /** Holds the lock meanwhile, so that no process resumes the session while it is deleted. */
  async #session(folder: string, id: string): Promise<void> {
    const results = join(folder, id, "results");
    const isOld = await this.#isOld(folder, id);
    const left = (await entriesOf(results)).filter(isUnfinished);
    if (!isOld && left.length === 0) return;
    const lock = await takeLock(folder, id).catch(() => undefined);
    if (lock === undefined) return;
    try {
      if (isOld && (await this.#isOld(folder, id))) await this.#delete(folder, id);
      else await this.#unfinishedIn(results, left, Number.POSITIVE_INFINITY);
    } finally {
      await lock.release();
    }
  }

  /** A session that has git worktrees is kept: they can have changes that are nowhere else. */
  async #isOld(folder: string, id: string): Promise<boolean> {
    if ((await entriesOf(join(folder, id, "worktrees"))).length > 0) return false;
    const journal = await changedAt(join(folder, `${id}${JOURNAL}`));
    const used = journal ?? (await changedAt(join(folder, id)));
    return used !== undefined && used < this.#before;
  }

  /** The journal comes last: if this is interrupted, the session is found and deleted the next time. */
  async #delete(folder: string, id: string): Promise<void> {
    const isGone = await removed(join(folder, id));
    if (isGone && (await removed(join(folder, `${id}${JOURNAL}`)))) this.sessions++;
  }

  async #unfinishedIn(folder: string, entries: readonly Dirent[], before: number): Promise<void> {
    for (const entry of entries.filter(isUnfinished)) {
      const path = join(folder, entry.name);
      const changed = await changedAt(path);
      if (changed !== undefined && changed < before && (await removed(path))) this.unfinished++;
    }
  }
}

function isUnfinished(entry: Dirent): boolean {
  return entry.isFile() && UNFINISHED.test(entry.name);
}

/** The sessions of a folder: their journals, and folders whose journal is gone. */
function idsOf(entries: readonly Dirent[]): Set<string> {
  const names = entries.flatMap((entry) => {
    if (entry.isFile() && entry.name.endsWith(JOURNAL)) return [entry.name.slice(0, -JOURNAL.length)];
    return entry.isDirectory() && !entry.name.endsWith(".lock") ? [entry.name] : [];
  });
  return new Set(names.filter(isSessionId));
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}

async function changedAt(path: string): Promise<number | undefined> {
  return lstat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
}

async function removed(path: string): Promise<boolean> {
  return rm(path, { recursive: true, force: true }).then(
    () => true,
    () => false,
  );
}
