/** Facts that the model needs during a session. Each is added to the conversation when it becomes true. */

import type { ReminderMoment, Reminders } from "@runahead/agent";
import { asReminder } from "@runahead/agent/internal";
import type { AgentIdentity } from "@runahead/engine";
import type { AgentTask, EndedJob } from "@runahead/tools";
import type { Instruction } from "../instructions/instructions.ts";
import { NO_SKILLS, SKILLS } from "../skills/skill-list.ts";
import { OPENING, instructionText } from "./opening.ts";

/** Where the facts come from. Each `take…` returns what is new since it was last called. */
export interface ReminderSources {
  /** The text before the first prompt; undefined if there is nothing to say. */
  readonly opening: string | undefined;
  /** The same for sub-agents. */
  readonly subAgentOpening: string | undefined;
  /** Returns the files that the model read last, after a summary. */
  readonly takeRecentFiles: (moment: ReminderMoment) => Promise<string | undefined>;
  /** Returns what the model must know about the resumption of the session, once. */
  readonly takeResumed: () => string | undefined;
  /** The current permission mode. */
  readonly mode: () => string;
  /** The current local date, YYYY-MM-DD. */
  readonly today: () => string;
  readonly takeChangedFiles: () => Promise<readonly string[]>;
  readonly takeEndedJobs: () => Promise<readonly EndedJob[]>;
  /**
   * Makes a source of instructions of one agent: it returns those of folders and files that were first touched since
   * the last call. Default: the main agent.
   */
  readonly nestedInstructions: (agent?: AgentIdentity) => () => Promise<readonly Instruction[]>;
  readonly tasks: () => Promise<readonly AgentTask[]>;
  /** Returns what language servers reported about files that an agent wrote. Default: the main agent. */
  readonly takeDiagnostics: (agent: AgentIdentity | undefined) => string | undefined;
  /** Returns folders that became part of the workspace. Default: none. */
  readonly takeFolders?: () => readonly string[];
  /** Returns what hooks say about denied calls. Default: nothing. */
  readonly takeDenied?: () => Promise<readonly string[]>;
  /** Returns whether sub-agents of this type work without instruction files. Default: none does. */
  readonly omitsInstructions?: (type: string) => boolean;
  /** Returns whether sub-agents of this type can load skills. Default: they can. */
  readonly canLoadSkills?: (type: string) => boolean;
  /** The list of skills; undefined if there are none. */
  readonly skills: () => Promise<string | undefined>;
}

/** The model is reminded of unfinished tasks after this many requests without a change to the list. */
export const STALE_TASK_REQUESTS = 15;
const MARK = "<system-reminder>\n";
/** The start of the text, which older sessions have too. */
const PLAN_IS_ON = "Plan mode is on: change nothing.";
const PLAN_ON = `${PLAN_IS_ON} Read, search and ask questions; commands run if they only read or if a rule of the user names them. When the plan is complete, present it with ExitPlanMode (without that tool, answer with the plan). The user then approves it or says what to change. Do not start before that.`;
const PLAN_OFF = "Plan mode is off: you can make changes now. ";
const MODE_IS = "The permission mode is now ";
const DATE_IS = "The date is now ";
const SHOWN_FILES = 20;
const SHOWN_TASKS = 20;

function foldersText(folders: readonly string[]): string | undefined {
  return folders.length === 0
    ? undefined
    : `The user added folders to the workspace: ${folders.join(", ")}. You can work there too.`;
}

/** Collects the reminders of one agent. */
export class SessionReminders implements Reminders {
  readonly #sources: ReminderSources;
  /** The mode that the system prompt states. What plan mode means is only in the reminder, so it is always sent. */
  readonly #firstMode: string | undefined;
  readonly #firstDate: string;
  readonly #sent = new SentReminders();
  readonly #nested: NestedTexts;
  #tasks: readonly AgentTask[] = [];
  #requestsSinceTasks = 0;

  constructor(sources: ReminderSources) {
    this.#sources = sources;
    const mode = sources.mode();
    this.#firstMode = mode === "plan" ? undefined : mode;
    this.#firstDate = sources.today();
    this.#nested = new NestedTexts(sources.nestedInstructions());
  }

  async next(moment: ReminderMoment): Promise<readonly string[]> {
    const { messages } = moment;
    const { opening, takeResumed, takeChangedFiles, takeEndedJobs } = this.#sources;
    const sent = this.#sent.in(messages);
    const changed = changedText(await takeChangedFiles());
    const parts = [
      openingIfMissing(opening, sent),
      this.#modeText(sent),
      this.#dateText(sent),
      joined([takeResumed(), changed]),
      foldersText(this.#sources.takeFolders?.() ?? []),
      ...((await this.#sources.takeDenied?.()) ?? []),
      ...(await takeEndedJobs()).map(jobText),
      this.#sources.takeDiagnostics(undefined),
      ...(await this.#nested.missing(sent)),
      skillsIfNew(await this.#sources.skills(), sent),
      await this.#sources.takeRecentFiles(moment),
      await this.#tasksText(),
    ];
    return parts.filter((part) => part !== undefined);
  }

  /** A sub-agent gets the instructions, also those of folders that it works in, and diagnostics of what it wrote. */
  forSubAgent(agent: AgentIdentity): Reminders {
    const { nestedInstructions, skills, takeDiagnostics, omitsInstructions, canLoadSkills } = this.#sources;
    const isPlain = omitsInstructions?.(agent.type) === true;
    const nested = new NestedTexts(isPlain ? () => Promise.resolve([]) : nestedInstructions(agent));
    const hasSkills = canLoadSkills?.(agent.type) !== false;
    const subAgentOpening = isPlain ? undefined : this.#sources.subAgentOpening;
    const known = new SentReminders();
    return {
      next: async ({ messages }) => {
        const sent = known.in(messages);
        const texts = [
          openingIfMissing(subAgentOpening, sent),
          hasSkills ? skillsIfNew(await skills(), sent) : undefined,
          takeDiagnostics(agent),
        ];
        return [...texts.filter((text) => text !== undefined), ...(await nested.missing(sent))];
      },
    };
  }

  /** The conversation decides which mode the model knows: a resumed one can state another, and a summary drops it. */
  #modeText(sent: readonly string[]): string | undefined {
    const mode = this.#sources.mode();
    const known = lastOf(sent, statedMode) ?? this.#firstMode;
    if (mode === known) return undefined;
    if (mode === "plan") return PLAN_ON;
    return `${known === "plan" ? PLAN_OFF : ""}${MODE_IS}${mode}.`;
  }

  #dateText(sent: readonly string[]): string | undefined {
    const date = this.#sources.today();
    return date === (lastOf(sent, statedDate) ?? this.#firstDate) ? undefined : `${DATE_IS}${date}.`;
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
    const more = open.length - lines.length;
    const shown = [...lines, ...(more > 0 ? [`… and ${more} more`] : [])].join("\n");
    return `The task list has not changed for a while. Update it with TaskUpdate if it no longer matches your work:\n${shown}`;
  }
}

/** The instructions of nested folders. A summary of the conversation drops them, so they are then added again. */
class NestedTexts {
  readonly #take: () => Promise<readonly Instruction[]>;
  #texts: readonly string[] = [];

  constructor(take: () => Promise<readonly Instruction[]>) {
    this.#take = take;
  }

  async missing(sent: readonly string[]): Promise<readonly string[]> {
    const found = (await this.#take()).map(nestedText);
    this.#texts = [...this.#texts, ...found.filter((text) => !this.#texts.includes(text))];
    if (this.#texts.length === 0) return [];
    const known = new Set(sent.map(heading));
    return this.#texts.filter((text) => !known.has(heading(text)));
  }
}

/** Finds the reminders in a conversation. Looks only at messages that are new since the last time. */
class SentReminders {
  #seen: ReminderMoment["messages"] = [];
  #texts: string[] = [];

  in(messages: ReminderMoment["messages"]): readonly string[] {
    const { length } = this.#seen;
    const isLonger = messages[0] === this.#seen[0] && messages[length - 1] === this.#seen[length - 1];
    if (!isLonger) this.#texts = [];
    this.#texts.push(...sentReminders(isLonger ? messages.slice(length) : messages));
    this.#seen = messages;
    return this.#texts;
  }
}

/** The first two lines, which name the file. The rest can be escaped when it is sent. */
function heading(text: string): string {
  return text.split("\n", 2).join("\n");
}

function joined(parts: readonly (string | undefined)[]): string | undefined {
  const given = parts.filter((part) => part !== undefined);
  return given.length === 0 ? undefined : given.join("\n\n");
}

/** The texts of all reminders in the conversation, oldest first. */
function sentReminders(messages: ReminderMoment["messages"]): string[] {
  return messages
    .flatMap(({ role, content }) => (role === "user" && typeof content !== "string" ? content : []))
    .flatMap(({ text }) =>
      typeof text === "string" && text.startsWith(MARK) ? text.slice(MARK.length) : [],
    );
}

function lastOf(sent: readonly string[], stated: (text: string) => string | undefined): string | undefined {
  return sent.map(stated).findLast((value) => value !== undefined);
}

function statedMode(text: string): string | undefined {
  if (text.startsWith(PLAN_IS_ON)) return "plan";
  const rest = text.startsWith(PLAN_OFF) ? text.slice(PLAN_OFF.length) : text;
  return rest.startsWith(MODE_IS) ? /^\w+/.exec(rest.slice(MODE_IS.length))?.[0] : undefined;
}

function statedDate(text: string): string | undefined {
  return text.startsWith(DATE_IS)
    ? text.slice(DATE_IS.length, DATE_IS.length + "YYYY-MM-DD".length)
    : undefined;
}

/** A summary of the conversation drops the opening, so it is then added again. */
function openingIfMissing(opening: string | undefined, sent: readonly string[]): string | undefined {
  return sent.some((text) => text.startsWith(OPENING)) ? undefined : opening;
}

/** The list is sent once, and again when it changed or a summary dropped it. */
function skillsIfNew(list: string | undefined, sent: readonly string[]): string | undefined {
  const last = sent.findLast((text) => text.startsWith(SKILLS));
  if (last === undefined) return list;
  const now = list ?? NO_SKILLS;
  return asReminder(now).text === `${MARK}${last}` ? undefined : now;
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
  return `A folder or file that you work on has its own instructions. They are binding for it.\n${instructionText(instruction)}`;
}
