/** The task list of an imported session, from the calls that changed it. */

import { type Shape, isShape } from "@runahead/base";
import type { HistoryMessage } from "@runahead/engine/history";
import { textIn } from "./foreign.ts";

interface Task {
  readonly id: string;
  readonly subject: string;
  readonly description: string;
  readonly status: "pending" | "in_progress" | "completed";
}

/** In the form that a session saves. */
export interface TaskList {
  readonly lastId: number;
  readonly tasks: readonly Task[];
}

/** Undefined if the session had no tasks. `TodoWrite` and `update_plan` replace the list, the others change it. */
export function tasksIn(messages: readonly HistoryMessage[]): TaskList | undefined {
  let list: TaskList | undefined;
  for (const { name, input } of messages.flatMap(callsIn)) list = changed(list, name, input);
  return list === undefined || list.tasks.length === 0 ? undefined : list;
}

interface Call {
  readonly name: string;
  readonly input: Shape;
}

function callsIn({ role, content }: HistoryMessage): Call[] {
  if (role !== "assistant" || typeof content === "string") return [];
  return content.flatMap((block): Call[] => {
    const { type, name, input } = block as Shape;
    return type === "tool_use" && isShape(input) ? [{ name: textIn(name), input }] : [];
  });
}

function changed(list: TaskList | undefined, name: string, input: Shape): TaskList | undefined {
  switch (name) {
    case "TodoWrite":
      return whole(input["todos"], "content", "activeForm");
    case "update_plan":
      return whole(input["plan"], "step", "");
    case "TaskCreate":
      return added(list, input);
    case "TaskUpdate":
      return list === undefined ? list : updated(list, input);
    default:
      return list;
  }
}

function whole(value: unknown, subject: string, description: string): TaskList {
  const entries = Array.isArray(value) ? value.filter(isShape) : [];
  const tasks = entries
    .filter((entry) => textIn(entry[subject]) !== "")
    .map((entry, at) => ({
      id: String(at + 1),
      subject: textIn(entry[subject]),
      description: textIn(entry[description]),
      status: statusOf(entry["status"]) ?? "pending",
    }));
  return { lastId: tasks.length, tasks };
}

function added(list: TaskList | undefined, input: Shape): TaskList {
  const { lastId, tasks } = list ?? { lastId: 0, tasks: [] };
  const id = String(lastId + 1);
  const task: Task = {
    id,
    subject: textIn(input["subject"]),
    description: textIn(input["description"]),
    status: "pending",
  };
  return { lastId: lastId + 1, tasks: [...tasks, task] };
}

function updated({ lastId, tasks }: TaskList, input: Shape): TaskList {
  const id = textIn(input["taskId"]) || textIn(input["id"]);
  if (input["status"] === "deleted") return { lastId, tasks: tasks.filter((task) => task.id !== id) };
  const status = statusOf(input["status"]);
  return {
    lastId,
    tasks: tasks.map((task) =>
      task.id === id
        ? { ...task, subject: textIn(input["subject"]) || task.subject, status: status ?? task.status }
        : task,
    ),
  };
}

function statusOf(value: unknown): Task["status"] | undefined {
  return value === "pending" || value === "in_progress" || value === "completed" ? value : undefined;
}
