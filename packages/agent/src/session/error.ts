/** The errors of opening a session. Each message says what the user can do. */

/** Thrown if another process, agent or query is using the session. */
export class SessionLocked extends Error {
  /** The name of the class. */
  override readonly name = "SessionLocked";
  /** The id of the session. */
  readonly id: string;
  /** The id of the process that uses it. */
  readonly pid: number;

  constructor(id: string, pid: number, message: string) {
    super(`Session ${id} is in use by ${message}`);
    this.id = id;
    this.pid = pid;
  }
}

export function lockedByProcess(id: string, pid: number, lock: string): SessionLocked {
  return new SessionLocked(
    id,
    pid,
    `process ${pid}. Fork the session to continue from what is saved so far, or end that process. ` +
      `(If it ran on another machine or in a container and no longer exists, delete ${lock}.)`,
  );
}

/** It was opened before in this process. */
export function lockedHere(id: string): SessionLocked {
  return new SessionLocked(
    id,
    process.pid,
    `this process (${process.pid}), which has opened it before. Close the agent or session that uses it, or fork the ` +
      "session to work on a copy.",
  );
}

/** `holder` is "an agent" or "a query". */
export function lockedInProcess(id: string, holder: string): SessionLocked {
  return new SessionLocked(
    id,
    process.pid,
    `${holder} of this process (${process.pid}). Close it first, or fork the session.`,
  );
}

/** Thrown if the folder has no session with this id. The message suggests similar ids. */
export class NoSuchSession extends Error {
  /** The name of the class. */
  override readonly name = "NoSuchSession";

  constructor(id: string, folder: string, nearest: readonly string[]) {
    const hint = nearest.length === 0 ? "" : ` Did you mean ${nearest.join(" or ")}?`;
    super(`No session ${JSON.stringify(id.slice(0, 100))} in ${folder}.${hint}`);
  }
}

/** Thrown if a session with this id exists. Ids that differ only in case count as the same. */
export class SessionExists extends Error {
  /** The name of the class. */
  override readonly name = "SessionExists";

  constructor(id: string, existing = id) {
    const asked = id === existing ? "" : ` (${id} differs only in case)`;
    super(`Session ${existing} already exists${asked}. Resume it, or choose another id.`);
  }
}

/** Thrown if a newer version wrote the session. The file is not changed. */
export class SessionTooNew extends Error {
  /** The name of the class. */
  override readonly name = "SessionTooNew";

  constructor(path: string, version: string, ours: number) {
    super(
      `${path} was written by a newer version of Runahead (format ${version}; this version supports ${ours}). ` +
        "The file was not changed. Update Runahead to resume this session.",
    );
  }
}

/** Thrown if a session was written to with a lease that is no longer valid: another process has taken the session over. */
export class LeaseLost extends Error {
  /** The name of the class. */
  override readonly name = "LeaseLost";
  /** The id of the session. */
  readonly id: string;

  constructor(id: string, why = "another process has taken it over") {
    super(`The lease of session ${id} is lost: ${why}. Nothing was written. Resume the session to continue.`);
    this.id = id;
  }
}

/** The store answers, and does not take what a session must save. Waiting for it would be waiting for ever. */
export class StoreRefused extends Error {
  override readonly name = "StoreRefused";

  constructor(id: string, why: string) {
    super(`The store refuses to save session ${id}: ${why}`);
  }
}

/** By its name, because a store can have been loaded with another copy of this package. */
export function isLeaseLost(error: unknown): error is LeaseLost {
  return error instanceof Error && error.name === "LeaseLost";
}
