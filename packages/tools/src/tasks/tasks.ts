/** The tools TaskCreate, TaskUpdate and TaskList: an agent's plan, visible to the user. */

import { type AnyTool, defineTool } from "@runahead/engine";
import { z } from "zod";
import { type AgentTask, MOST_TASKS, TASK_STATUSES, createTasks, Tasks } from "./tasks-list.ts";

const PLACE = "tasks:/";
const SUBJECT_CHARS = 500;
const DESCRIPTION_CHARS = 10_000;

const subject = z.string().trim().min(1).max(SUBJECT_CHARS);
const description = z.string().max(DESCRIPTION_CHARS);

/** Output of the task tools, for a UI to draw. */
export interface TasksOutput {
  /** The whole list. */
  readonly tasks: readonly AgentTask[];
  /** The task that was added. */
  readonly task?: AgentTask;
  /** The task that was changed or deleted, as it was before. */
  readonly before?: AgentTask;
  /** What changed, for the model. */
  readonly said: string;
}

/**
 * Makes TaskCreate, TaskUpdate and TaskList for one agent. A sub-agent needs a list of its own.
 *
 * @throws {TypeError} if the argument is not a `Tasks`.
 * @example
 * ```ts
 * const tools = [...fileTools(), ...taskTools(createTasks())];
 * ```
 */
export function taskTools(tasks: Tasks = createTasks()): AnyTool[] {
  if (!(tasks instanceof Tasks)) throw new TypeError("taskTools: the argument must be a Tasks.");
  return [taskCreateTool(tasks), taskUpdateTool(tasks), taskListTool(tasks)] as AnyTool[];
}

function taskCreateTool(tasks: Tasks) {
  return defineTool({
    name: "TaskCreate",
    description: `Adds a task to your task list, which the user sees. Use it for work of three or more steps, one task per step; not for a single simple step. A new task is pending. Keep one task in_progress at a time, and mark it completed only when you have verified it. At most ${MOST_TASKS} tasks.`,
    inputSchema: z.object({
      subject: subject.describe("What to do, in one line"),
      description: description.describe("What it involves, and how you will know that it is done"),
    }),
    access: () => [{ mode: "write", place: PLACE }],
    describe: (input) => `Add task "${input.subject}"`,
    call: async (input): Promise<TasksOutput> => {
      const { task, tasks: all } = await tasks.create(input.subject, input.description);
      return { tasks: all, task, said: `Added task ${task.id}: ${task.subject}` };
    },
    toResult: ({ said }) => said,
  });
}

const updateSchema = z
  .object({
    id: z.string().describe("Id of the task, from TaskCreate or TaskList"),
    status: z
      .enum([...TASK_STATUSES, "deleted"])
      .optional()
      .describe(
        "in_progress when you start it, completed when it is done and verified, deleted when it is no longer needed",
      ),
    subject: subject.optional().describe("New subject (default: unchanged)"),
    description: description.optional().describe("New description (default: unchanged)"),
  })
  .refine(
    (input) => input.status !== undefined || input.subject !== undefined || input.description !== undefined,
    {
      message: "pass at least one of status, subject and description",
    },
  );

function taskUpdateTool(tasks: Tasks) {
  return defineTool({
    name: "TaskUpdate",
    description:
      "Changes the status, subject or description of a task in your task list. Set in_progress before you start a task and completed as soon as it is verified.",
    inputSchema: updateSchema,
    access: () => [{ mode: "write", place: PLACE }],
    describe: ({ id, status }) => `Task ${id}${status === undefined ? "" : `: ${status}`}`,
    call: async ({ id, ...change }): Promise<TasksOutput> => {
      const { before, tasks: all } = await tasks.update(id, change);
      const after = all.find((task) => task.id === id);
      return {
        tasks: all,
        before,
        said: after === undefined ? `Deleted task ${id}: ${before.subject}` : line(after),
      };
    },
    toResult: ({ said }) => said,
  });
}

function taskListTool(tasks: Tasks) {
  return defineTool({
    name: "TaskList",
    description: "Returns your task list: id, status, subject and description of each task.",
    inputSchema: z.object({}),
    isReadOnly: () => true,
    access: () => [{ mode: "read", place: PLACE }],
    describe: () => "List tasks",
    call: async (): Promise<TasksOutput> => {
      const all = await tasks.list();
      return { tasks: all, said: all.length === 0 ? "There are no tasks." : all.map(whole).join("\n") };
    },
    toResult: ({ said }) => said,
  });
}

function line({ id, status, subject: text }: AgentTask): string {
  return `${id}. [${status}] ${text}`;
}

function whole(task: AgentTask): string {
  return task.description === ""
    ? line(task)
    : `${line(task)}\n   ${task.description.replaceAll("\n", "\n   ")}`;
}
