/** The task list of one agent. */

import { z } from "zod";
import { Refusal } from "../shared/refusal.ts";

export const TASK_STATUSES = ["pending", "in_progress", "completed"] as const;

const taskSchema = z.object({
  /** Unique within the list, never reused. */
  id: z.string(),
  /** What to do, in one line. */
  subject: z.string(),
  /** What it involves. */
  description: z.string(),
  /** How far it is. */
  status: z.enum(TASK_STATUSES),
});

const stateSchema = z.object({ lastId: z.int().min(0), tasks: z.array(taskSchema) });

/** A task of an agent. */
export type AgentTask = Readonly<z.infer<typeof taskSchema>>;

/** The saved form of a task list. */
export interface TaskState {
  /** The highest id so far. Ids are not reused. */
  readonly lastId: number;
  /** The tasks, oldest first. */
  readonly tasks: readonly AgentTask[];
}

/** Persists a task list. */
export interface TaskStore {
  /** Returns the state that was saved last; undefined if there is none. */
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
const SHOWN_TASKS = 5;

/**
 * The task list of one agent. Without a store it lives as long as the process.
 */
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
          `Not added: the list has ${MOST_TASKS} tasks, which is the limit. Delete some with TaskUpdate first.`,
        );
      const task: AgentTask = { id: String(lastId + 1), subject, description, status: "pending" };
      await this.#keep({ lastId: lastId + 1, tasks: [...tasks, task] });
      return { task, tasks: [...tasks, task] };
    });
  }

  /** Changes a task. Resolves with the task before the change and the new list. */
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

  /** Runs changes one after the other, so that none overwrites another. */
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
      throw new Refusal(`Cannot read the saved task list: ${wordsOf(error)}`);
    }
  }

  /** A change that cannot be saved is not applied. */
  async #keep(state: TaskState): Promise<void> {
    try {
      await this.#store?.save(state);
    } catch (error) {
      throw new Refusal(`The task list was not changed, because it cannot be saved: ${wordsOf(error)}`);
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
  if (tasks.length === 0) return new Refusal(`There is no task ${quoted(id)}: the task list is empty.`);
  const named = tasks.filter(({ subject }) => subject.toLowerCase().includes(id.toLowerCase()));
  const hint =
    id.trim() !== "" && named.length > 0
      ? `Did you mean ${listed(named, " or ")}?`
      : `Tasks: ${listed(tasks, ", ")}.`;
  return new Refusal(`There is no task ${quoted(id)}. ${hint}`);
}

function listed(tasks: readonly AgentTask[], separator: string): string {
  const shown = tasks.slice(0, SHOWN_TASKS).map((task) => `${task.id} (${task.subject})`);
  const more = tasks.length - shown.length;
  return `${shown.join(separator)}${more > 0 ? ` and ${more} more` : ""}`;
}

function quoted(id: string): string {
  return `"${id.slice(0, 100).toWellFormed()}"`;
}

function wordsOf(error: unknown): string {
  if (error instanceof z.ZodError) return z.prettifyError(error);
  return error instanceof Error ? error.message : String(error);
}

/**
 * Creates the task list of one agent. Without a store it lives as long as the process.
 *
 * @example
 * ```ts
 * const tasks = createTasks();
 * const all = [...fileTools(), ...taskTools(tasks)];
 * console.log(await tasks.list());
 * ```
 */
export function createTasks(store?: TaskStore): Tasks {
  return new Tasks(store);
}
