/** Facts that the model needs during a session, each added to the conversation when it becomes true. */

import type { ReminderMoment, Reminders } from "@runahead/agent";
import type { AgentTask, EndedJob } from "@runahead/tools";
import type { Instruction } from "../instructions/instructions.ts";
import { OPENING, instructionText } from "./opening.ts";

/** Where the facts come from. Each `take…` returns what is new since it was last called. */
export interface ReminderSources {
  /** The text before the first prompt; undefined if there is nothing to say. */
  readonly opening: string | undefined;
  /** The same for sub-agents. */
  readonly subAgentOpening: string | undefined;
  /** The permission mode of this moment. */
  readonly mode: () => string;
  /** The local date of this moment, as YYYY-MM-DD. */
  readonly today: () => string;
  readonly takeChangedFiles: () => Promise<readonly string[]>;
  readonly takeEndedJobs: () => Promise<readonly EndedJob[]>;
  /** Instructions of folders that were touched for the first time. */
  readonly takeNestedInstructions: () => Promise<readonly Instruction[]>;
  readonly tasks: () => Promise<readonly AgentTask[]>;
}

/** After so many requests without a change of an unfinished task list, the model is reminded of it. */
export const STALE_TASK_REQUESTS = 15;
const SHOWN_FILES = 20;
const SHOWN_TASKS = 20;

/** Collects the reminders of one agent. */
export class SessionReminders implements Reminders {
  readonly #sources: ReminderSources;
  #mode: string;
  #date: string;
  #tasks: readonly AgentTask[] = [];
  #requestsSinceTasks = 0;

  constructor(sources: ReminderSources) {
    this.#sources = sources;
    this.#mode = sources.mode();
    this.#date = sources.today();
  }

  async next({ messages }: ReminderMoment): Promise<readonly string[]> {
    const { opening, takeChangedFiles, takeEndedJobs, takeNestedInstructions } = this.#sources;
    const parts = [
      openingIfMissing(opening, messages),
      this.#modeText(),
      this.#dateText(),
      changedText(await takeChangedFiles()),
      ...(await takeEndedJobs()).map(jobText),
      ...(await takeNestedInstructions()).map(nestedText),
      await this.#tasksText(),
    ];
    return parts.filter((part) => part !== undefined);
  }

  /** A sub-agent gets its instructions at the start, and nothing of its caller's session. */
  forSubAgent(): Reminders {
    const { subAgentOpening } = this.#sources;
    return {
      next: ({ messages }) => {
        const text = openingIfMissing(subAgentOpening, messages);
        return text === undefined ? [] : [text];
      },
    };
  }

  #modeText(): string | undefined {
    const mode = this.#sources.mode();
    const before = this.#mode;
    this.#mode = mode;
    if (mode === before) return undefined;
    if (mode === "plan")
      return "Plan mode is on: change nothing. Read, search and ask questions, then answer with a plan for the user to approve. The user leaves plan mode when they agree.";
    const left = before === "plan" ? "Plan mode is off: you can make changes now. " : "";
    return `${left}The permission mode is now ${mode}.`;
  }

  #dateText(): string | undefined {
    const date = this.#sources.today();
    if (date === this.#date) return undefined;
    this.#date = date;
    return `The date is now ${date}.`;
  }

  async #tasksText(): Promise<string | undefined> {
    const tasks = await this.#sources.tasks();
    const isSame = tasks === this.#tasks;
    this.#tasks = tasks;
    this.#requestsSinceTasks = isSame ? this.#requestsSinceTasks + 1 : 0;
    const open = tasks.filter(({ status }) => status !== "completed");
    if (open.length === 0 || this.#requestsSinceTasks < STALE_TASK_REQUESTS) return undefined;
    this.#requestsSinceTasks = 0;
    const lines = open
      .slice(0, SHOWN_TASKS)
      .map(({ id, status, subject }) => `${id}. [${status}] ${subject}`);
    return `The task list has not changed for a while. Update it with TaskUpdate if it no longer matches your work:\n${lines.join("\n")}`;
  }
}

/** A summary of the conversation drops the opening, so it is then added again. */
function openingIfMissing(
  opening: string | undefined,
  messages: ReminderMoment["messages"],
): string | undefined {
  const isThere = messages.some(
    ({ role, content }) =>
      role === "user" &&
      typeof content !== "string" &&
      content.some(
        ({ text }) => typeof text === "string" && text.startsWith(`<system-reminder>\n${OPENING}`),
      ),
  );
  return isThere ? undefined : opening;
}

function changedText(files: readonly string[]): string | undefined {
  if (files.length === 0) return undefined;
  const more = files.length - SHOWN_FILES;
  const shown = [...files.slice(0, SHOWN_FILES), ...(more > 0 ? [`… and ${more} more`] : [])];
  return `These files changed on disk after you last read them (the user, a hook, a formatter or a command). Read a file again before you edit it:\n${shown.join("\n")}`;
}

function jobText({ id, command, how, lastLines }: EndedJob): string {
  const last = lastLines === "" ? "It printed nothing." : `Last lines:\n${lastLines}`;
  return `Background job ${id} ended (${how}): ${command}\n${last}`;
}

function nestedText(instruction: Instruction): string {
  return `You touched a folder that has instructions of its own. They are binding for files in that folder.\n${instructionText(instruction)}`;
}
