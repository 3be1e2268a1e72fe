/** What keeps a session from being opened: each says what a person can do about it. */

/** Thrown if another process, agent or query has the session. */
export class SessionLocked extends Error {
  /** The name of the class. */
  override readonly name = "SessionLocked";
  /** The id of the session. */
  readonly id: string;
  /** The process that has it. */
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
    `process ${pid}. Fork it to go on from what it has saved so far. ` +
      `(If that process ran on another machine or in a container and is gone, delete ${lock}.)`,
  );
}

/** `holder`: "an agent", "a query". */
export function lockedInProcess(id: string, holder: string): SessionLocked {
  return new SessionLocked(
    id,
    process.pid,
    `${holder} of this process (${process.pid}). Close that one first, or fork the session.`,
  );
}

/** Thrown if there is no session of this id in the folder. The message names the nearest ones. */
export class NoSuchSession extends Error {
  /** The name of the class. */
  override readonly name = "NoSuchSession";

  constructor(id: string, folder: string, nearest: readonly string[]) {
    const others = nearest.length === 0 ? "There are none there." : `Nearest: ${nearest.join(", ")}.`;
    super(`No session ${JSON.stringify(id.slice(0, 100))} in ${folder}. ${others}`);
  }
}

/** Thrown if there is a session of this id already, or of one that differs in case only. */
export class SessionExists extends Error {
  /** The name of the class. */
  override readonly name = "SessionExists";

  constructor(id: string, existing = id) {
    const asked = id === existing ? "" : ` (${id} differs from it in case only)`;
    super(`There is a session ${existing} already${asked}: resume it, or give another id.`);
  }
}

/** Thrown if the session was written by a newer version. Its file is left as it is. */
export class SessionTooNew extends Error {
  /** The name of the class. */
  override readonly name = "SessionTooNew";

  constructor(path: string, version: string, ours: number) {
    super(
      `${path} was written by a newer Runahead (version ${version} of the form; this one knows ${ours}). ` +
        "It was left as it is: resume it with the newer one.",
    );
  }
}
