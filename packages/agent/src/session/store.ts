/** The port of session persistence: what a store must do so that sessions survive a crash on it. */

import type { SessionSummary } from "./list.ts";

/** One line of a journal. */
export interface StoredLine {
  /** The JSON text, without a newline. */
  readonly line: string;
  /** The position after this line: pass it to `read` to continue. */
  readonly next: number;
}

/** Where to read a journal. */
export interface ReadPlace {
  /** The name of a sub-agent's journal. Default: the journal of the session itself. */
  readonly journal?: string;
  /** A position that the store returned before. Default: 0, the beginning. */
  readonly from?: number;
}

/** Lines to append in one step: all of them are stored, or none. */
export interface AppendBatch {
  /** The name of a sub-agent's journal. Default: the journal of the session itself. */
  readonly journal?: string;
  /**
   * The position where the lines belong: the end of the journal. If the same lines are already there, as after a lost
   * reply, the append succeeds without storing them twice.
   */
  readonly at: number;
  /** The lines, without newlines. */
  readonly lines: readonly string[];
  /** Ids of mail that these lines take: removed from the inbox in the same step. Default: none. */
  readonly taken?: readonly string[];
}

/** A message to a session, which waits in its inbox until a run takes it. */
export interface SessionMail {
  /** Unique within the session. Posting the same id again has no effect. */
  readonly id: string;
  /** What is sent, as plain JSON data. */
  readonly body: unknown;
}

/** What a session is doing, according to its last lease. */
export type SessionStatus =
  /** It has nothing to do, or a program uses it directly. */
  | "idle"
  /** A worker runs it. If its lease has expired, another worker takes over. */
  | "running"
  /** It waits for a person, or for `wakeAt`. */
  | "waiting";

/** Options of `lease`. */
export interface LeaseOptions {
  /** True: the session must not exist yet. False: it must exist. Default: it is created if it does not exist. */
  readonly isNew?: boolean;
  /** The status while it is leased. Default: `idle`. */
  readonly status?: SessionStatus;
}

/** The status that a released session gets. */
export interface ReleaseOptions {
  /** Default: `idle`. */
  readonly status?: SessionStatus;
  /** When a worker should continue, in milliseconds since 1970. Default: never. */
  readonly wakeAt?: number;
  /** The last lines of the session's journals, appended in order before the lease ends. Default: none. */
  readonly batches?: readonly AppendBatch[];
}

/** What a session is like after its lease has ended. */
export interface ReleasedSession {
  /** Whether mail waits; true if that is unknown. */
  readonly hasMail: boolean;
  /** The end of the session's journal; undefined if it is unknown. */
  readonly end?: number;
}

/** Options of `post`. */
export interface PostMailOptions {
  /** True: the session must not exist yet. Default: it is created if it does not exist. */
  readonly isNew?: boolean;
}

/**
 * The right to write to a session. One lease is valid at a time: the store compares its fencing number in the same step
 * as every write, so a process that was paused and wakes up late cannot write.
 */
export interface SessionLease {
  /** The id of the session. */
  readonly id: string;
  /** The fencing number. Each lease of a session has a higher one than the lease before it. */
  readonly fence: number;
  /** The end of the session's journal when the lease was granted. */
  readonly end: number;
  /** The mail that waited when the lease was granted, oldest first. Undefined: read the inbox. */
  readonly mail?: readonly SessionMail[];
  /** Until when the lease is certainly valid, on the monotonic clock (`performance.now()`). */
  readonly validUntil: number;
  /**
   * Appends lines. They are durable when the promise resolves, which it does with the new end position. Rejects with
   * {@link LeaseLost} if the lease is not the current one, and with any other error if it is unknown whether the lines
   * were stored: append the same batch again then.
   */
  append(batch: AppendBatch): Promise<number>;
  /** Stores a large result and returns the name for `SessionStore.result`. */
  storeResult(item: { readonly callId: string; readonly text: string }): Promise<string>;
  /** Extends the lease. Rejects with {@link LeaseLost} if another one was granted or the session was deleted. */
  renew(): Promise<void>;
  /**
   * Ends the lease. Does nothing if it was lost, but rejects with {@link LeaseLost} then if there are lines to append. Can be
   * called more than once.
   */
  release(options?: ReleaseOptions): Promise<ReleasedSession>;
}

/** A session that needs a worker. */
export interface DueSession {
  /** Its tenant. */
  readonly tenant: string;
  /** Its id. */
  readonly id: string;
  /** The fencing number of its last lease. */
  readonly fence: number;
}

/**
 * Stores the sessions of a tenant. Implement it to keep sessions somewhere else, and run `storeSuite` against it.
 *
 * An append is durable before it resolves. Ids that differ only in case are the same session.
 */
export interface SessionStore {
  /** Names the store in messages. Must not contain credentials. */
  readonly name: string;
  /** The tenant whose sessions it shows. Default: `default`. */
  readonly tenant: string;
  /** Returns the same store with the sessions of another tenant. Except for `due`, no method reaches sessions of another tenant. */
  forTenant(tenant: string): SessionStore;
  /**
   * Takes the lease of a session. Rejects with `SessionLocked` if another lease is valid, with
   * `SessionExists`, or with `NoSuchSession`.
   */
  lease(id: string, options?: LeaseOptions): Promise<SessionLease>;
  /** Resolves with the next lines of a journal, as many as fit into one reply; none at its end. */
  read(id: string, place?: ReadPlace): Promise<readonly StoredLine[]>;
  /** Resolves with the position of the last line whose type is `compacted`; 0 if there is none. */
  lastCompaction(id: string, journal?: string): Promise<number>;
  /** Resolves with the names of the journals of a session's sub-agents. */
  journals(id: string): Promise<readonly string[]>;
  /** Resolves with the end positions of sessions' journals. Sessions that do not exist are left out. */
  ends(ids: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Lists the sessions, newest first. */
  list(options?: ListOptions): Promise<readonly SessionSummary[]>;
  /** Resolves with the text of a large result; undefined if there is none with this name. */
  result(id: string, name: string): Promise<string | undefined>;
  /**
   * Puts mail into a session's inbox, whether or not it is leased. Creates the session if it does not exist. Durable when
   * it resolves. Resolves with false if mail with this id was posted before and not taken yet. Rejects with
   * `SessionExists` if the session must be new and is not.
   */
  post(id: string, mail: SessionMail, options?: PostMailOptions): Promise<boolean>;
  /** Resolves with the mail that waits, oldest first. */
  inbox(id: string): Promise<readonly SessionMail[]>;
  /**
   * Resolves with sessions of all tenants that need a worker and have no valid lease: they have mail, their worker has
   * died, or their time to wake up has come. The order is stable: pass the last session of a page as `after` for the next page.
   */
  due(limit: number, after?: DueSession): Promise<readonly DueSession[]>;
  /** Deletes a session with everything that belongs to it. Resolves with false if it does not exist. Rejects with `SessionLocked`. */
  delete(id: string): Promise<boolean>;
  /** Closes connections. */
  close(): Promise<void>;
}

/** Options of `list`. */
export interface ListOptions {
  /** The maximum number of sessions. Default: all. */
  readonly limit?: number;
}

/** The tenant of a store that was not given one. */
export const DEFAULT_TENANT = "default";
