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
  readonly turn: number;
  /** As the executor of the turn is made: recovery replays its events with the same. */
  readonly limit?: number;
  readonly start?: Start;
}

/** A prompt of a person, and how things were before it: a place that one can go back to. */
export interface SavedPrompt {
  /** One more than that of the prompt before it. */
  readonly number: number;
  /** How many there were before it. */
  readonly messages: number;
  readonly context: object;
  /** The snapshot of the workspace that was taken before it. */
  readonly snapshot?: string;
  /** The person's own words in it, if other text went with them. */
  readonly said?: string;
}

/** What the loop appends. A turn is open from `turn-begun` to `turn-ended`; one at a time. */
export type SessionEntry =
  | { readonly type: "message"; readonly message: HistoryMessage }
  /** Replaces the history before it; those of its prompts that are left are in it too. */
  | {
      readonly type: "compacted";
      readonly messages: readonly HistoryMessage[];
      readonly prompts?: readonly SavedPrompt[];
    }
  /** A message is a person's: the last is 1 `back`. So a line that is lost before it does not move it. */
  | ({ readonly type: "prompt"; readonly back: number } & Omit<SavedPrompt, "messages">)
  /** The history ends before this prompt again. What came since stays in the file and does not count. */
  | { readonly type: "rewound"; readonly number: number; readonly context: object }
  | ({ readonly type: "turn-begun" } & TurnBegun)
  /** A call is whole on the wire; appended before the engine gets it. */
  | { readonly type: "call"; readonly block: CallBlock }
  /** Another whole block of the response, or the place of a call among them. */
  | { readonly type: "block"; readonly block: HistoryBlock }
  | { readonly type: "block"; readonly callId: string }
  | { readonly type: "event"; readonly event: JournalEvent }
  /** Auto mode decided on a call, before the event that says so of the call. */
  | {
      readonly type: "permission-judged";
      readonly callId: string;
      readonly toolName: string;
      readonly decision: "allow" | "ask";
      readonly reason: string;
      readonly model: string;
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
