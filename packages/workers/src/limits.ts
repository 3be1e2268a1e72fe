/** Every limit and interval of tools on other machines, in one place. */

export const LIMITS = {
  /** How often callers and workers say that they live, and look after their calls. */
  beatMs: 1_000,
  /** How often a worker puts away what dead ones have left in the queue. */
  tidyMs: 8_000,
  /** How long a worker waits for a call before it asks again: less than the silence that means a dead connection. */
  pollMs: 2_500,
  /** What a worker says of a call that it runs holds for so long. */
  holdMs: 4_000,
  /** What a caller says of itself holds for so long; then its calls are stopped. */
  callerMs: 6_000,
  /** A worker holds a workspace for so long without saying so again. */
  leaseMs: 6_000,
  /** A worker keeps a workspace without calls for so long. */
  leaseIdleMs: 600_000,
  /** The record of a worker, for people. */
  recordMs: 4_000,
  /** Nobody holds the call, nor answers: after so long it is lost. */
  graceMs: 3_000,
  /** No byte for so long while one is awaited: the connection is taken to be dead. */
  silenceMs: 4_000,
  /** A worker that cannot reach the server when it is started gives up after so long. */
  startMs: 5_000,
  /** A worker that cannot reach the server for so long stops its calls, since nobody hears of them. */
  cutOffMs: 30_000,
  /** A tool that does not end when it is told to is no longer waited for. */
  stopMs: 4_000,
  /** How long a worker tries to get an answer to the server. */
  deliverMs: 60_000,
  /** How long answers, parts and marks are kept for a caller that does not fetch them. */
  keepMs: 600_000,
  /** How long a call waits for a worker to take it, where the caller does not say. */
  waitMs: 60_000,
  /** How often a call that only reads is tried, where the caller does not say. */
  tries: 3,
  /** How often a call is sent on to the worker that holds its workspace. */
  moves: 5,
  inputBytes: 16 * 1024 * 1024,
  /** Larger outputs go in parts. */
  inlineBytes: 256 * 1024,
  partBytes: 512 * 1024,
  /** Where the worker does not say. */
  outputBytes: 64 * 1024 * 1024,
  contextBytes: 64 * 1024,
  /** Reports of one call go together, so often at most. */
  progressMs: 20,
  /** What is reported beyond this before the next sending is left out. */
  progressBytes: 64 * 1024,
  messageChars: 100_000,
  stackLines: 10,
  /** Time limit of a call whose tool states none. */
  callMs: 600_000,
  maxConcurrency: 1_000,
  /** Keeps what the queue tells of itself small: nobody reads it. */
  queueEvents: 100,
} as const;
