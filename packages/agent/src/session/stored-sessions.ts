/** Sessions in a store: the same as sessions in files, with a lease instead of a lock. */

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Results } from "@runahead/engine";
import { shapeOf } from "@runahead/base";
import { type AgentJournal, type AgentJournals, aboutIn } from "./agent-journals.ts";
import { type AgentAbout, type Header, VERSION, toLine } from "./entry.ts";
import { type Notice, realPathOf } from "./folder.ts";
import { checkIsText, checkSessionId } from "./id.ts";
import type { SessionSummary } from "./list.ts";
import { NOTHING_LOADED, type Loaded } from "./load.ts";
import { recoveryLines } from "./recovery-lines.ts";
import { type EntryWriter, SavedSession, type Session } from "./session.ts";
import type { Sessions } from "./sessions.ts";
import { released, renewed } from "./held-lease.ts";
import { outputsFolder } from "./outputs-folder.ts";
import type { LeaseOptions, ReleaseOptions, SessionLease, SessionStore } from "./store.ts";
import { StoreWriter, type StoredBatch } from "./store-writer.ts";
import { OUTPUTS, StoredOutputs } from "./stored-outputs.ts";
import { type OpenStoredSession, StoredSession } from "./stored-session.ts";
import { linesFrom, loadStored, requireSession } from "./stored-load.ts";

/** How long a journal beside that of the session can wait to be stored together with more. */
const BESIDE_MS = 1_000;

export interface StoredSessionsOptions {
  readonly store: SessionStore;
  readonly cwd: string;
  /** True: `cwd` is a real path. Default: its real path is determined for every new session. */
  readonly isRealCwd?: boolean;
  readonly onNotice: Notice;
  /** Called with the lines of the session's own journal that were stored. */
  readonly onStored?: (stored: StoredBatch) => void;
}

export class StoredSessions implements Sessions {
  readonly #store: SessionStore;
  readonly #cwd: string;
  readonly #isRealCwd: boolean;
  readonly #onNotice: Notice;
  readonly #onStored: StoredSessionsOptions["onStored"];

  constructor({ store, cwd, isRealCwd = false, onNotice, onStored }: StoredSessionsOptions) {
    this.#onStored = onStored;
    this.#isRealCwd = isRealCwd;
    this.#store = store;
    this.#cwd = cwd;
    this.#onNotice = onNotice;
  }

  async create(id?: string): Promise<Session> {
    if (id !== undefined) checkSessionId(id);
    return this.open(id ?? randomUUID(), { isNew: true });
  }

  async resume(id: string): Promise<Session> {
    checkIsText(id);
    return this.open(id, { isNew: false });
  }

  async continue(): Promise<Session | undefined> {
    const [latest] = await this.list();
    return latest === undefined ? undefined : this.resume(latest.id);
  }

  async fork(id: string): Promise<Session> {
    checkIsText(id);
    await requireSession(this.#store, id);
    const copy = randomUUID();
    const header = { ...(await this.#header(copy)), forkedFrom: id };
    const lease = await this.#store.lease(copy, { isNew: true });
    await this.#copy(id, lease, { header: toLine(header) });
    for (const journal of await this.#store.journals(id)) await this.#copy(id, lease, { journal });
    await lease.release();
    return this.resume(copy);
  }

  async list(): Promise<SessionSummary[]> {
    return [...(await this.#store.list())];
  }

  /** Takes the lease, loads the session, and records what recovery made of an interrupted turn. */
  async open(id: string, options: LeaseOptions): Promise<OpenStoredSession> {
    const lease = await this.#store.lease(id, options);
    try {
      const place = { store: this.#store, id, end: lease.end };
      const { loaded, end } = await loadStored(place, this.#onNotice);
      const folder = join(await outputsFolder(), this.#store.tenant);
      const session = this.#opened(lease, { loaded, end, folder, header: await this.#header(id, loaded) });
      // What recovery made is durable before anything is done with it; the header of a new session can wait.
      if (loaded.recovery !== undefined) await session.sync();
      return session;
    } catch (error) {
      // A session that a worker cannot open still needs one.
      await lease.release({ status: options.status ?? "idle" }).catch(() => {});
      throw error;
    }
  }

  #opened(lease: SessionLease, { loaded, end, header, folder }: Opening): OpenStoredSession {
    const { id, cwd } = header;
    const onNotice = this.#onNotice;
    const onStored = this.#onStored;
    const reporting = onStored === undefined ? {} : { onStored };
    const writer = new StoreWriter({ lease, at: end, onNotice, endsWithLease: true, ...reporting });
    if (loaded.header === undefined) writer.append(toLine(header));
    for (const line of recoveryLines(loaded)) writer.append(line);
    const path = join(folder, `${id}.jsonl`);
    const results = new StoredOutputs({
      folder: join(folder, id),
      keep: (item) => lease.storeResult(item),
      read: (name) => this.#store.result(id, name),
      names: () => shapeOf(session.state?.[OUTPUTS]),
      note: (set) => session.append({ type: "state", name: OUTPUTS, set, unset: [] }),
      onNotice,
    });
    const stopRenewing = renewed(lease, (error) => writer.fail(error));
    const agents = this.#agents(lease, { cwd, results, path });
    const lost = writer.lost;
    const parts = { id, path, cwd, loaded, writer, results, agents };
    const besides: StoreWriter[] = [];
    const beside = (journal: string): EntryWriter => {
      const made = new StoreWriter({
        lease,
        journal,
        at: 0,
        onNotice,
        lazyMs: BESIDE_MS,
        endsWithLease: true,
      });
      besides.push(made);
      return made;
    };
    const release = async (as: ReleaseOptions): Promise<boolean> => {
      stopRenewing();
      return released({ lease, writer, besides, onStored }, as);
    };
    const session = new StoredSession({
      ...parts,
      lease,
      lost,
      beside,
      releaseAs: release,
      settle: () => results.settle(),
    });
    return session;
  }

  #agents(lease: SessionLease, parts: AgentParts): AgentJournals {
    const store = this.#store;
    const { id: session } = lease;
    // A session without a line has no journals of sub-agents until it creates one.
    let hasAgents = lease.end > 0;
    const journals = async (): Promise<readonly string[]> => (hasAgents ? store.journals(session) : []);
    const opened = (id: string, about: AgentAbout | undefined, { loaded, end }: Found): Session =>
      this.#agentSession(lease, { ...parts, id, about, loaded, end });
    return {
      folder: parts.path.replace(/\.jsonl$/, ""),
      // Other journals have names that start with a dot.
      ids: async () => (await journals()).filter((name) => !name.startsWith(".")),
      create: (id, about) => {
        hasAgents = true;
        return opened(id, about, { loaded: NOTHING_LOADED, end: 0 });
      },
      open: async (id): Promise<AgentJournal | undefined> => {
        if (!(await journals()).includes(id)) return undefined;
        const found = await loadStored({ store, id: session, journal: id }, this.#onNotice);
        const about = aboutIn(found.loaded.header);
        return { session: opened(id, about, found), about, end: found.loaded.agentEnd };
      },
    };
  }

  #agentSession(lease: SessionLease, parts: AgentParts & AgentOpening): Session {
    const { id, cwd, path, results, about, loaded, end } = parts;
    const writer = new StoreWriter({ lease, journal: id, at: end, onNotice: this.#onNotice });
    const createdAt = new Date().toISOString();
    const agent = about === undefined ? {} : { agent: about };
    if (loaded.header === undefined)
      writer.append(toLine({ type: "session", version: VERSION, id, cwd, createdAt, ...agent } as Header));
    for (const line of recoveryLines(loaded)) writer.append(line);
    return new SavedSession({ id, path, cwd, loaded, writer, results, release: async () => {} });
  }

  async #copy(id: string, lease: SessionLease, { journal, header }: Copying): Promise<void> {
    let at = 0;
    const named = journal === undefined ? {} : { journal };
    if (header !== undefined) at = await lease.append({ at, lines: [header] });
    for await (const { line } of linesFrom({ store: this.#store, id, ...named }, 0))
      at = await lease.append({ ...named, at, lines: [line] });
  }

  async #header(id: string, { header }: Loaded = NOTHING_LOADED): Promise<Header> {
    const { cwd, createdAt } = header ?? { cwd: undefined, createdAt: undefined };
    return {
      type: "session",
      version: VERSION,
      id,
      cwd: typeof cwd === "string" ? cwd : this.#isRealCwd ? this.#cwd : await realPathOf(this.#cwd),
      createdAt: typeof createdAt === "string" ? createdAt : new Date().toISOString(),
    };
  }
}

interface Found {
  readonly loaded: Loaded;
  readonly end: number;
}

interface Opening extends Found {
  readonly header: Header;
  /** Where the sessions of the tenant have their files. */
  readonly folder: string;
}

interface AgentParts {
  readonly cwd: string;
  readonly path: string;
  readonly results: Results;
}

interface AgentOpening extends Found {
  readonly id: string;
  readonly about: AgentAbout | undefined;
}

interface Copying {
  readonly journal?: string;
  readonly header?: string;
}

/** Opens a session of a store as a worker does. It exists at least by its mail. Rejects with `NoSuchSession` if it was deleted. */
export function openStored(options: StoredSessionsOptions, id: string): Promise<OpenStoredSession> {
  return new StoredSessions(options).open(id, { status: "running", isNew: false });
}
