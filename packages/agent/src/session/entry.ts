/** The lines of a session's journal: one JSON object each, its `type` first, so that a reader can tell it by that. */

import type { Fate, JournalEvent, Start } from "@runahead/engine";
import type { HistoryBlock, HistoryMessage } from "@runahead/engine/history";
import { isShape } from "@runahead/base";
import type { Usage } from "../model/token-usage.ts";

/** The major version of the form. A journal of a newer one is not resumed. */
export const VERSION = 1;

export interface CallBlock {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface TurnBegun {
  /** The number of the turn in the session. */
  readonly turn: number;
  /** The limit of the executor: recovery replays its events with the same. */
  readonly limit?: number;
  /** The start policy of the executor. */
  readonly start?: Start;
}

/** A prompt of a person and the state before it: a place to go back to. */
export interface SavedPrompt {
  /** One more than that of the prompt before it. */
  readonly number: number;
  /** How many messages there were before it. */
  readonly messages: number;
  /** What calls share, as it was before it. */
  readonly context: object;
  /** The snapshot of the workspace that was taken before it. */
  readonly snapshot?: string;
  /** The person's own words in it, if other text went with them. */
  readonly said?: string;
}

/** One line of a session's journal. A turn is open from `turn-begun` to `turn-ended`; one at a time. */
export type SessionEntry =
  | {
      readonly type: "message";
      /** A message that was added to the history. */
      readonly message: HistoryMessage;
    }
  /** Replaces the history before it; those of its prompts that are left are in it too. */
  | {
      readonly type: "compacted";
      /** The whole history from here on. */
      readonly messages: readonly HistoryMessage[];
      /** The prompts in it. */
      readonly prompts?: readonly SavedPrompt[];
    }
  | ({
      readonly type: "prompt";
      /** Which message is the person's: 1 is the last one. So a line that is lost before it does not move it. */
      readonly back: number;
    } & Omit<SavedPrompt, "messages">)
  /** The history ends before this prompt again. What came since stays in the file and does not count. */
  | {
      readonly type: "rewound";
      readonly number: number;
      /** What calls share, as it was there. */
      readonly context: object;
    }
  | ({ readonly type: "turn-begun" } & TurnBegun)
  /** A call is complete on the wire; appended before the engine gets it. */
  | {
      readonly type: "call";
      /** The content block. */
      readonly block: CallBlock;
    }
  /** Another complete block of the response, or the place of a call among them. */
  | { readonly type: "block"; readonly block: HistoryBlock }
  | {
      readonly type: "block";
      /** The id of the call. */
      readonly callId: string;
    }
  | {
      readonly type: "event";
      /** An event of the engine. */
      readonly event: JournalEvent;
    }
  /** Auto mode decided on a call, before the event that says so of the call. */
  | {
      readonly type: "permission-judged";
      readonly callId: string;
      /** The name of its tool. */
      readonly toolName: string;
      /** What was decided. */
      readonly decision: "allow" | "ask";
      /** Why. */
      readonly reason: string;
      /** The model that decided. */
      readonly model: string;
      /** The tokens of the decision or of the turn. */
      readonly usage: Usage;
    }
  /** Follows the messages of the turn: its own entries are not needed any more. */
  | {
      readonly type: "turn-ended";
      readonly turn: number;
      readonly usage: Usage;
      readonly context: object;
    };

export interface Header {
  readonly type: "session";
  readonly version: number;
  readonly id: string;
  readonly cwd: string;
  readonly createdAt: string;
  readonly forkedFrom?: string;
}

/** Closes a turn that was left open, behind the messages that recovery made of it. */
export interface Recovered {
  readonly type: "recovered";
  readonly fates: readonly Pick<Fate, "callId" | "toolName" | "fate">[];
}

export function toLine({ type, ...rest }: { readonly type: string }): string {
  return JSON.stringify({ type, ...rest });
}

/** A line as it is read: its type is known, its members are not. */
export type Line = { readonly type: string } & Readonly<Record<string, unknown>>;

/** Undefined where it is no entry: torn, corrupt, not JSON. */
export function parseLine(bytes: Uint8Array): Line | undefined {
  try {
    // A replaced character would pass for what was written.
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return isShape(value) && typeof value["type"] === "string" ? (value as Line) : undefined;
  } catch {
    return undefined;
  }
}

/** The first header in the beginning of a file: the first line, unless that was lost and written again. */
export function findHeader(head: Buffer): Line | undefined {
  for (let start = 0; start < head.length; ) {
    const end = head.indexOf("\n", start);
    const line = parseLine(head.subarray(start, end < 0 ? head.length : end));
    if (line?.type === "session") return line;
    start = end < 0 ? head.length : end + 1;
  }
  return undefined;
}

export function isMessage(value: unknown): value is HistoryMessage {
  if (!isShape(value)) return false;
  const { role, content } = value;
  return (role === "user" || role === "assistant") && (typeof content === "string" || Array.isArray(content));
}
