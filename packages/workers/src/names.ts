/** Names of queues, and of everything that is kept on the server. */

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** A name becomes part of keys that others share, so only plain ones are taken. */
export function checkName(name: unknown, what: string): string {
  if (typeof name === "string" && NAME.test(name)) return name;
  const shown = JSON.stringify(name)?.slice(0, 80) ?? String(name);
  throw new TypeError(`${what} must be 1 to 64 letters, digits, "-" or "_", not ${shown}.`);
}

/** The prefix of the queue engine's own keys. */
export const PREFIX = "runahead";

export interface Names {
  /** For every worker. */
  readonly shared: string;
  /** For one worker: calls on a workspace that it holds. */
  readonly ownOf: (worker: string) => string;
  /** A key of the queue engine for one call in one of its queues. */
  readonly jobKey: (queue: string, job: string) => string;
  readonly waiting: (queue: string) => string;
  /** The worker that runs a call says so here. */
  readonly holding: (job: string) => string;
  /** The caller no longer wants it. */
  readonly stop: (job: string) => string;
  readonly part: (job: string, part: number) => string;
  /** Where a caller's answers arrive, in order. */
  readonly mail: (caller: string) => string;
  readonly caller: (caller: string) => string;
  readonly workspace: (workspace: string) => string;
  readonly record: (worker: string) => string;
  readonly drain: (worker: string) => string;
  /** All workers, by when they were last seen. */
  readonly workers: string;
  /** Word to all workers that a call is no longer wanted. */
  readonly stops: string;
}

export function namesOf(queue: string): Names {
  const own = (kind: string): string => `${PREFIX}:${queue}/${kind}`;
  const each = (kind: string) => (id: string) => `${own(kind)}:${id}`;
  return {
    shared: queue,
    ownOf: (worker) => `${queue}.${worker}`,
    jobKey: (name, job) => `${PREFIX}:${name}:${job}`,
    waiting: (name) => `${PREFIX}:${name}:wait`,
    holding: each("holding"),
    stop: each("stop"),
    part: (job, part) => `${own("part")}:${job}:${part}`,
    mail: each("mail"),
    caller: each("caller"),
    workspace: each("workspace"),
    record: each("worker"),
    drain: each("drain"),
    workers: own("workers"),
    stops: own("stops"),
  };
}
