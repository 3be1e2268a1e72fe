/** What the interactive program needs of its front end: the screen, or lines for a terminal that cannot draw one. */

import type { Listeners } from "@runahead/harness";
import type { Choosing } from "./panels/chooser.ts";
import type { Conversation } from "./transcript/conversation.ts";

export interface Front {
  readonly listeners: Listeners;
  /** Resolves with the exit code when the user or a signal ends the program. */
  readonly left: Promise<number>;
  /** Resolves when the program must exit immediately, without waiting for anything. */
  readonly pressed: Promise<void>;
  readonly isLeaving: boolean;
  /** Shows a list before the conversation starts. Resolves with undefined if nothing was chosen. */
  choose(choosing: Choosing): Promise<string | undefined>;
  begin(conversation: Conversation): void;
  submit(typed: string): void;
  leave(code: number): void;
  /** Ends the program on a signal, the second time immediately. */
  press(code: number): void;
  /** Stops everything that it has started. */
  close(): Promise<void>;
  end(): void;
  /** Restores the terminal. Also runs after a crash. */
  restore(): void;
}
