/** Reads the `output` of our own tools. Any other tool can return anything, so every shape is checked. */

import type { AgentTask, FileDiff } from "@runahead/harness";

/** A file that a call changed. */
export interface ChangedFile {
  readonly type: string;
  readonly path: string;
  readonly diff: FileDiff;
}

const DIFFS = new Set<unknown>(["hunks", "left-out"] satisfies FileDiff["type"][]);
const STATUSES = new Set<unknown>(["pending", "in_progress", "completed"] satisfies AgentTask["status"][]);

/** Undefined if the tool returned something else. */
export function changedFile(output: unknown): ChangedFile | undefined {
  if (typeof output !== "object" || output === null) return undefined;
  const { type, path, diff } = output as Partial<ChangedFile>;
  const isChanged = typeof type === "string" && typeof path === "string" && DIFFS.has(diff?.type);
  return isChanged && diff !== undefined ? { type, path, diff } : undefined;
}

/** The whole task list; undefined if the tool returned something else. */
export function tasksIn(output: unknown): readonly AgentTask[] | undefined {
  if (typeof output !== "object" || output === null || !("tasks" in output) || !("said" in output))
    return undefined;
  return Array.isArray(output.tasks) && output.tasks.every(isTask) ? output.tasks : undefined;
}

function isTask(value: unknown): value is AgentTask {
  if (typeof value !== "object" || value === null) return false;
  const { subject, status } = value as Partial<AgentTask>;
  return typeof subject === "string" && STATUSES.has(status);
}
