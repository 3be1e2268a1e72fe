/** TaskCreated and TaskCompleted: the calls that change the task list, as events. */

import { type Shape, isShape, stringOf } from "@runahead/base";

export interface TaskEvent {
  readonly event: "TaskCreated" | "TaskCompleted";
  readonly facts: Shape;
}

/** Returns undefined if the call neither adds nor completes a task. */
export function taskEvent(toolName: string, input: unknown): TaskEvent | undefined {
  if (!isShape(input)) return undefined;
  const facts = {
    task_id: stringOf(input["id"], ""),
    task_subject: stringOf(input["subject"], ""),
    task_description: stringOf(input["description"], ""),
  };
  if (toolName === "TaskCreate") return { event: "TaskCreated", facts };
  const isDone = toolName === "TaskUpdate" && input["status"] === "completed";
  return isDone ? { event: "TaskCompleted", facts } : undefined;
}
