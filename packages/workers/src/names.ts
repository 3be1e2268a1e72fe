/** The names of queues and of all keys on the server. */

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** A name becomes part of shared keys, so it is restricted to plain characters. */
export function checkName(name: unknown, what: string): string {
  if (typeof name === "string" && NAME.test(name)) return name;
  const shown = JSON.stringify(name)?.slice(0, 80) ?? String(name);
  throw new TypeError(`${what} must be 1 to 64 letters, digits, "-" or "_", got ${shown}.`);
}

/** The prefix of BullMQ's own keys. */
export const PREFIX = "runahead";

export interface Names {
  /** The queue of all workers. */
  readonly shared: string;
  /** The queue of one worker: calls on workspaces that it holds. */
  readonly ownOf: (worker: string) => string;
  /** BullMQ's key of a job in a queue. */
  readonly jobKey: (queue: string, job: string) => string;
  readonly waiting: (queue: string) => string;
  /** Names the worker that runs a call. */
  readonly holding: (job: string) => string;
  /** Set when the caller cancelled the call. */
  readonly stop: (job: string) => string;
  readonly part: (job: string, part: number) => string;
  /** The stream of a caller's answers. */
  readonly mail: (caller: string) => string;
  readonly caller: (caller: string) => string;
  readonly workspace: (workspace: string) => string;
  readonly record: (worker: string) => string;
  readonly drain: (worker: string) => string;
  /** All workers, sorted by when they were last seen. */
  readonly workers: string;
  /** The channel that announces cancelled calls to all workers. */
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
