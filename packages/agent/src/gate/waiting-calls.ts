/** The calls that wait for an answer of the user. */

import type { Answer } from "@runahead/engine";

/** A call that waits for an answer. */
export interface WaitingCall {
  readonly callId: string;
  /** The same for identical calls. */
  readonly key: string;
  /** The answer to an identical call, if the user gave it while this one waited. */
  answer: Answer | undefined;
}

/** Models can use an id twice, and so can the agents of a session: the id and the input together name a call. */
export class WaitingCalls {
  readonly #calls = new Map<string, WaitingCall>();

  add(callId: string, toolName: string, input: unknown): WaitingCall {
    const call: WaitingCall = { callId, key: keyOf(toolName, input), answer: undefined };
    this.#calls.set(nameOf(call), call);
    return call;
  }

  find(callId: string, toolName: string, input: unknown): WaitingCall | undefined {
    return this.#calls.get(nameOf({ callId, key: keyOf(toolName, input) }));
  }

  delete(call: WaitingCall): void {
    this.#calls.delete(nameOf(call));
  }

  clear(): void {
    this.#calls.clear();
  }

  /** Identical calls that wait at this moment share the answer. */
  share({ key }: WaitingCall, answer: Answer): void {
    for (const other of this.#calls.values()) if (other.key === key) other.answer ??= answer;
  }
}

function keyOf(toolName: string, input: unknown): string {
  return `${toolName} ${JSON.stringify(input)}`;
}

function nameOf({ callId, key }: Pick<WaitingCall, "callId" | "key">): string {
  return `${callId} ${key}`;
}
