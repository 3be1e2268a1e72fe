/** Runs Runahead's tools on other machines, with BullMQ and Redis. */

export type { Connection } from "./connection.ts";
export { NotRunError, OutcomeUnknownError, RemoteError } from "./error.ts";
export { type Fleet, type FleetOptions, drainWorker, fleet } from "./fleet.ts";
export type { WorkerRecord } from "./message.ts";
export { type RemoteOptions, type RemoteTools, remote } from "./remote.ts";
export { type RunningWorker, type WorkerOptions, startWorker } from "./worker.ts";
export type { WorkspaceOptions } from "./workspace.ts";
