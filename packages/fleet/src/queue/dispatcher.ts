/** The port between those who post mail and the workers: which session needs a worker, and which has new mail. */

export interface WakeUp {
  readonly tenant: string;
  readonly id: string;
  /** The same token again has no effect while the first wake-up waits. */
  readonly token: string;
  /** How long to wait. Default: not at all. */
  readonly delayMs?: number;
}

export interface Taken {
  readonly tenant: string;
  readonly id: string;
}

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
}

/**
 * Carries wake-ups to workers. It can lose them: workers find sessions that need one in the store. It should be fair between
 * tenants.
 */
export interface Dispatcher {
  wake(wakeUp: WakeUp): Promise<void>;
  /** Returns those for which no wake-up waits. */
  unknown<Session extends Taken>(sessions: readonly Session[]): Promise<readonly Session[]>;
  /** Announces new mail to the worker that runs the session. */
  announce(session: Taken): Promise<void>;
  onMail(listener: (session: Taken) => void): () => void;
  take(options: TakeOptions): Promise<Taking>;
  load(): Promise<Load>;
  close(): Promise<void>;
}

export function keyOf({ tenant, id }: Taken): string {
  return `${tenant}.${id.toLowerCase()}`;
}
