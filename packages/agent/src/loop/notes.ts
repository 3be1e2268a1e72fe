/** Texts that the loop adds as user messages and that no user wrote. */

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
