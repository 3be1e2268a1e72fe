/** The session store on disk: the same files as `sessions()` without a store. Positions are offsets in bytes. */

import { open, readFile, readdir, realpath, rm, truncate, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import {
  type Check,
  aNumberFromZero,
  aString,
  anObject,
  checkOptions,
  codeOf,
  required,
  strings,
  wrong,
} from "@runahead/base";
import { LeaseLost, NoSuchSession, SessionExists } from "./error.ts";
import { type JournalFile, diskFiles } from "./files.ts";
import { homeOf, privateDirectory, projectFolder } from "./folder.ts";
import { checkIsText, checkSessionId, isSameId } from "./id.ts";
import { listSessions, sessionIds } from "./list.ts";
import { type Lock, lockHolder, takeLock } from "./lock.ts";
import { FileMail, dueIn } from "./file-mail.ts";
import { endOfLines, lastCompaction } from "./read.ts";
import { fileResults } from "./results.ts";
import {
  type AppendBatch,
  DEFAULT_TENANT,
  type DueSession,
  type LeaseOptions,
  type ListOptions,
  type PostMailOptions,
  type ReadPlace,
  type ReleaseOptions,
  type ReleasedSession,
  type SessionLease,
  type SessionMail,
  type SessionStore,
  type StoredLine,
} from "./store.ts";
import { cutTornLine, endOf, holds, readPage, reading, whileThere } from "./stored-lines.ts";

/** Options of {@link fileStore}. */
export interface FileStoreOptions {
  /** Where sessions are stored. Default: `RUNAHEAD_HOME`, then `~/.runahead`. */
  readonly home?: string;
  /** The project's folder. Default: the working directory. */
  readonly cwd?: string;
}

const OPTIONS: Readonly<Record<keyof FileStoreOptions, Check>> = { home: aString, cwd: aString };
const TENANT = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const JOURNAL = ".jsonl";

/**
 * Opens the sessions of a project on disk as a {@link SessionStore}. They are the same files that `sessions()` uses. A
 * lease is bound to its process: it is valid until the process releases it or ends, even while the process is paused.
 *
 * Throws a TypeError for invalid options.
 *
 * @example
 * ```ts
 * import { fileStore, sessions } from "@runahead/agent";
 *
 * const store = fileStore();
 * const session = await sessions({ store }).create();
 * console.log((await store.list()).length, session.id);
 * await session.close();
 * ```
 */
export function fileStore(options: FileStoreOptions = {}): SessionStore {
  checkOptions(options, OPTIONS, "fileStore");
  const { home, cwd = process.cwd() } = options;
  return new FileStore(homeOf(home), cwd, DEFAULT_TENANT);
}

class FileStore implements SessionStore {
  readonly name: string;
  readonly tenant: string;
  readonly #home: string;
  readonly #cwd: string;
  #found: Promise<string> | undefined;

  constructor(home: string, cwd: string, tenant: string) {
    this.#home = home;
    this.#cwd = cwd;
    this.tenant = tenant;
    this.name = tenant === DEFAULT_TENANT ? home : join(home, "tenants", tenant);
  }

  forTenant(tenant: string): SessionStore {
    if (typeof tenant !== "string" || !TENANT.test(tenant))
      throw wrong("A tenant", '1 to 64 letters, digits, "-" or "_"', tenant);
    return new FileStore(this.#home, this.#cwd, tenant);
  }

  async lease(id: string, options: LeaseOptions = {}): Promise<SessionLease> {
    checkSessionId(id);
    required(anObject)(options, "lease: the options");
    const { isNew, status = "idle" } = options;
    const folder = await this.#folder();
    const ids = await sessionIds(folder);
    const existing = ids.find((other) => isSameId(other, id));
    if (existing !== undefined && (isNew === true || (isNew === undefined && existing !== id)))
      throw new SessionExists(id, existing);
    if (isNew === false && existing !== id) throw new NoSuchSession(id, this.name, []);
    const lock = await takeLock(folder, id);
    try {
      // The session exists from now on, as in other stores.
      if (existing === undefined) await isWritten(join(folder, `${id}${JOURNAL}`), "a");
      await cutTornLine(join(folder, `${id}${JOURNAL}`));
      const fence = await nextFence(folder, id);
      const mail = new FileMail(folder, id);
      if (status !== "idle") await mail.mark({ status });
      const end = await endOf(join(folder, `${id}${JOURNAL}`));
      return new FileLease({ folder, id, lock, fence, end, mail });
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  async read(id: string, place: ReadPlace = {}): Promise<readonly StoredLine[]> {
    required(anObject)(place, "read: the place");
    const { journal, from = 0 } = place;
    return whileThere([], async () => readPage(await this.#path(id, journal), from));
  }

  async lastCompaction(id: string, journal?: string): Promise<number> {
    return whileThere(0, async () => {
      return reading(await this.#path(id, journal), lastCompaction);
    });
  }

  async journals(id: string): Promise<readonly string[]> {
    checkIsText(id);
    const names = await whileThere([], async () => readdir(join(await this.#folder(), id, "agents")));
    return names.filter((name) => name.endsWith(JOURNAL)).map((name) => name.slice(0, -JOURNAL.length));
  }

  async ends(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    required(strings)(ids, "ends: the ids");
    const found = await Promise.all(
      ids.map((id) =>
        whileThere(undefined, async () => {
          return [id, await reading(await this.#path(id), endOfLines)] as const;
        }),
      ),
    );
    return new Map(found.filter((one) => one !== undefined));
  }

  async list(options: ListOptions = {}) {
    checkOptions(options, { limit: aNumberFromZero }, "list");
    return (await listSessions(await this.#folder())).slice(0, options.limit);
  }

  async result(id: string, name: string): Promise<string | undefined> {
    checkIsText(id);
    required(aString)(name, "result: the name");
    const folder = join(await this.#folder(), id, "results");
    if (dirname(name) !== folder || basename(name).startsWith(".")) return undefined;
    return whileThere(undefined, () => readFile(name, "utf8"));
  }

  async post(id: string, mail: SessionMail, options: PostMailOptions = {}): Promise<boolean> {
    checkSessionId(id);
    if (typeof mail?.id !== "string") throw wrong("post: the mail", "an object with an id and a body", mail);
    required(anObject)(options, "post: the options");
    const { isNew = false } = options;
    const folder = await this.#folder();
    const inbox = new FileMail(folder, id);
    const existing = isNew ? (await sessionIds(folder)).find((other) => isSameId(other, id)) : undefined;
    const isThere =
      existing !== undefined || !(await isWritten(join(folder, `${id}${JOURNAL}`), isNew ? "wx" : "a"));
    if (!isThere) return inbox.post(mail);
    // The same mail again, as after a lost reply.
    if ((await inbox.waiting()).some((one) => one.id === mail.id)) return false;
    throw new SessionExists(id, existing ?? id);
  }

  async inbox(id: string): Promise<readonly SessionMail[]> {
    checkIsText(id);
    return new FileMail(await this.#folder(), id).waiting();
  }

  async due(limit: number, after?: DueSession): Promise<readonly DueSession[]> {
    required(aNumberFromZero)(limit, "due: the limit");
    anObject(after, "due: the last session");
    const tenants = await whileThere([], () => readdir(join(this.#home, "tenants")));
    const due: DueSession[] = [];
    for (const tenant of [DEFAULT_TENANT, ...tenants.filter((name) => TENANT.test(name))].toSorted()) {
      if (after !== undefined && tenant < after.tenant) continue;
      const folder = await new FileStore(this.#home, this.#cwd, tenant).#folder();
      for (const id of (await dueIn(folder)).toSorted()) {
        if (tenant === after?.tenant && id <= after.id) continue;
        if (due.length >= limit) return due;
        if ((await lockHolder(folder, id)) === undefined)
          due.push({ tenant, id, fence: await fenceOf(folder, id) });
      }
    }
    return due;
  }

  async delete(id: string): Promise<boolean> {
    checkIsText(id);
    const folder = await this.#folder();
    if (!(await sessionIds(folder)).includes(id)) return false;
    const lock = await takeLock(folder, id);
    await new FileMail(folder, id).forget();
    await rm(join(folder, id), { recursive: true, force: true });
    await rm(join(folder, `${id}${JOURNAL}`), { force: true });
    await lock.release();
    return true;
  }

  async close(): Promise<void> {}

  async #path(id: string, journal?: string): Promise<string> {
    checkIsText(id);
    aString(journal, "The name of the journal");
    return journalPath(await this.#folder(), id, journal);
  }

  #folder(): Promise<string> {
    const home = this.tenant === DEFAULT_TENANT ? this.#home : join(this.#home, "tenants", this.tenant);
    // The real path, because the names of results are compared with it.
    this.#found ??= projectFolder(home, this.#cwd, () => {}).then((folder) => realpath(folder));
    return this.#found;
  }
}

interface LeaseParts {
  readonly folder: string;
  readonly id: string;
  readonly lock: Lock;
  readonly fence: number;
  readonly end: number;
  readonly mail: FileMail;
}

class FileLease implements SessionLease {
  readonly id: string;
  readonly fence: number;
  readonly end: number;
  readonly validUntil = Number.POSITIVE_INFINITY;
  readonly #parts: LeaseParts;
  readonly #files = new Map<string, JournalFile>();
  /** The ends of the journals, as they were reported. */
  readonly #ends = new Map<string, number>();
  #isReleased = false;

  constructor(parts: LeaseParts) {
    this.#parts = parts;
    this.id = parts.id;
    this.fence = parts.fence;
    this.end = parts.end;
  }

  async append({ journal, at, lines, taken = [] }: AppendBatch): Promise<number> {
    await this.renew();
    const { folder, id, mail } = this.#parts;
    const path = journalPath(folder, id, journal);
    const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
    const end = await endOf(path);
    const isThere = end === at + bytes.length && (await holds(path, at, bytes));
    if (end !== at && !isThere) {
      // What an append that failed has written was never reported as stored.
      if (end < at || at < (this.#ends.get(path) ?? end))
        throw new Error(`${path} ends at ${end}, not at ${at}`);
      await truncate(path, at);
    }
    if (!isThere) {
      this.#ends.set(path, at);
      await this.#write(path, bytes);
    }
    this.#ends.set(path, at + bytes.length);
    for (const one of taken) await mail.take(one);
    return at + bytes.length;
  }

  storeResult({ callId, text }: { readonly callId: string; readonly text: string }): Promise<string> {
    const { folder, id } = this.#parts;
    const stored = fileResults(join(folder, id), () => {}).store({ callId, toolName: "", text });
    return Promise.resolve(stored);
  }

  async renew(): Promise<void> {
    if (this.#isReleased) throw new LeaseLost(this.id, "it was released");
    if (!(await this.#isHeld())) throw new LeaseLost(this.id);
  }

  async release({ status = "idle", wakeAt, batches = [] }: ReleaseOptions = {}): Promise<ReleasedSession> {
    if (this.#isReleased) return { hasMail: true };
    try {
      for (const batch of batches) await this.append(batch);
    } finally {
      await this.#closeFiles();
    }
    const isHeld = await this.#isHeld();
    this.#isReleased = true;
    // If the lease was lost, the mark belongs to the next one.
    if (isHeld) await this.#parts.mail.mark({ status, ...(wakeAt === undefined ? {} : { wakeAt }) });
    await this.#parts.lock.release();
    const end = this.#ends.get(journalPath(this.#parts.folder, this.id, undefined)) ?? this.end;
    return { hasMail: (await this.#parts.mail.waiting()).length > 0, end };
  }

  async #isHeld(): Promise<boolean> {
    const { folder, id, fence } = this.#parts;
    return (await lockHolder(folder, id)) === process.pid && (await fenceOf(folder, id)) === fence;
  }

  async #closeFiles(): Promise<void> {
    const files = [...this.#files.values()];
    this.#files.clear();
    for (const file of files) await file.close();
  }

  async #write(path: string, bytes: Buffer): Promise<void> {
    let file = this.#files.get(path);
    if (file === undefined) {
      await privateFolders(this.#parts.folder, path);
      file = await diskFiles.open(path);
      this.#files.set(path, file);
    }
    for (let written = 0; written < bytes.length; ) written += await file.write(bytes.subarray(written));
    await file.datasync();
  }
}

/** Creates a file, or leaves it as it is. Returns false if it must be new and exists. */
async function isWritten(path: string, flag: "a" | "wx"): Promise<boolean> {
  try {
    await writeFile(path, "", { flag, mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

function journalPath(folder: string, id: string, journal: string | undefined): string {
  return journal === undefined
    ? join(folder, `${id}${JOURNAL}`)
    : join(folder, id, "agents", `${basename(journal)}${JOURNAL}`);
}

/** Makes the folders between the project's folder and a file. */
async function privateFolders(folder: string, path: string): Promise<void> {
  const above = dirname(path);
  if (above === folder) return;
  await privateFolders(folder, above);
  if ((await privateDirectory(above, () => {})) !== above) throw new Error(`${above} is not private`);
}

function fencePath(folder: string, id: string): string {
  return join(folder, id, "fence");
}

async function fenceOf(folder: string, id: string): Promise<number> {
  return Number(await whileThere("0", () => readFile(fencePath(folder, id), "utf8"))) || 0;
}

/** The caller holds the lock. */
async function nextFence(folder: string, id: string): Promise<number> {
  // A session that was deleted and created again must not start at a number that was used before.
  const fence = Math.max((await fenceOf(folder, id)) + 1, Date.now());
  const path = fencePath(folder, id);
  await privateFolders(folder, path);
  const handle = await open(path, "w", 0o600);
  try {
    await handle.writeFile(String(fence));
    await handle.datasync();
  } finally {
    await handle.close();
  }
  return fence;
}
