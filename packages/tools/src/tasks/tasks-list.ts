/** The task list of one agent: what it means to do, and how far it is. */

import { z } from "zod";
import { Refusal } from "../shared/refusal.ts";

export const TASK_STATUSES = ["pending", "in_progress", "completed"] as const;

const taskSchema = z.object({
  id: z.string(),
  subject: z.string(),
  description: z.string(),
  status: z.enum(TASK_STATUSES),
});

const stateSchema = z.object({ lastId: z.int().min(0), tasks: z.array(taskSchema) });

/** A task of an agent, as people see it. */
export type AgentTask = Readonly<z.infer<typeof taskSchema>>;

/** The whole task list, as a store keeps it. */
export interface TaskState {
  /** The highest id that was ever given. Ids are not used again. */
  readonly lastId: number;
  /** The tasks, oldest first. */
  readonly tasks: readonly AgentTask[];
}

/** Keeps a task list beyond the life of the process. */
export interface TaskStore {
  /** Returns what was saved last; undefined if nothing was. */
  load(): unknown;
  /** Saves the list. */
  save(state: TaskState): void | Promise<void>;
}

export interface TaskChange {
  readonly status?: AgentTask["status"] | "deleted" | undefined;
  readonly subject?: string | undefined;
  readonly description?: string | undefined;
}

export const MOST_TASKS = 200;
const NEAREST = 3;

/** The task list of one agent. Without a store it lives as long as the process. */
export class Tasks {
  readonly #store: TaskStore | undefined;
  #state: TaskState | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(store?: TaskStore) {
    this.#store = store;
  }

  /** Resolves with all tasks, oldest first. */
  async list(): Promise<readonly AgentTask[]> {
    return (await this.#inTurn(() => this.#loaded())).tasks;
  }

  /** Adds a task. Resolves with it and the whole list. Fails above 200 tasks. */
  create(subject: string, description: string): Promise<{ task: AgentTask; tasks: readonly AgentTask[] }> {
    return this.#inTurn(async () => {
      const { lastId, tasks } = await this.#loaded();
      if (tasks.length >= MOST_TASKS)
        throw new Refusal(
          `There are ${MOST_TASKS} tasks already: delete some of them with TaskUpdate first.`,
        );
      const task: AgentTask = { id: String(lastId + 1), subject, description, status: "pending" };
      await this.#keep({ lastId: lastId + 1, tasks: [...tasks, task] });
      return { task, tasks: [...tasks, task] };
    });
  }

  /** Gives the task as it was and the list as it is now. */
  update(id: string, change: TaskChange): Promise<{ before: AgentTask; tasks: readonly AgentTask[] }> {
    return this.#inTurn(async () => {
      const { lastId, tasks } = await this.#loaded();
      const before = tasks.find((task) => task.id === id);
      if (before === undefined) throw unknownTask(id, tasks);
      const changed = tasks.flatMap((task) => (task === before ? applied(task, change) : [task]));
      await this.#keep({ lastId, tasks: changed });
      return { before, tasks: changed };
    });
  }

  /** One change after the other, so that none is lost to another that began before it was saved. */
  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  async #loaded(): Promise<TaskState> {
    this.#state ??= await this.#load();
    return this.#state;
  }

  async #load(): Promise<TaskState> {
    try {
      const saved: unknown = await this.#store?.load();
      return saved === undefined ? { lastId: 0, tasks: [] } : stateSchema.parse(saved);
    } catch (error) {
      throw new Refusal(`The saved task list cannot be read: ${wordsOf(error)}`);
    }
  }

  /** What could not be saved has not happened. */
  async #keep(state: TaskState): Promise<void> {
    try {
      await this.#store?.save(state);
    } catch (error) {
      throw new Refusal(`The task list was not changed, since it cannot be saved: ${wordsOf(error)}`);
    }
    this.#state = state;
  }
}

function applied(task: AgentTask, { status, subject, description }: TaskChange): AgentTask[] {
  if (status === "deleted") return [];
  return [
    {
      id: task.id,
      subject: subject ?? task.subject,
      description: description ?? task.description,
      status: status ?? task.status,
    },
  ];
}

function unknownTask(id: string, tasks: readonly AgentTask[]): Refusal {
  if (tasks.length === 0) return new Refusal(`There is no task ${quoted(id)}: there are no tasks.`);
  return new Refusal(
    `There is no task ${quoted(id)}. Did you mean ${nearestTasks(id, tasks).join(", or ")}?`,
  );
}

/** By number where it is one; else those whose subject it names, or the first. */
function nearestTasks(id: string, tasks: readonly AgentTask[]): string[] {
  const number = Number(/\d+/.exec(id)?.[0] ?? Number.NaN);
  const wanted = id.toLowerCase();
  const distance = (task: AgentTask): number => {
    if (task.subject.toLowerCase().includes(wanted)) return -1;
    return Number.isNaN(number) ? 0 : Math.abs(Number(task.id) - number);
  };
  const near = tasks.toSorted((one, other) => distance(one) - distance(other)).slice(0, NEAREST);
  return near.map((task) => `${task.id} (${task.subject})`);
}

function quoted(id: string): string {
  return `"${id.slice(0, 100).toWellFormed()}"`;
}

function wordsOf(error: unknown): string {
  if (error instanceof z.ZodError) return z.prettifyError(error);
  return error instanceof Error ? error.message : String(error);
}
