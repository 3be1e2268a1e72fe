/** The sessions of one project: create, resume, continue, fork, list. */

import { randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { rename, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { agentJournals, copyFolder } from "./agent-journals.ts";
import { type Header, VERSION, toLine } from "./entry.ts";
import {
  type Check,
  aFunction,
  aNumberFromZero,
  aString,
  anObject,
  checkOptions,
  codeOf,
  messageOf,
  withOptions,
} from "@runahead/base";
import { NoSuchSession, SessionExists, SessionLocked } from "./error.ts";
import { type JournalFiles, diskFiles, openToRead } from "./files.ts";
import { type Notice, folderName, homeOf, privateDirectory, projectFolder, realPathOf } from "./folder.ts";
import { checkIsText, checkSessionId, isSameId } from "./id.ts";
import { type SessionSummary, listSessions, sessionIds } from "./list.ts";
import { NOTHING_LOADED, type Loaded, load, readHeader } from "./load.ts";
import { type Lock, takeLock } from "./lock.ts";
import { endOfLines } from "./read.ts";
import { recoveryLines } from "./recovery-lines.ts";
import { fileResults } from "./results.ts";
import { SavedSession, type Session } from "./session.ts";
import type { SessionStore } from "./store.ts";
import { StoredSessions } from "./stored-sessions.ts";
import { Writer, type WriterLimits } from "./writer.ts";

export type { SavedPrompt, SessionEntry } from "./entry.ts";
export { LeaseLost, NoSuchSession, SessionExists, SessionLocked, SessionTooNew } from "./error.ts";
export type { SessionSummary } from "./list.ts";
export { NoSuchQuestion, type OpenQuestion, type WaitingCall, type ParkedTurn } from "./parked.ts";
export type { UnreconciledCall } from "./reconciled.ts";
export type { Session } from "./session.ts";
export type { SessionState } from "./state.ts";

/** Options of {@link sessions}. */
export interface SessionsOptions {
  /**
   * Stores the sessions somewhere else, such as in Postgres. `home` has no effect then. Default: in files, see
   * {@link fileStore} for those.
   */
  readonly store?: SessionStore;
  /** Where sessions are stored. Default: `RUNAHEAD_HOME`, then `~/.runahead`. */
  readonly home?: string;
  /** The project's folder. Default: the working directory. */
  readonly cwd?: string;
  /** Receives problems such as a full disk. Default: problems are not reported. */
  readonly onNotice?: (message: string) => void;
  /** Replaces the file system, for tests. */
  readonly files?: JournalFiles;
  /** Limits of writing, for tests. */
  readonly limits?: Partial<WriterLimits>;
}

/** The sessions of one project. */
export interface Sessions {
  /**
   * Creates a session. Its file appears with the first entry.
   *
   * An id has 1 to 64 characters: letters (A-Z, a-z), digits, "-" and "_", starting with a letter or a digit. Ids
   * that differ only in case are the same session. Default: a new UUID.
   *
   * Throws a TypeError for an invalid id, {@link SessionExists}, or {@link SessionLocked}.
   */
  create(id?: string): Promise<Session>;
  /**
   * Opens a session and continues it. Throws {@link NoSuchSession}, {@link SessionLocked} or {@link SessionTooNew}.
   */
  resume(id: string): Promise<Session>;
  /**
   * Opens the session that was last written to; undefined if there is none. Throws {@link SessionLocked} if it is in
   * use.
   */
  continue(): Promise<Session | undefined>;
  /**
   * Creates a copy of what a session has on disk, even while it is in use. Throws {@link NoSuchSession} or
   * {@link SessionTooNew}.
   */
  fork(id: string): Promise<Session>;
  /** Lists the sessions, newest first. */
  list(): Promise<SessionSummary[]>;
}

const LIMITS: Readonly<Record<keyof WriterLimits, Check>> = {
  keptBytes: aNumberFromZero,
  retryMs: aNumberFromZero,
  answerMs: aNumberFromZero,
  idleMs: aNumberFromZero,
};
const OPTIONS: Readonly<Record<keyof SessionsOptions, Check>> = {
  store: anObject,
  home: aString,
  cwd: aString,
  onNotice: aFunction,
  files: anObject,
  limits: withOptions(LIMITS),
};

/**
 * Opens the session store of a project. Sessions survive a crash; each is one file.
 *
 * Throws a TypeError for invalid options. A failing disk does not throw: it is reported through `onNotice`, and the
 * conversation continues.
 *
 * @example
 * ```ts
 * import { anthropic, createAgent, sessions } from "@runahead/agent";
 *
 * const store = sessions({ onNotice: console.warn });
 * const session = (await store.continue()) ?? (await store.create("alice"));
 * const agent = createAgent({ model: anthropic({ model: "claude-sonnet-4-6" }), tools: [], session });
 * await agent.send("Where were we?");
 * await agent.close();
 * ```
 */
export function sessions(options: SessionsOptions = {}): Sessions {
  checkOptions(options, OPTIONS, "sessions");
  const { store, cwd = process.cwd(), onNotice } = options;
  if (store === undefined) return new ProjectSessions(options);
  return new StoredSessions({ store, cwd, onNotice: (message) => report(onNotice, message) });
}

const NEAREST = 3;
/** A shorter start of an id matches too many. */
const LEAST_START = 4;

class ProjectSessions implements Sessions {
  readonly #home: string;
  readonly #cwd: string;
  readonly #files: JournalFiles;
  readonly #limits: Partial<WriterLimits>;
  readonly #onNotice: Notice;
  #checked: Promise<string> | undefined;

  constructor({ home, cwd = process.cwd(), onNotice, files = diskFiles, limits = {} }: SessionsOptions) {
    this.#home = homeOf(home);
    this.#cwd = cwd;
    this.#files = files;
    this.#limits = limits;
    this.#onNotice = (message) => report(onNotice, message);
  }

  async create(id?: string): Promise<Session> {
    const folder = await this.#folder();
    if (id === undefined)
      return this.#open(folder, await this.#header(randomUUID()), { loaded: NOTHING_LOADED });
    checkSessionId(id);
    // The lock prevents two concurrent `create` calls from getting the same id.
    const lock = await this.#lock(folder, id);
    const existing = (await sessionIds(folder)).find((other) => isSameId(id, other));
    if (existing === undefined)
      return this.#open(folder, await this.#header(id), { loaded: NOTHING_LOADED, lock });
    await lock?.release();
    throw new SessionExists(id, existing);
  }

  async resume(id: string): Promise<Session> {
    checkIsText(id);
    const folder = await this.#folder();
    const path = await this.#find(folder, id);
    const lock = await this.#lock(folder, id);
    try {
      const loaded = await load(path, this.#onNotice);
      const session = this.#open(folder, await this.#header(id, loaded), { loaded, lock });
      await session.sync();
      return session;
    } catch (error) {
      await lock?.release();
      throw error;
    }
  }

  async continue(): Promise<Session | undefined> {
    const [latest] = await this.list();
    return latest === undefined ? undefined : this.resume(latest.id);
  }

  async fork(id: string): Promise<Session> {
    checkIsText(id);
    const folder = await this.#folder();
    const path = await this.#find(folder, id);
    const header = { ...(await this.#header(randomUUID())), forkedFrom: id };
    await copyFolder(join(folder, id), join(folder, header.id)).catch(() => {});
    await copyLines(path, join(folder, `${header.id}.jsonl`), toLine(header));
    return this.resume(header.id);
  }

  async list(): Promise<SessionSummary[]> {
    return listSessions(await this.#folder());
  }

  /** If the folder cannot be created, returns its path anyway: nothing is found there, and writing reports the reason. */
  #folder(): Promise<string> {
    this.#checked ??= projectFolder(this.#home, this.#cwd, this.#onNotice).catch(async () => {
      this.#checked = undefined;
      return join(this.#home, "projects", folderName(await realPathOf(this.#cwd)));
    });
    return this.#checked;
  }

  async #header(id: string, { header }: Loaded = NOTHING_LOADED): Promise<Header> {
    const { cwd, createdAt } = header ?? { cwd: undefined, createdAt: undefined };
    return {
      type: "session",
      version: VERSION,
      id,
      cwd: typeof cwd === "string" ? cwd : await realPathOf(this.#cwd),
      createdAt: typeof createdAt === "string" ? createdAt : new Date().toISOString(),
    };
  }

  async #find(folder: string, id: string): Promise<string> {
    const ids = await sessionIds(folder);
    if (ids.includes(id)) return join(folder, `${id}.jsonl`);
    throw new NoSuchSession(id, folder, nearest(id, ids));
  }

  /** Undefined if no lock can be created, as on a read-only disk. Nothing must be written then. */
  async #lock(folder: string, id: string): Promise<Lock | undefined> {
    try {
      return await takeLock(folder, id);
    } catch (error) {
      if (error instanceof SessionLocked) throw error;
      return undefined;
    }
  }

  #open(
    folder: string,
    header: Header,
    { loaded, lock }: { loaded: Loaded; lock?: Lock | undefined },
  ): Session {
    const { id, cwd } = header;
    const path = join(folder, `${id}.jsonl`);
    let held = lock;
    const prepare = async (): Promise<void> => {
      await this.#makeFolder(folder);
      if (held === undefined) held = await takeLock(folder, id);
      else await held.renew();
    };
    const common = { files: this.#files, limits: this.#limits, onNotice: this.#onNotice, prepare };
    const writer = new Writer({ ...common, path, header: toLine(header), found: loaded.found });
    const isResumed = loaded !== NOTHING_LOADED;
    const isUnlocked = isResumed && lock === undefined;
    if (isUnlocked)
      writer.stop(
        `This session is not being saved: cannot lock ${path}, so another process could write to it at the same time.`,
      );
    if (isResumed && loaded.header === undefined && loaded.found !== "nothing") writer.append(toLine(header));
    for (const line of recoveryLines(loaded)) writer.append(line);
    const results = fileResults(join(folder, id), this.#onNotice);
    const release = async (): Promise<void> => held?.release();
    const agents = agentJournals({
      ...common,
      folder: join(folder, id),
      cwd,
      results,
      recoveryLines,
      isUnlocked,
    });
    return new SavedSession({ id, path, cwd, loaded, writer, results, agents, release });
  }

  /** Runs before each opening of the file, because the folder can be deleted at any time. */
  async #makeFolder(folder: string): Promise<void> {
    const isThere = await privateDirectory(folder, this.#onNotice).catch((error: unknown) => {
      if (codeOf(error) !== "ENOENT") throw error;
      return projectFolder(this.#home, this.#cwd, this.#onNotice);
    });
    if (isThere !== folder) throw new Error(`${folder} is no longer private`);
  }
}

/** Copies complete lines only. The file appears when it is complete. */
async function copyLines(from: string, to: string, header: string): Promise<void> {
  const unfinished = join(dirname(to), `.${randomUUID()}.unfinished`);
  const { handle, size } = await openToRead(from);
  try {
    await readHeader(handle, from);
    const end = await endOfLines(handle, size);
    const target = createWriteStream(unfinished, { flags: "wx", mode: 0o600 });
    target.write(`${header}\n`);
    if (end > 0)
      await pipeline(createReadStream("", { fd: handle, start: 0, end: end - 1, autoClose: false }), target);
    else await new Promise<void>((resolve, reject) => target.on("error", reject).end(resolve));
    await rename(unfinished, to);
  } catch (error) {
    await unlink(unfinished).catch(() => {});
    throw error;
  } finally {
    await handle.close().catch(() => {});
  }
}

/** Returns ids that start with `id` or share at least half of its letters, position by position; the best first. */
function nearest(id: string, ids: readonly string[]): string[] {
  const typed = id.toLowerCase();
  const alike = (other: string): number =>
    [...other.toLowerCase()].filter((letter, at) => letter === typed[at]).length;
  return ids
    .filter((other) => {
      const isStart = typed.length >= LEAST_START && other.toLowerCase().startsWith(typed);
      return isStart || alike(other) * 2 >= Math.max(typed.length, other.length);
    })
    .toSorted((one, other) => alike(other) - alike(one))
    .slice(0, NEAREST);
}

/** A listener that throws must not break the session. */
function report(onNotice: Notice | undefined, message: string): void {
  try {
    onNotice?.(message);
  } catch (error) {
    process.emitWarning(`onNotice threw: ${messageOf(error)}`, "RunaheadWarning");
  }
}
