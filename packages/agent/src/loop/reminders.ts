/** Facts that the program, not the user, adds to the conversation before a request. */

import type { Block, Message } from "../model/message.ts";

/** The conversation at the moment before a request. */
export interface ReminderMoment {
  /** Everything that the next request would send. */
  readonly messages: readonly Message[];
  /** The directory that the next call would run in. */
  readonly cwd: string;
  /** Aborted when the run is stopped. */
  readonly signal: AbortSignal;
}

/** A source of reminders, such as changed files or ended background jobs. */
export interface Reminders {
  /**
   * Returns what the model should know now. Called before the first prompt is added and before every request; each
   * text is added to the conversation once, so return a fact only while it is new.
   */
  next(moment: ReminderMoment): readonly string[] | Promise<readonly string[]>;
  /** Returns the source for a sub-agent. Default: sub-agents get no reminders. */
  forSubAgent?(): Reminders;
}

const OPEN = "<system-reminder>";
const CLOSE = "</system-reminder>";

/** Marks a text as coming from the program. A closing mark inside the text cannot end it early. */
export function asReminder(text: string): Block {
  return {
    type: "text",
    text: `${OPEN}\n${text.replaceAll(CLOSE, "&lt;/system-reminder>").trim()}\n${CLOSE}`,
  };
}

/** Returns true if a text, perhaps cut, begins as one of the program's. */
export function startsReminder(text: string): boolean {
  return text.startsWith(OPEN);
}

/** Returns true if all of this text came from the program. */
export function isReminderText(text: unknown): boolean {
  return typeof text === "string" && text.startsWith(OPEN) && text.trimEnd().endsWith(CLOSE);
}

/**
 * Returns true if the program added this message, and not the user. A UI that shows a history leaves it out.
 *
 * @example
 * ```ts
 * const shown = agent.messages.filter((message) => !isReminder(message));
 * ```
 */
export function isReminder({ role, content }: Message): boolean {
  if (role !== "user" || typeof content === "string") return false;
  return content.length > 0 && content.every(({ type, text }) => type === "text" && isReminderText(text));
}
