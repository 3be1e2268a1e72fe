/** The lines of a session's journal: one JSON object each, with `type` first so that a reader can dispatch without parsing. */

import type { Answer, Fate, JournalEvent, Start, ToolResult } from "@runahead/engine";
import type { HistoryBlock, HistoryMessage } from "@runahead/engine/history";
import { isShape } from "@runahead/base";
import type { Usage } from "../model/token-usage.ts";
import { isIntact, withChecksum } from "./checksum.ts";
import type { ParkedTurn } from "./parked.ts";
import type { StateChange } from "./state.ts";

/** The major version of the format. A journal with a newer major version is not resumed. */
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
  /** The concurrency limit of the executor; recovery replays the events with the same limit. */
  readonly limit?: number;
  /** The start policy of the executor. */
  readonly start?: Start;
  /** What the idempotency keys of its calls begin with. */
  readonly scope?: string;
  /** Whether it continues the turn that is parked. */
  readonly continues?: boolean;
}

/** A prompt of the user and the state before it: a point to rewind to. */
export interface SavedPrompt {
  /** The number of the prompt: one more than the prompt before it. */
  readonly number: number;
  /** The number of messages before it. */
  readonly messages: number;
  /** The context that calls share, as it was before this prompt. */
  readonly context: object;
  /** The snapshot of the workspace taken before it. */
  readonly snapshot?: string;
  /** The user's own text, if the prompt contains other text too. */
  readonly said?: string;
}

/** One line of a session's journal. A turn is open from `turn-begun` to `turn-ended`; one at a time. */
export type SessionEntry =
  | {
      readonly type: "message";
      /** A message that was added to the history. */
      readonly message: HistoryMessage;
      /** The id of the mail that it came in, if it came through the inbox of a session store. */
      readonly mail?: string;
    }
  /** Replaces the history before it. It repeats the prompts that are still part of the history. */
  | {
      readonly type: "compacted";
      /** The whole history from here on. */
      readonly messages: readonly HistoryMessage[];
      /** The prompts in it. */
      readonly prompts?: readonly SavedPrompt[];
    }
  | ({
      readonly type: "prompt";
      /** Which message is the prompt, counted from the end (1 is the last), so that a lost line before it does not matter. */
      readonly back: number;
    } & Omit<SavedPrompt, "messages">)
  /** Rewinds the history to before this prompt. Later entries stay in the file and are ignored. */
  | {
      readonly type: "rewound";
      readonly number: number;
      /** The context that calls share, as it was at that point. */
      readonly context: object;
    }
  | ({ readonly type: "turn-begun" } & TurnBegun)
  /** A call has arrived completely. Appended before the engine receives it. */
  | {
      readonly type: "call";
      /** The content block. */
      readonly block: CallBlock;
    }
  /** Another complete block of the response, or the position of a call among the blocks. */
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
  /** An event about a call that a running call made, such as a call of a script. */
  | {
      readonly type: "nested";
      /** The id of the running call. */
      readonly callId: string;
      readonly event: JournalEvent;
    }
  /** Auto mode decided about a call. Comes before the engine's own event for that decision. */
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
      /** The tokens that the decision used. */
      readonly usage: Usage;
      /** Their cost in US dollars; absent if the price is unknown. */
      readonly costUsd?: number;
    }
  /** Follows the messages of the turn, which make the turn's own entries obsolete. */
  | {
      readonly type: "turn-ended";
      readonly turn: number;
      readonly usage: Usage;
      readonly context: object;
      readonly costUsd?: number;
    }
  /** A question of the turn is answered later: everything that is needed to continue it, in any process. */
  | ({ readonly type: "turn-parked" } & ParkedTurn)
  /** The answer to a question of the turn that is parked. */
  | {
      readonly type: "answered";
      /** The id of the question. */
      readonly id: string;
      /** The answer. */
      readonly answer: Answer;
      /** Who answered, if it is known. */
      readonly by?: string;
      /** The id of the mail that it came in, if it came through the inbox of a session store. */
      readonly mail?: string;
    }
  /** Tokens that were used outside of a turn, such as for a summary. */
  | {
      readonly type: "spent";
      /** What they were used for. */
      readonly purpose: string;
      readonly usage: Usage;
      readonly costUsd?: number;
    }
  /** A tool said what had happened to a call with an unknown outcome: replaces its result in the history. */
  | {
      readonly type: "reconciled";
      readonly callId: string;
      /** What happened. */
      readonly fate: "finished" | "never-started";
      /** What the model reads instead. */
      readonly result: ToolResult;
    }
  /** The state of a part of the program changed. */
  | ({
      readonly type: "state";
      /** The name of the part. */
      readonly name: string;
      /** The id of the mail that caused the change, if it came through the inbox of a session store. */
      readonly mail?: string;
    } & StateChange)
  /** In the journal of a sub-agent: it ended. Without it, the program ended while the sub-agent was at work. */
  | {
      readonly type: "agent-ended";
      /** How it ended. */
      readonly state: string;
    };

/** What the header of a sub-agent's journal says about it. */
export interface AgentAbout {
  /** The name of its definition. */
  readonly type: string;
  /** Its task in a few words. */
  readonly description: string;
  /** The id of the sub-agent that started it; left out for the main agent. */
  readonly parent?: string;
  /** The id of the call that started it. */
  readonly callId: string;
  /** Whether its caller continues without waiting for it. */
  readonly isBackground: boolean;
  /** The name of the model that the call chose, if it chose one. */
  readonly model?: string;
  /** The git worktree that it works in, if it has one. */
  readonly worktree?: string;
}

export interface Header {
  readonly type: "session";
  readonly version: number;
  readonly id: string;
  readonly cwd: string;
  readonly createdAt: string;
  readonly forkedFrom?: string;
  /** Set in the journal of a sub-agent. */
  readonly agent?: AgentAbout;
}

/** Closes a turn that a crash left open. Follows the messages that recovery made for it. */
export interface Recovered {
  readonly type: "recovered";
  /** With what a tool needs to say what happened, in case the program ends again before it is asked. */
  readonly fates: readonly Pick<Fate, "callId" | "toolName" | "fate" | "idempotencyKey" | "changedInput">[];
}

export function toLine({ type, ...rest }: { readonly type: string }): string {
  return withChecksum(JSON.stringify({ type, ...rest }));
}

/** A parsed line: its type is known, its other members are not checked yet. */
export type Line = { readonly type: string } & Readonly<Record<string, unknown>>;

/** Parses a line; undefined if it is not an entry (torn, corrupt, not JSON). */
export function parseLine(bytes: Uint8Array): Line | undefined {
  return isIntact(bytes) ? parseAny(bytes) : undefined;
}

function parseAny(bytes: Uint8Array): Line | undefined {
  try {
    // Without `fatal`, invalid bytes would be replaced silently and pass for the original text.
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return isShape(value) && typeof value["type"] === "string" ? (value as Line) : undefined;
  } catch {
    return undefined;
  }
}

/** Finds the first header: the first line, or a later one if the first was lost and written again. */
export function findHeader(head: Buffer): Line | undefined {
  for (let start = 0; start < head.length; ) {
    const end = head.indexOf("\n", start);
    // A damaged header still says the version, which must not be ignored.
    const line = parseAny(head.subarray(start, end < 0 ? head.length : end));
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
