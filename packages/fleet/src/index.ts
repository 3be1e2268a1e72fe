/** Runs Runahead agents as jobs on many machines, and serves them over HTTP. */

export {
  type AgentQueue,
  type AgentQueueOptions,
  type PostOptions,
  type SessionInfo,
  NotResponding,
  createAgentQueue,
} from "./queue/agent-queue.ts";
export {
  type AgentWorker,
  type AgentWorkerOptions,
  type WorkerSession,
  startAgentWorker,
} from "./queue/agent-worker.ts";
export {
  type RedisLimiter,
  type RedisLimiterOptions,
  type RedisLimiterTotal,
  createRedisLimiter,
} from "./limiter/redis-limiter.ts";
export type { FollowOptions, SessionEvent } from "./queue/follow.ts";
export type { RedisConnection } from "./redis-connection.ts";
export type { PersonsAnswer } from "./run/mail.ts";
export type { RunEnd } from "./run/session-run.ts";
export {
  type AgentServer,
  type ServeLimits,
  type ServeLog,
  type ServeOptions,
  serveAgents,
} from "./serve/server.ts";
export type { Scope, ServeToken } from "./serve/auth.ts";
export type { RequestSpan, ServeTelemetry, ServedRequest } from "./telemetry/request-span.ts";
export type { AgentInRun, AgentRunFacts, AgentSetup, MakeAgent } from "./run/setup.ts";
export { type FleetMetrics, createFleetMetrics } from "./serve/metrics.ts";
