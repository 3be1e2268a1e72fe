/** Repairs a history that grows. Looks only at what is new, so that a request does not cost more in a long session. */

import { repairHistory } from "@runahead/engine/history";
import { stringOf } from "@runahead/base";
import type { Message } from "../model/message.ts";
import { idsInPlainRound } from "./plain-round.ts";

interface Repaired {
  readonly messages: readonly Message[];
  readonly repairs: readonly string[];
}

/** Stands for everything before the new messages. */
const BEFORE: Message = { role: "user", content: "before" };

export class GrowingHistory {
  /** A history in which nothing was wrong. */
  #sound: readonly Message[] = [];
  readonly #callIds = new Set<string>();
  /** By the id that a server repeats, the number of its last copy. */
  readonly #copies = new Map<string, number>();

  /**
   * Returns the id for a new call: its own, unless a call of the history has it. Some servers begin to count in every
   * response.
   */
  freshId(id: string): string {
    if (!this.#callIds.has(id)) return id;
    let number = this.#copies.get(id) ?? 1;
    do number++;
    while (this.#callIds.has(`${id}_${number}`));
    this.#copies.set(id, number);
    return `${id}_${number}`;
  }

  /** Returns the same as `repairHistory`. */
  repair(messages: readonly Message[]): Repaired {
    if (this.#isStillSound(messages)) return { messages, repairs: [] };
    this.forget();
    const repaired = repairHistory(messages);
    if (repaired.repairs.length > 0) return repaired;
    this.#sound = messages;
    for (const message of messages) for (const id of callIdsIn(message)) this.#callIds.add(id);
    return { messages, repairs: [] };
  }

  /** Call it when earlier messages were replaced. */
  forget(): void {
    this.#sound = [];
    this.#callIds.clear();
  }

  /** Whether the messages begin with those that were sound, and the new ones are sound too. */
  #isStillSound(messages: readonly Message[]): boolean {
    const { length } = this.#sound;
    const last = this.#sound.at(-1);
    if (last === undefined || messages[0] !== this.#sound[0] || messages[length - 1] !== last) return false;
    const fresh = messages.slice(length);
    if (fresh.length === 0) return true;
    // What can follow an assistant message depends on it, and so does a second user message after it.
    const isClosed = last.role === "user" && fresh[0]?.role === "assistant";
    const from = isClosed ? length : this.#sound.findLastIndex(({ role }) => role === "assistant");
    if (from < 0) return false;
    const ids =
      (isClosed ? idsInPlainRound(fresh) : undefined) ?? this.#idsOfSound(messages.slice(from), fresh);
    if (ids === undefined) return false;
    // Two calls with the same id, also of one round, leave the set too small.
    const { size } = this.#callIds;
    for (const id of ids) this.#callIds.add(id);
    if (this.#callIds.size !== size + ids.length) return false;
    this.#sound = messages;
    return true;
  }

  #idsOfSound(round: readonly Message[], fresh: readonly Message[]): string[] | undefined {
    if (repairHistory([BEFORE, ...round]).repairs.length > 0) return undefined;
    return fresh.flatMap(callIdsIn);
  }
}

function callIdsIn({ content }: Message): string[] {
  if (typeof content === "string" || !Array.isArray(content)) return [];
  const blocks: readonly unknown[] = content;
  return blocks.flatMap((block) => {
    const { type, id } = (block ?? {}) as Readonly<Record<string, unknown>>;
    return type === "tool_use" ? [stringOf(id)] : [];
  });
}
