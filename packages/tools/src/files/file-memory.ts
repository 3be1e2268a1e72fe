/**
 * What an agent has seen of files, so that it changes nothing that it has not seen as it is (C17, G06). One for each
 * agent: what another has seen does not count. It is not part of the conversation, so it outlives compaction.
 */

import { createHash } from "node:crypto";
import type { Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import { dirname } from "node:path";
import { Refusal } from "../shared/refusal.ts";

export interface Seen {
  readonly size: number;
  readonly mtimeMs: number;
  /** Of the whole content; undefined where the file is too large for that. */
  readonly hash: string | undefined;
}

/** A line of a large file, and where it is. */
export interface LinePoint {
  readonly line: number;
  readonly byte: number;
  /** It is within the line, not its beginning. */
  readonly isInside: boolean;
}

interface Points {
  readonly size: number;
  readonly mtimeMs: number;
  readonly points: LinePoint[];
}

/** Of more files than this the oldest are forgotten, and must be read again. */
const MOST_FILES = 10_000;
const MOST_POINTS = 100;
/** Of the files seen last, so many are looked at for changes. */
const WATCHED_FILES = 200;

/**
 * Remembers which files were read, and in which state, so that a file is not changed that was not read or has changed
 * since. One per agent. Keeps the latest 10,000 files.
 */
export class FileMemory {
  readonly #seen = new Map<string, Seen>();
  readonly #points = new Map<string, Points>();
  /** The version of a changed file that was reported, so that each is reported once. */
  readonly #reported = new Map<string, string>();
  #touched = new Set<string>();

  /** Notes the state of a file that was read or written. The path must have its links resolved. */
  note(path: string, { size, mtimeMs }: Pick<Stats, "size" | "mtimeMs">, bytes: Buffer | undefined): void {
    remember(this.#seen, path, { size, mtimeMs, hash: bytes === undefined ? undefined : hashOf(bytes) });
    this.#reported.delete(path);
    this.#touched.add(dirname(path));
  }

  /** The folders of files that were read or written since this was last asked. */
  takeTouchedFolders(): readonly string[] {
    const folders = [...this.#touched];
    this.#touched = new Set();
    return folders;
  }

  /**
   * The files that somebody else changed or deleted since the agent saw them, each version once. Looks at size and time
   * only, so a file that was written with the same content is among them.
   */
  async takeChangedFiles(): Promise<readonly string[]> {
    const changed: string[] = [];
    for (const [path, seen] of [...this.#seen].slice(-WATCHED_FILES)) {
      const stats = await lstat(path).catch(() => undefined);
      const version = stats === undefined ? "deleted" : `${stats.size} ${stats.mtimeMs}`;
      if (version === `${seen.size} ${seen.mtimeMs}` || this.#reported.get(path) === version) continue;
      // It may have been noted again while this waited.
      if (this.#seen.get(path) !== seen) continue;
      remember(this.#reported, path, version);
      changed.push(stats === undefined ? `${path} (deleted)` : path);
    }
    return changed;
  }

  /** Throws if a file was never read, or has changed since it was read. */
  check(path: string, { size, mtimeMs }: Pick<Stats, "size" | "mtimeMs">, bytes: Buffer | undefined): void {
    const seen = this.#seen.get(path);
    if (seen === undefined) throw new Refusal(`${path} has not been read yet. Read it first.`);
    const isSame =
      seen.hash !== undefined && bytes !== undefined
        ? seen.hash === hashOf(bytes)
        : seen.size === size && seen.mtimeMs === mtimeMs;
    if (!isSame)
      throw new Refusal(
        `${path} changed since you read it (the user, a formatter or another program). Read it again before you change it.`,
      );
  }

  /** Returns a position in a large file from where a scan for a line can start. */
  pointBefore(path: string, { size, mtimeMs }: Stats, line: number): LinePoint {
    const known = this.#points.get(path);
    const start: LinePoint = { line: 1, byte: 0, isInside: false };
    if (known === undefined || known.size !== size || known.mtimeMs !== mtimeMs) return start;
    const usable = known.points.filter(
      (point) => point.line < line || (point.line === line && !point.isInside),
    );
    return usable.reduce((best, point) => (point.byte > best.byte ? point : best), start);
  }

  /** Notes the position of a line in a large file. */
  notePoint(path: string, { size, mtimeMs }: Stats, point: LinePoint): void {
    const known = this.#points.get(path);
    const isSame = known?.size === size && known.mtimeMs === mtimeMs;
    const points = isSame ? [...known.points, point].slice(-MOST_POINTS) : [point];
    remember(this.#points, path, { size, mtimeMs, points });
  }
}

function remember<Value>(map: Map<string, Value>, path: string, value: Value): void {
  map.delete(path);
  map.set(path, value);
  if (map.size > MOST_FILES) map.delete(map.keys().next().value as string);
}

function hashOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("base64");
}
