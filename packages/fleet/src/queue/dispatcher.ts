/** The port between those who post mail and the workers: which session needs a worker, and which has new mail. */

export interface WakeUp extends Taken {
  /** The same token again has no effect while the first wake-up waits. */
  readonly token: string;
  /** How long to wait. Default: not at all. */
  readonly delayMs?: number;
}

export interface Taken {
  readonly tenant: string;
  readonly id: string;
  /** True: it was found in the store. A worker that took it before can have died. */
  readonly wasLost?: boolean;
}

/** A notice to the worker that runs a session: mail was posted, or a reader follows it from now on. */
export interface MailNotice extends Taken {
  /** The id of the mail; undefined: a reader needs the text of the current response so far. */
  readonly mail?: string;
}

/** What a worker reports to the readers of a session. Notices can be lost: the store has everything that counts. */
export type LiveNotice =
  | {
      readonly type: "stored";
      readonly at: number;
      readonly end: number;
      /** The lines between the two positions. Left out if nobody seemed to read, or they are large. */
      readonly lines?: readonly string[];
    }
  | {
      readonly type: "text";
      /** Names the response: text of another one replaces it. */
      readonly response: string;
      readonly turn: number;
      /** The end of the journal when it was sent. */
      readonly at: number;
      /** Where the text belongs in the text of the response. */
      readonly offset: number;
      readonly text: string;
      /** True: everything before it is in the journal. */
      readonly isAll?: boolean;
    };

export interface TakeOptions {
  readonly concurrency: number;
  /** The maximum number of sessions of a tenant that run at a time, on all workers together. */
  readonly tenantLimit: (tenant: string) => number;
  readonly run: (session: Taken) => Promise<void>;
  readonly onNotice: (message: string) => void;
}

export interface Taking {
  /** Takes no further sessions, and resolves when the running ones have ended. */
  stop(): Promise<void>;
}

export interface Load {
  /** Sessions that wait for a worker. */
  readonly waiting: number;
  /** Sessions that workers run. */
  readonly running: number;
  /** Sessions that wait because their tenant has reached its limit. */
  readonly limited: number;
}

/**
 * Carries wake-ups to workers. It can lose them: workers find sessions that need one in the store. It should be fair between
 * tenants.
 */
export interface Dispatcher {
  wake(wakeUp: WakeUp): Promise<void>;
  /** Resolves with true for one of the workers that ask within this time: it looks into the store for all of them. */
  looks(withinMs: number): Promise<boolean>;
  /**
   * Returns those for which no wake-up waits and that no worker took a moment ago. The caller wakes them: others that ask in
   * the next seconds do not get them.
   */
  lost<Session extends Taken>(sessions: readonly Session[]): Promise<readonly Session[]>;
  /** Announces new mail to the worker that runs the session. */
  announce(notice: MailNotice): Promise<void>;
  onMail(listener: (notice: MailNotice) => void): () => void;
  /** Reports to the readers of a session. Resolves with how many have received it. */
  publish(session: Taken, notice: LiveNotice): Promise<number>;
  /** Resolves when the listener receives every later notice. */
  subscribe(session: Taken, listener: (notice: LiveNotice) => void): Promise<() => void>;
  take(options: TakeOptions): Promise<Taking>;
  load(): Promise<Load>;
  close(): Promise<void>;
}

const SOON_MS = 2_000;

/** Waits for a wake-up, but not while Redis cannot be reached: workers find what was stored without it. */
export async function soon(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, SOON_MS)));
  await Promise.race([work.catch(() => {}), late]);
  clearTimeout(timer);
}

export function keyOf({ tenant, id }: Taken): string {
  return `${tenant}.${id.toLowerCase()}`;
}
