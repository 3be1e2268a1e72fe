/** The messages that a sub-agent has not read. They are kept in its journal, so that a crash does not lose them. */

import type { Prompt } from "../loop/event.ts";
import type { Session } from "../session/session.ts";

const STATE = "inbox";

export class Inbox {
  readonly #session: Session | undefined;
  #messages: readonly string[];
  #saved: readonly string[];
  #isSaving = false;

  /** Begins with what was left unread when the sub-agent ended, in this process or an earlier one. */
  constructor(session: Session | undefined, unread: readonly string[]) {
    this.#session = session;
    this.#saved = session === undefined ? [] : unreadIn(session);
    this.#messages = session === undefined ? unread : this.#saved;
  }

  get unread(): readonly string[] {
    return this.#messages;
  }

  add(text: string): void {
    this.#messages = [...this.#messages, text];
    this.#saveSoon();
  }

  take(): readonly Prompt[] {
    const taken = this.#messages;
    this.#messages = [];
    if (taken.length > 0) this.#saveSoon();
    return taken;
  }

  /** Records what is unread now, if that is not recorded. */
  save(): void {
    if (this.#session === undefined || (this.#messages.length === 0 && this.#saved.length === 0)) return;
    if (this.#messages === this.#saved) return;
    this.#saved = this.#messages;
    try {
      this.#session.append({ type: "state", name: STATE, data: this.#messages });
    } catch {
      // The journal is closed: the sub-agent has ended.
    }
  }

  /** Most messages are read at once, and then nothing has to be recorded. */
  #saveSoon(): void {
    if (this.#isSaving) return;
    this.#isSaving = true;
    setImmediate(() => {
      this.#isSaving = false;
      this.save();
    });
  }
}

/** Returns the messages in a journal that its sub-agent has not read. */
export function unreadIn({ state }: Session): readonly string[] {
  const saved = state?.[STATE];
  return Array.isArray(saved) ? saved.filter((text) => typeof text === "string") : [];
}
