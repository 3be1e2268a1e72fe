/** Messages that the program, not the user, adds to a conversation. */

import type { Block } from "./message.ts";

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
