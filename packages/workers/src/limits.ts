/** All limits and intervals of remote tools. */

export const LIMITS = {
  /** The interval of the heartbeats of callers and workers. */
  beatMs: 1_000,
  /** How often a worker removes jobs that dead workers left in the queue. */
  tidyMs: 8_000,
  /** How long a worker blocks while waiting for a call. Must be less than `silenceMs`. */
  pollMs: 2_500,
  /** How long a worker's hold on a running call is valid without renewal. */
  holdMs: 4_000,
  /** How long a caller counts as alive without renewal; after that its calls are stopped. */
  callerMs: 6_000,
  /** How long a lease on a workspace is valid without renewal. */
  leaseMs: 6_000,
  /** How long a worker keeps a workspace without calls. */
  leaseIdleMs: 600_000,
  /** How long the record of a worker is valid without renewal. */
  recordMs: 4_000,
  /** How long a call can have neither holder nor answer before it counts as lost. */
  graceMs: 3_000,
  /** A connection without a byte for this long, while a reply is due, counts as dead. */
  silenceMs: 4_000,
  /** How long a starting worker tries to reach the server. */
  startMs: 5_000,
  /** A worker without a connection for this long stops its calls, because it cannot deliver their answers. */
  cutOffMs: 30_000,
  /** How long a stopped tool has to end before it is abandoned. */
  stopMs: 4_000,
  /** How long a worker tries to deliver an answer. */
  deliverMs: 60_000,
  /** How long answers, parts and markers are kept for a caller that does not fetch them. */
  keepMs: 600_000,
  /** How long a call waits for a worker by default. */
  waitMs: 60_000,
  /** How often a read-only call is tried by default. */
  tries: 3,
  /** How often a call is forwarded to the worker that holds its workspace. */
  moves: 5,
  inputBytes: 16 * 1024 * 1024,
  /** Larger outputs are sent in parts. */
  inlineBytes: 256 * 1024,
  partBytes: 512 * 1024,
  /** The default of the worker's `maxOutputBytes`. */
  outputBytes: 64 * 1024 * 1024,
  contextBytes: 64 * 1024,
  /** The minimum interval between two batches of progress reports of a call. */
  progressMs: 20,
  /** The maximum size of a batch; further reports are dropped. */
  progressBytes: 64 * 1024,
  messageChars: 100_000,
  stackLines: 10,
  /** The time limit of a call whose tool has none. */
  callMs: 600_000,
  maxConcurrency: 1_000,
  /** The length of the queue's event stream; nothing reads it. */
  queueEvents: 100,
} as const;
