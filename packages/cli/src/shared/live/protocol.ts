/** What a running session and a viewer say to each other, one JSON object per line, over a socket of the user. */

import { join } from "node:path";
import type { LiveItem } from "./feed.ts";

/** What is known about a session. */
export interface LiveInfo {
  readonly id: string;
  readonly cwd: string;
  readonly model: string;
  readonly mode: string;
  readonly pid: number;
}

/** A question that waits for an answer. */
export interface LiveQuestion {
  readonly callId: string;
  readonly toolName: string;
  readonly description: string;
  readonly reason: string;
  /** The whole input, as text. */
  readonly input: string;
}

export type ToViewer =
  | { readonly type: "info"; readonly info: LiveInfo }
  | { readonly type: "items"; readonly items: readonly LiveItem[] }
  | { readonly type: "forget" }
  | { readonly type: "question"; readonly question: LiveQuestion }
  | { readonly type: "answered"; readonly callId: string }
  | { readonly type: "timeline"; readonly html: string };

export type ToSession =
  | { readonly type: "answer"; readonly callId: string; readonly isYes: boolean; readonly comment: string }
  | { readonly type: "timeline" };

/** Only the user can open the sockets in this folder. */
export function liveFolder(home: string): string {
  return join(home, "live");
}

const MOST_CHARS = 4_000_000;

/** Calls back with each whole line that is an object. A line without an end in sight is dropped. */
export function lines(onLine: (line: object) => void): (text: string) => void {
  let rest = "";
  return (text) => {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    if (rest.length > MOST_CHARS) rest = "";
    for (const part of parts) {
      try {
        const line: unknown = JSON.parse(part);
        if (typeof line === "object" && line !== null) onLine(line);
      } catch {
        // Not a message.
      }
    }
  };
}
