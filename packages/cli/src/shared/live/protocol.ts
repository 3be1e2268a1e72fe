/** What a running session and a viewer say to each other, one JSON object per line, over a socket of the user. */

import { join } from "node:path";
import type { LiveItem } from "./item.ts";

/** What is known about a session. */
export interface LiveInfo {
  readonly id: string;
  /** Its folder, or the first prompt of a session on a server. */
  readonly title: string;
  readonly model: string;
  /** The permission mode, or the status of a session on a server. */
  readonly mode: string;
}

/** Something that can be allowed beyond one call. */
interface LiveChoice {
  readonly label: string;
  /** Its rules in words, so that it is clear what is allowed. */
  readonly rules: string;
  readonly scopes: readonly ("session" | "always")[];
}

/** A question that waits for an answer. */
export interface LiveQuestion {
  readonly callId: string;
  readonly toolName: string;
  readonly description: string;
  readonly reason: string;
  /** The whole input, as text. */
  readonly input: string;
  /** What matters in it: the change as a diff, or the command; empty for any other call. */
  readonly shown: string;
  /** The plan to approve; undefined for any other call. */
  readonly plan: string | undefined;
  readonly choices: readonly LiveChoice[];
  /** The questions of the model itself. Default: it is a permission question. */
  readonly asked?: readonly LiveAsked[];
  /** A refusal without a comment does not end the turn, because the answer comes when the turn has been put aside. */
  readonly isLater?: boolean;
}

/** One question of the model to the user. */
interface LiveAsked {
  readonly question: string;
  /** Names the question in a word or two; can be empty. */
  readonly header: string;
  readonly options: readonly { readonly label: string; readonly description: string }[];
  /** Several options can be chosen. */
  readonly isSeveral: boolean;
}

/** The numbers of the chosen options, or an answer in words; neither skips the question. */
interface LiveReply {
  readonly options: readonly number[];
  readonly text: string;
}

/** An answer from a viewer. A choice is given by its number, so that a viewer cannot make up rules. */
export type LiveAnswer =
  | { readonly type: "once" }
  | { readonly type: "session" | "always"; readonly choice: number }
  | { readonly type: "plan"; readonly mode: "acceptEdits" | "default"; readonly plan: string }
  | { readonly type: "answers"; readonly answers: readonly LiveReply[] }
  | { readonly type: "no"; readonly comment: string };

export type ToViewer =
  | { readonly type: "info"; readonly info: LiveInfo }
  /** `nowMs` is the time of the session, which the times of the items refer to. */
  | { readonly type: "items"; readonly items: readonly LiveItem[]; readonly nowMs: number }
  | { readonly type: "forget" }
  | { readonly type: "question"; readonly question: LiveQuestion }
  | { readonly type: "answered"; readonly callId: string }
  | { readonly type: "timeline"; readonly html: string };

export type ToSession =
  | { readonly type: "answer"; readonly callId: string; readonly answer: LiveAnswer }
  | { readonly type: "timeline" };

/** Undefined if the value is not an answer. */
export function answerIn(value: unknown): LiveAnswer | undefined {
  const { type, choice, mode, plan, comment, answers } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (type === "once") return { type };
  if ((type === "session" || type === "always") && typeof choice === "number") return { type, choice };
  if (type === "plan" && (mode === "acceptEdits" || mode === "default") && typeof plan === "string")
    return { type, mode, plan };
  if (type === "answers" && Array.isArray(answers)) return { type, answers: answers.map(replyIn) };
  if (type === "no") return { type, comment: typeof comment === "string" ? comment : "" };
  return undefined;
}

function replyIn(value: unknown): LiveReply {
  const { options, text } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return {
    options: (Array.isArray(options) ? options : []).filter((one): one is number => Number.isInteger(one)),
    text: typeof text === "string" ? text : "",
  };
}

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
