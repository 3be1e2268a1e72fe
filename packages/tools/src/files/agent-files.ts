/**
 * Remembers the state of each file that one agent read, so that it never changes a file whose current content it has
 * not seen (C17, G06). It is not part of the conversation, so it survives compaction.
 */

import { createHash } from "node:crypto";
import type { Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import type { AgentIdentity } from "@runahead/engine";
import { type ChangeLog, changeWords, commandWords, nameOf } from "./change-log.ts";
import type { FileDiff } from "./file-diff.ts";
import { readWhole, withFile } from "./open-file.ts";
import { Refusal } from "../shared/refusal.ts";

type Size = Pick<Stats, "size" | "mtimeMs">;

interface Seen {
  readonly size: number;
  readonly mtimeMs: number;
  /** Hash of the whole content; undefined if the file is too large. */
  readonly hash: string | undefined;
  /** The session's latest change when it was read. */
  readonly at: number;
  /** It was edited although another program had changed it, and the agent has not seen that change. */
  readonly hasUnseen: boolean;
}

/** A file that was read, as plain data. */
export interface SavedFile {
  /** Absolute path with its links resolved. */
  readonly path: string;
  /** Size in bytes. */
  readonly size: number;
  /** Modification time, in milliseconds since 1970. */
  readonly mtimeMs: number;
  /** SHA-256 of the content in base64; left out for files above 16 MiB. */
  readonly hash?: string;
  /** Whether a part of the content was changed by another program and not read since. */
  readonly hasUnseen?: true;
}

/** The position of a line in a large file. */
export interface LinePoint {
  readonly line: number;
  readonly byte: number;
  /** Whether the position is inside the line rather than at its start. */
  readonly isInside: boolean;
}

interface Points extends Size {
  readonly points: LinePoint[];
}

/** What an agent's tool wrote. */
export interface Written {
  readonly path: string;
  readonly stats: Size;
  readonly bytes: Buffer;
  readonly diff: FileDiff;
  /** Whether another program changed the file before, and the agent has not read it since. */
  readonly hasUnseen?: boolean;
}

/** Above this number the oldest files are forgotten and must be read again. */
const MOST_FILES = 10_000;
const MOST_POINTS = 100;
/** How many of the most recently seen files are checked for changes. */
const WATCHED_FILES = 200;

export class AgentFiles {
  readonly #agent: AgentIdentity | undefined;
  readonly #log: ChangeLog;
  readonly #seen = new Map<string, Seen>();
  readonly #points = new Map<string, Points>();
  /** The version of a changed file that was reported last, so that each version is reported once. */
  readonly #reported = new Map<string, string>();
  readonly #touched = new Set<string>();

  constructor(agent: AgentIdentity | undefined, log: ChangeLog) {
    this.#agent = agent;
    this.#log = log;
  }

  /** The session's latest change. Note it before a file is read, and pass it to `note`. */
  get now(): number {
    return this.#log.last;
  }

  /** Records the state of a file that was read. `path` must have its links resolved. */
  note(path: string, { size, mtimeMs }: Size, bytes: Buffer | undefined, at = this.now): void {
    this.#remember(path, { size, mtimeMs, hash: hashOf(bytes), at, hasUnseen: false });
  }

  /** Records a change that the agent made itself. */
  wrote({ path, stats, bytes, diff, hasUnseen = false }: Written): void {
    this.#log.add(path, { agent: this.#agent, atMs: Date.now(), diff });
    const { size, mtimeMs } = stats;
    this.#remember(path, { size, mtimeMs, hash: hashOf(bytes), at: this.now, hasUnseen });
  }

  #remember(path: string, seen: Seen): void {
    remember(this.#seen, path, seen);
    this.#reported.delete(path);
    this.#touched.add(path);
  }

  /** Returns all files that were read or written, in the order of their first use. */
  touchedFiles(): readonly string[] {
    return [...this.#touched];
  }

  /** Resolves with the files that changed or were deleted since the agent saw them, each version once. */
  async takeChangedFiles(): Promise<readonly string[]> {
    const changed: string[] = [];
    for (const [path, seen] of [...this.#seen].slice(-WATCHED_FILES)) {
      const stats = await lstat(path).catch(() => undefined);
      const version = stats === undefined ? "deleted" : `${stats.size} ${stats.mtimeMs}`;
      if (version === `${seen.size} ${seen.mtimeMs}` || this.#reported.get(path) === version) continue;
      const hasSameContent =
        stats?.size === seen.size && seen.hash !== undefined && seen.hash === (await hashAt(path));
      // The agent may have read or written it again during the await.
      if (this.#seen.get(path) !== seen) continue;
      remember(this.#reported, path, version);
      if (!hasSameContent) changed.push(`${path}${this.#reportWords(path, seen, stats === undefined)}`);
    }
    return changed;
  }

  #reportWords(path: string, { at }: Seen, isDeleted: boolean): string {
    if (isDeleted) return " (deleted)";
    const others = this.#log.byOthers(path, at, this.#agent?.id);
    const last = others.at(-1);
    return last === undefined ? "" : ` (by ${nameOf(last.agent)})`;
  }

  /**
   * Returns whether the file is as the agent saw it. Throws if the agent never read it, or if another agent changed it
   * since.
   */
  check(path: string, stats: Size, bytes: Buffer | undefined): "same" | "changed" {
    const seen = this.#seen.get(path);
    if (seen === undefined) throw new Refusal(`${path} has not been read yet. Read it first.`);
    if (isSame(seen, stats, bytes)) return seen.hasUnseen ? "changed" : "same";
    const others = this.#log.byOthers(path, seen.at, this.#agent?.id);
    const command = this.#log.commandByOther(path, stats.mtimeMs, this.#agent?.id);
    if (others.length === 0 && command === undefined) return "changed";
    const now = Date.now();
    const words =
      command === undefined || others.length > 0 ? changeWords(others, now) : commandWords(command, now);
    throw new Refusal(`${path} was ${words}. Read it again before you change it.`);
  }

  /** Whether the agent has read the file or written it. Then it is forgotten last. */
  renew(path: string): boolean {
    const seen = this.#seen.get(path);
    if (seen !== undefined) remember(this.#seen, path, seen);
    return seen !== undefined;
  }

  /** Whether another program changed the file before the agent's own edit, and the agent has not read it since. */
  hasUnseen(path: string): boolean {
    return this.#seen.get(path)?.hasUnseen === true;
  }

  /** Returns a position in a large file from where a scan for a line can start. */
  pointBefore(path: string, { size, mtimeMs }: Size, line: number): LinePoint {
    const known = this.#points.get(path);
    const start: LinePoint = { line: 1, byte: 0, isInside: false };
    if (known === undefined || known.size !== size || known.mtimeMs !== mtimeMs) return start;
    const usable = known.points.filter(
      (point) => point.line < line || (point.line === line && !point.isInside),
    );
    return usable.reduce((best, point) => (point.byte > best.byte ? point : best), start);
  }

  /** Records the position of a line in a large file. */
  notePoint(path: string, { size, mtimeMs }: Size, point: LinePoint): void {
    const known = this.#points.get(path);
    const isKnown = known?.size === size && known.mtimeMs === mtimeMs;
    const points = isKnown ? [...known.points, point].slice(-MOST_POINTS) : [point];
    remember(this.#points, path, { size, mtimeMs, points });
  }

  save(): SavedFile[] {
    return [...this.#seen].map(([path, { size, mtimeMs, hash, hasUnseen }]) => ({
      path,
      size,
      mtimeMs,
      ...(hash === undefined ? {} : { hash }),
      ...(hasUnseen ? { hasUnseen } : {}),
    }));
  }

  /** Files that were read since stay as they are. */
  restore(files: readonly SavedFile[]): void {
    const newer = [...this.#seen];
    for (const { path, size, mtimeMs, hash, hasUnseen = false } of files)
      remember(this.#seen, path, { size, mtimeMs, hash, at: this.now, hasUnseen });
    for (const [path, seen] of newer) remember(this.#seen, path, seen);
  }
}

function isSame(seen: Seen, { size, mtimeMs }: Size, bytes: Buffer | undefined): boolean {
  if (seen.hash !== undefined && bytes !== undefined) return seen.hash === hashOf(bytes);
  return seen.size === size && seen.mtimeMs === mtimeMs;
}

function remember<Value>(map: Map<string, Value>, path: string, value: Value): void {
  map.delete(path);
  map.set(path, value);
  if (map.size > MOST_FILES) map.delete(map.keys().next().value as string);
}

function hashOf(bytes: Buffer): string;
function hashOf(bytes: Buffer | undefined): string | undefined;
function hashOf(bytes: Buffer | undefined): string | undefined {
  return bytes === undefined ? undefined : createHash("sha256").update(bytes).digest("base64");
}

async function hashAt(path: string): Promise<string | undefined> {
  try {
    const whole = await withFile(path, (file) => readWhole(file, new AbortController().signal));
    return whole?.type === "whole" ? hashOf(whole.bytes) : undefined;
  } catch {
    return undefined;
  }
}
