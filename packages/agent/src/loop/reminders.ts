/** Facts that the program, not the user, adds to the conversation before a request. */

import type { AgentIdentity } from "@runahead/engine";
import type { Message } from "../model/message.ts";

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
  forSubAgent?(agent: AgentIdentity): Reminders;
}
