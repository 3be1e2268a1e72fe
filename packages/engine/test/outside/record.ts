/** What was seen of one call, from outside. */

import type { Call, Input } from "./plan.ts";
import type { Touch } from "./places.ts";

export interface Seen {
  readonly call: Call;
  readonly index: number;
  /** Inputs that the rules judged since they last changed, and what they said. */
  readonly judged: Map<string, "allow" | "ask" | "deny">;
  hookAsked: boolean;
  /** It failed or took too long, so it gave no decision. */
  hookFailed: boolean;
  /** The inputs that a person has said yes to, each with its folder. */
  readonly approved: Set<string>;
  refused: boolean;
  entered: Input | undefined;
  enteredIn: string;
  touches: readonly Touch[];
  /** Its code has come to its end, and how it did so first. */
  ended: "returned" | "threw" | undefined;
  /** The signals of its hooks that never answer. */
  readonly unanswered: AbortSignal[];
  settled: string | undefined;
  finishes: number;
}

export function newSeen(call: Call, index: number): Seen {
  return {
    call,
    index,
    judged: new Map(),
    hookAsked: false,
    hookFailed: false,
    approved: new Set(),
    refused: false,
    entered: undefined,
    enteredIn: "",
    touches: [],
    ended: undefined,
    unanswered: [],
    settled: undefined,
    finishes: 0,
  };
}
