/** Texts that the loop adds as user messages and that no user wrote. */

import { aString, anArray, anything, checkMembers, either, required } from "@runahead/base";
import type { Message } from "../model/message.ts";
import { isReminderText } from "../model/reminder.ts";

export const CUT_OFF =
  "Your last response was cut off by the output limit. Continue from where it stopped, in smaller steps.";
export const EMPTY = "Your last response was empty. Continue, or say that you are done.";
export const INTERRUPTED = "[The user interrupted the response.]";
export const INTERRUPTED_CALLS =
  "[The user interrupted while tools were running. Each call's result says how far it got.]";

const NOTES: ReadonlySet<string> = new Set([CUT_OFF, EMPTY, INTERRUPTED, INTERRUPTED_CALLS]);

export function isNote(text: string): boolean {
  return NOTES.has(text) || isReminderText(text);
}

/**
 * Returns true if the program added this message, and not the user. A UI that shows a history leaves it out.
 *
 * @example
 * ```ts
 * const shown = agent.messages.filter((message) => !isReminder(message));
 * ```
 */
export function isReminder(message: Message): boolean {
  checkMembers(message, { role: anything, content: required(either(aString, anArray)) }, "isReminder");
  const { role, content } = message;
  if (role !== "user" || typeof content === "string") return false;
  return (
    content.length > 0 &&
    content.every(({ type, text }) => type === "text" && typeof text === "string" && isNote(text))
  );
}
