/** Opens the session of a run: a new one, or one to continue. */

import { type Session, sessions } from "@runahead/agent";
import { UsageError } from "../error.ts";
import type { HarnessOptions } from "../options.ts";

interface Where {
  /** `~/.runahead`, or `RUNAHEAD_HOME`. */
  readonly home: string;
  readonly cwd: string;
  readonly onNotice: (message: string) => void;
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** Resolves with undefined if the session is not kept. */
export async function openSession(flags: HarnessOptions, where: Where): Promise<Session | undefined> {
  const { resume, continue: isContinued, forkSession, sessionPersistence, sessionId } = flags;
  if (sessionId !== undefined) checkId(flags, sessionId);
  if (sessionPersistence === false) {
    if (resume === undefined && isContinued !== true) return undefined;
    throw new UsageError(
      "--resume and --continue need a session on disk and cannot be used with --no-session-persistence",
    );
  }
  const store = sessions(where);
  if (resume !== undefined) return forkSession === true ? store.fork(resume) : store.resume(resume);
  if (sessionId !== undefined) return store.create(sessionId.toLowerCase());
  if (isContinued !== true) return store.create();
  const [latest] = await store.list();
  if (latest === undefined)
    throw new UsageError("there is no session in this folder to continue; start one without --continue");
  return forkSession === true ? store.fork(latest.id) : store.resume(latest.id);
}

function checkId({ resume, continue: isContinued }: HarnessOptions, id: string): void {
  if (!UUID.test(id.toLowerCase()))
    throw new UsageError(`--session-id must be a UUID, got ${id.slice(0, 80)}`);
  if (resume !== undefined || isContinued === true)
    throw new UsageError("--session-id is for a new session and cannot be used with --resume or --continue");
}
