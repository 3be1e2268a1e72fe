/** One open session of a store. */

import { checkEntry } from "./check-entry.ts";
import type { SessionEntry } from "./entry.ts";
import { type EntryWriter, SavedSession, type Session, type SessionParts } from "./session.ts";
import type { ReleaseOptions, SessionLease, SessionMail } from "./store.ts";

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

interface StoredParts extends Omit<SessionParts, "release"> {
  readonly lease: SessionLease;
  readonly lost: AbortSignal;
  readonly beside: (journal: string) => EntryWriter;
  /** Resolves with whether mail can wait. */
  readonly releaseAs: (as: ReleaseOptions) => Promise<boolean>;
  /** Keeps the outputs in the store, and removes the files of this machine. */
  readonly settle: () => Promise<void>;
}

export class StoredSession extends SavedSession implements OpenStoredSession {
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
    checkEntry(entry);
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
