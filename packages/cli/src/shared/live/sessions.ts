/** Where the web view gets its sessions from: the running programs of this user, or a server. */

import type { LiveAnswer, LiveInfo, LiveQuestion, ToViewer } from "./protocol.ts";

/** One session, as last heard of. */
export interface ViewedSession {
  readonly info: LiveInfo | undefined;
  /** The last message with all items. */
  readonly items: ToViewer & { readonly type: "items" };
  readonly questions: ReadonlyMap<string, LiveQuestion>;
  /** How many questions wait, also if they are not read yet. */
  readonly openQuestions: number;
  /** Calls back with each change. Returns the function that removes the listener. */
  listen(listener: (message: ToViewer) => void): () => void;
  /** Resolves with false if the question is no longer open. */
  answer(callId: string, answer: LiveAnswer): Promise<boolean>;
  /** The page with what ran when; undefined if there is none. */
  timeline(): Promise<string | undefined>;
}

export interface ViewedSessions {
  /** The sessions by name. */
  sessions(): Promise<ReadonlyMap<string, ViewedSession>>;
  close(): void;
}
