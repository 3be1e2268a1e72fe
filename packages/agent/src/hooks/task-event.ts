/** TaskCreated and TaskCompleted: the calls that change the task list, as events. */

import { type Shape, isShape, stringOf } from "@runahead/base";

export interface TaskEvent {
  readonly event: "TaskCreated" | "TaskCompleted";
  readonly facts: Shape;
}

/** What is known about a task: without an id, about the one that is added next. */
export type KnownTask = (id: string | undefined) => Readonly<Partial<Record<string, string>>> | undefined;

/** Returns undefined if the call neither adds nor completes a task. */
export function taskEvent(toolName: string, input: unknown, known?: KnownTask): TaskEvent | undefined {
  if (!isShape(input)) return undefined;
  const { id } = input;
  const task = known?.(typeof id === "string" ? id : undefined) ?? {};
  const member = (name: string): string => stringOf(input[name], task[name] ?? "");
  const facts = {
    task_id: member("id"),
    task_subject: member("subject"),
    task_description: member("description"),
  };
  if (toolName === "TaskCreate") return { event: "TaskCreated", facts };
  const isDone = toolName === "TaskUpdate" && input["status"] === "completed";
  return isDone ? { event: "TaskCompleted", facts } : undefined;
}
