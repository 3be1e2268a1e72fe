/** Sessions in a store: the same as sessions in files, with a lease instead of a lock. */

import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Results } from "@runahead/engine";
import { messageOf, shapeOf } from "@runahead/base";
import { type AgentJournal, type AgentJournals, aboutIn } from "./agent-journals.ts";
import { type AgentAbout, type Header, type SessionEntry, VERSION, toLine } from "./entry.ts";
import { type LeaseLost, StoreRefused, isLeaseLost } from "./error.ts";
import { type Notice, privateDirectory, realPathOf } from "./folder.ts";
import { checkSessionId } from "./id.ts";
import type { SessionSummary } from "./list.ts";
import { NOTHING_LOADED, type Loaded } from "./load.ts";
import { recoveryLines } from "./recovery-lines.ts";
import { type EntryWriter, SavedSession, type Session, type SessionParts } from "./session.ts";
import type { Sessions } from "./sessions.ts";
import type {
  LeaseOptions,
  ReleaseOptions,
  ReleasedSession,
  SessionLease,
  SessionMail,
  SessionStore,
} from "./store.ts";
import { StoreWriter, type StoredBatch } from "./store-writer.ts";
import { OUTPUTS, StoredOutputs, removeOldOutputs } from "./stored-outputs.ts";
import { linesFrom, loadStored, requireSession } from "./stored-load.ts";

/** How often a lease is renewed, as a part of the time that it is valid. */
const RENEWALS = 3;
const LEAST_RENEW_MS = 100;
const LONGEST_RENEW_MS = 10_000;
/** How long a journal beside that of the session can wait to be stored together with more. */
const BESIDE_MS = 1_000;
/** How long files are left that no run has removed. */
const OLD_MS = 7 * 86_400_000;

export interface StoredSessionsOptions {
  readonly store: SessionStore;
  readonly cwd: string;
  /** True: `cwd` is a real path. Default: its real path is determined for every new session. */
  readonly isRealCwd?: boolean;
  readonly onNotice: Notice;
  /** Called with the lines of the session's own journal that were stored. */
  readonly onStored?: (stored: StoredBatch) => void;
}

/** An open session of a store, as workers use it. */
export interface OpenStoredSession extends Session {
  readonly lost: AbortSignal;
  readonly fence: number;
  /** The end of the journal when the lease was granted. */
  readonly end: number;
  /** The mail that waited when the lease was granted, if the store knows it. */
  readonly mail: readonly SessionMail[] | undefined;
  /** Whether an entry of the session has taken this mail: it is in the inbox once more. */
  hasTaken(mail: string): boolean;
  /** After `close`: whether mail can wait. */
  readonly hasMail: boolean;
  /** The message with this content takes the mail: both happen in one step. */
  delivers(content: unknown, mail: string): void;
  /**
   * Makes `close` do nothing, for the agent that works on the session: what the session becomes is decided after the agent
   * has ended, and stored in the same step. The trace becomes part of the context that calls share, which workers on other
   * machines receive too. Agents do not wait until the end of a run is saved.
   */
  keepOpen(trace: string | undefined): void;
  /** Closes a session that was kept open. It becomes what the options say. Default: idle. */
  finish(options?: ReleaseOptions): Promise<void>;
  /**
   * A new journal beside that of the session, which is stored when the session is closed, or after a second. Its name must
   * start with a dot, and be used only once.
   */
  beside(journal: string): EntryWriter;
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
    return this.open(id, { isNew: false });
  }

  async continue(): Promise<Session | undefined> {
    const [latest] = await this.list();
    return latest === undefined ? undefined : this.resume(latest.id);
  }

  async fork(id: string): Promise<Session> {
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

interface StoredParts extends Omit<SessionParts, "release"> {
  readonly lease: SessionLease;
  readonly lost: AbortSignal;
  readonly beside: (journal: string) => EntryWriter;
  /** Resolves with whether mail can wait. */
  readonly releaseAs: (as: ReleaseOptions) => Promise<boolean>;
  /** Keeps the outputs in the store, and removes the files of this machine. */
  readonly settle: () => Promise<void>;
}

interface Ending {
  readonly lease: SessionLease;
  readonly writer: StoreWriter;
  readonly besides: readonly StoreWriter[];
  readonly onStored: StoredSessionsOptions["onStored"];
}

/** Stores what is left and ends the lease, in one step. */
async function released({ lease, writer, besides, onStored }: Ending, as: ReleaseOptions): Promise<boolean> {
  const left = await writer.finish();
  const others = await Promise.all(besides.map((one) => one.finish()));
  const batches = writer.lost.aborted ? [] : [left, ...others].filter((one) => one !== undefined);
  const options = { ...as, ...(batches.length === 0 ? {} : { batches }) };
  try {
    const { hasMail, end } = await lease
      .release(options)
      .catch((error: unknown) => again(lease, options, error));
    if (left !== undefined && end !== undefined) onStored?.({ at: left.at, end, lines: left.lines });
    return hasMail;
  } catch (error) {
    // If the store does not respond, the lease expires.
    if (isLeaseLost(error) || error instanceof StoreRefused) writer.fail(error);
    if (error instanceof StoreRefused) await lease.release(as).catch(() => {});
    return true;
  }
}

/** A store that answers, and refuses the same lines twice, would refuse them again. */
async function again(lease: SessionLease, options: ReleaseOptions, error: unknown): Promise<ReleasedSession> {
  if (isLeaseLost(error)) throw error;
  await lease.renew();
  return lease.release(options).catch((second: unknown) => {
    throw isLeaseLost(second) ? second : new StoreRefused(lease.id, messageOf(second));
  });
}

class StoredSession extends SavedSession implements OpenStoredSession {
  readonly lost: AbortSignal;
  readonly fence: number;
  readonly end: number;
  readonly beside: (journal: string) => EntryWriter;
  /** Mail by the content of its message, in the order of sending. */
  readonly #mail: { readonly content: unknown; readonly mail: string }[] = [];
  readonly mail: readonly SessionMail[] | undefined;
  readonly #ending: { as: ReleaseOptions; hasMail: boolean };
  readonly #settle: () => Promise<void>;
  #isKeptOpen = false;
  #trace: string | undefined;

  constructor({ lease, lost, beside, releaseAs, settle, ...parts }: StoredParts) {
    const ending = { as: {}, hasMail: true };
    super({
      ...parts,
      release: async () => {
        ending.hasMail = await releaseAs(ending.as);
      },
    });
    this.mail = lease.mail;
    this.lost = lost;
    this.beside = beside;
    this.fence = lease.fence;
    this.end = lease.end;
    this.#ending = ending;
    this.#settle = settle;
  }

  delivers(content: unknown, mail: string): void {
    this.#mail.push({ content, mail });
  }

  get hasMail(): boolean {
    return this.#ending.hasMail;
  }

  override get context(): Record<string, unknown> | undefined {
    const context = super.context;
    return this.#trace === undefined ? context : { ...context, traceparent: this.#trace };
  }

  keepOpen(trace: string | undefined): void {
    this.#isKeptOpen = true;
    this.#trace = trace;
  }

  /** The end of a run is stored with the release of the lease. */
  get isSavedByOwner(): boolean {
    return this.#isKeptOpen;
  }

  override close(): Promise<void> {
    return this.#isKeptOpen ? Promise.resolve() : super.close();
  }

  async finish(options: ReleaseOptions = {}): Promise<void> {
    this.#ending.as = options;
    // After a lost lease, another worker of this machine can be using the files.
    if (!this.lost.aborted) await this.#settle();
    await super.close();
  }

  override append(entry: SessionEntry): void {
    super.append(this.#withMail(entry));
  }

  #withMail(entry: SessionEntry): SessionEntry {
    if (entry.type !== "message" || entry.message.role !== "user") return entry;
    const { content } = entry.message;
    const at = this.#mail.findIndex((one) => one.content === content);
    const [found] = at < 0 ? [] : this.#mail.splice(at, 1);
    return found === undefined ? entry : { ...entry, mail: found.mail };
  }
}

/** Renews a lease until it is stopped. Any failure but a lost lease is tried again: the lease can still be ours. */
function renewed(lease: SessionLease, onLost: (error: LeaseLost) => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const later = (): void => {
    if (isStopped) return;
    const leftMs = lease.validUntil - performance.now();
    timer = setTimeout(renew, Math.min(LONGEST_RENEW_MS, Math.max(LEAST_RENEW_MS, leftMs / RENEWALS)));
    timer.unref();
  };
  const renew = (): void => {
    void lease.renew().then(later, (error: unknown) => {
      if (isLeaseLost(error)) onLost(error);
      else later();
    });
  };
  later();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

let outputs: Promise<string> | undefined;

/** Where sessions of stores have their files on this machine. The same folder for all workers of a user. */
function outputsFolder(): Promise<string> {
  outputs ??= privateDirectory(join(tmpdir(), "runahead-sessions"), () => {}).catch((error: unknown) => {
    outputs = undefined;
    throw error;
  });
  return outputs;
}

/** Removes what sessions left on this machine a week ago or earlier. */
export async function cleanUpOutputs(): Promise<void> {
  await removeOldOutputs(await outputsFolder(), Date.now() - OLD_MS);
}

/** Opens a session of a store as a worker does. It exists at least by its mail. Rejects with `NoSuchSession` if it was deleted. */
export function openStored(options: StoredSessionsOptions, id: string): Promise<OpenStoredSession> {
  return new StoredSessions(options).open(id, { status: "running", isNew: false });
}
