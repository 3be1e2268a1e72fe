/**
 * Remembers the state of each file that an agent read, so that it never changes a file whose current content it has
 * not seen (C17, G06). One per agent. It is not part of the conversation, so it survives compaction.
 */

import { createHash } from "node:crypto";
import type { Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import { dirname } from "node:path";
import { Refusal } from "../shared/refusal.ts";

export interface Seen {
  readonly size: number;
  readonly mtimeMs: number;
  /** Hash of the whole content; undefined if the file is too large. */
  readonly hash: string | undefined;
}

/** The position of a line in a large file. */
export interface LinePoint {
  readonly line: number;
  readonly byte: number;
  /** Whether the position is inside the line rather than at its start. */
  readonly isInside: boolean;
}

interface Points {
  readonly size: number;
  readonly mtimeMs: number;
  readonly points: LinePoint[];
}

/** Above this number the oldest files are forgotten and must be read again. */
const MOST_FILES = 10_000;
const MOST_POINTS = 100;
/** How many of the most recently seen files are checked for changes. */
const WATCHED_FILES = 200;

/**
 * Remembers which files an agent read and in which state, so that Edit and Write refuse files that were not read or
 * that changed since. Use one per agent. Keeps the latest 10,000 files.
 *
 * @example
 * ```ts
 * const memory = new FileMemory();
 * const all = fileTools(memory);
 * ```
 */
export class FileMemory {
  readonly #seen = new Map<string, Seen>();
  readonly #points = new Map<string, Points>();
  /** The version of a changed file that was reported last, so that each version is reported once. */
  readonly #reported = new Map<string, string>();
  #touched = new Set<string>();
  readonly #touchedFiles = new Set<string>();

  /** Records the state of a file that was read or written. `path` must have its links resolved. */
  note(path: string, { size, mtimeMs }: Pick<Stats, "size" | "mtimeMs">, bytes: Buffer | undefined): void {
    remember(this.#seen, path, { size, mtimeMs, hash: bytes === undefined ? undefined : hashOf(bytes) });
    this.#reported.delete(path);
    this.#touched.add(dirname(path));
    this.#touchedFiles.add(path);
  }

  /** Returns all files that were read or written, in the order of their first use. */
  touchedFiles(): readonly string[] {
    return [...this.#touchedFiles];
  }

  /** Returns the folders of files that were read or written since the last call. */
  takeTouchedFolders(): readonly string[] {
    const folders = [...this.#touched];
    this.#touched = new Set();
    return folders;
  }

  /**
   * Resolves with the files that changed or were deleted since the agent saw them, each version once. Compares size and
   * modification time only, so a file that was rewritten with the same content counts as changed.
   */
  async takeChangedFiles(): Promise<readonly string[]> {
    const changed: string[] = [];
    for (const [path, seen] of [...this.#seen].slice(-WATCHED_FILES)) {
      const stats = await lstat(path).catch(() => undefined);
      const version = stats === undefined ? "deleted" : `${stats.size} ${stats.mtimeMs}`;
      if (version === `${seen.size} ${seen.mtimeMs}` || this.#reported.get(path) === version) continue;
      // The agent may have read or written it again during the await.
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

  /** Records the position of a line in a large file. */
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
